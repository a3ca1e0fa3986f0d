// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes down what the machine's CPUs have done so far, and how much of it was the testbed's own. */
final class MachineMeter {
    private static final Path PROC = Path.of("/proc");
    private static final String UNIFIED = "0::/";
    private static final String ALL_CPUS = "cpu";
    private static final String RUNNABLE = "procs_running";
    private static final List<String> GROUPS = List.of("web", "neighbour");

    private final Path file;
    private final List<Path> groups;
    private final boolean counted;
    private final Optional<ProcessHandle> database;

    /** A meter that begins a new file. */
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
            List<String> stat = CounterFiles.stat();
            CounterFiles.CpuTimes cpus = CounterFiles.times(stat, ALL_CPUS);
            MachineUse use = new MachineUse(now.toEpochMilli() / 1000.0, phase, cpus.idle(), cpus.busy(), cpus.steal(), own(),
                    Double.parseDouble(CounterFiles.value(stat, RUNNABLE)));
            Files.writeString(file, use.line() + "\n", StandardOpenOption.APPEND);
            return use;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /proc/stat or write " + file, e);
        }
    }

    /** The groups of tier and neighbour, and of all that is in neither: the database, this program, and what it has started. */
    private double own() throws IOException {
        if (!counted) {
            return Double.NaN;
        }
        ProcessHandle self = ProcessHandle.current();
        return groups.stream().mapToDouble(group -> CounterFiles.used(Optional.of(group)).orElse(Double.NaN)).sum()
                + CounterFiles.used(self.pid(), false) + Stream.concat(database.stream(), self.descendants()).mapToLong(ProcessHandle::pid)
                        .filter(this::outside).mapToDouble(pid -> CounterFiles.used(pid, true)).sum();
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
}
