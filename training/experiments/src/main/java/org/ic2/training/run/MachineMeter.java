// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes down what the machine's CPUs have done so far, and how much of it was the testbed's own. */
final class MachineMeter {
    private static final Path PROC = Path.of("/proc");
    private static final Path STAT = PROC.resolve("stat");
    private static final String UNIFIED = "0::/";
    private static final String ALL_CPUS = "cpu ";
    private static final String RUNNABLE = "procs_running ";
    private static final List<String> GROUPS = List.of("web", "neighbour");
    /** Of the line of all CPUs: user, nice, system, idle, iowait, irq, softirq, steal. */
    private static final int[] BUSY = {0, 1, 2, 5, 6};
    private static final int[] IDLE = {3, 4};
    private static final int STEAL = 7;
    /** USER_HZ, which is 100 on every architecture that Debian ships. */
    private static final double TICKS = 100;
    /** Of /proc/PID/stat, counted behind the name: utime, stime, and the same of the children that have ended. */
    private static final int FIRST_TIME = 11;
    private static final int ALONE = 2;
    private static final int WITH_ENDED = 4;

    private final Path file;
    private final List<Path> groups;
    private final boolean counted;
    private final Optional<ProcessHandle> database;

    /** A meter that begins its file anew. */
    MachineMeter(Path file, Testbed testbed) throws IOException {
        this.file = file;
        groups = GROUPS.stream().flatMap(role -> testbed.directory("cgroups", role, "usage").stream()).toList();
        counted = groups.size() == GROUPS.size();
        database = ProcessHandle.of(testbed.state().path("processes").path("database").path("pid").asLong());
        Files.writeString(file, MachineUse.HEADER + "\n");
    }

    /** What it is now; it is in the file, too. */
    MachineUse read(Instant now, String phase) {
        try {
            List<String> stat = Files.readAllLines(STAT);
            double[] ticks = Arrays.stream(value(stat, ALL_CPUS).split("\\s+")).mapToDouble(Double::parseDouble).toArray();
            MachineUse use = new MachineUse(now.toEpochMilli() / 1000.0, phase, sum(ticks, IDLE), sum(ticks, BUSY), ticks[STEAL] / TICKS,
                    own(), Double.parseDouble(value(stat, RUNNABLE)));
            Files.writeString(file, use.line() + "\n", StandardOpenOption.APPEND);
            return use;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + STAT + " or write " + file, e);
        }
    }

    private static String value(List<String> stat, String key) throws IOException {
        return stat.stream().filter(line -> line.startsWith(key)).map(line -> line.substring(key.length()).strip()).findFirst()
                .orElseThrow(() -> new RunException(STAT + ": no line '" + key.strip() + "'"));
    }

    private static double sum(double[] ticks, int[] which) {
        return Arrays.stream(which).mapToDouble(i -> ticks[i]).sum() / TICKS;
    }

    /** The groups of tier and neighbour, and of all that is in neither: the database, this program, and what it has started. */
    private double own() throws IOException {
        if (!counted) {
            return Double.NaN;
        }
        ProcessHandle self = ProcessHandle.current();
        return groups.stream().mapToDouble(group -> CounterFiles.used(Optional.of(group)).orElse(Double.NaN)).sum()
                + used(self.pid(), ALONE) + Stream.concat(database.stream(), self.descendants()).mapToLong(ProcessHandle::pid)
                        .filter(this::outside).mapToDouble(pid -> used(pid, WITH_ENDED)).sum();
    }

    private boolean outside(long pid) {
        try {
            return Files.readAllLines(PROC.resolve(pid + "/cgroup")).stream().filter(line -> line.startsWith(UNIFIED))
                    .map(line -> Path.of(line.substring(UNIFIED.length())))
                    .noneMatch(its -> groups.stream().anyMatch(group -> its.getNameCount() > 0 && group.endsWith(its)));
        } catch (IOException e) {
            return false;   // it has ended
        }
    }

    private static double used(long pid, int times) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Arrays.stream(fields, FIRST_TIME, FIRST_TIME + times).mapToDouble(Double::parseDouble).sum() / TICKS;
        } catch (IOException e) {
            return 0;       // likewise
        }
    }
}
