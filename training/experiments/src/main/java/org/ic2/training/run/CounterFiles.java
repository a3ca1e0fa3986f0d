// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The kernel's counters; empty where it has none. */
final class CounterFiles {
    private static final double MICROS = 1e6;
    private static final Path PROC = Path.of("/proc");
    private static final Path STAT = PROC.resolve("stat");
    /** USER_HZ, which is 100 on every architecture that Debian ships. */
    private static final double TICKS = 100;
    /** Fields of a CPU's line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
    private static final int[] BUSY = {0, 1, 2, 5, 6};
    private static final int[] IDLE = {3, 4};
    private static final int[] STEAL = {7};
    /** The first of the fields utime, stime, cutime and cstime of /proc/PID/stat, counted behind the name. */
    private static final int UTIME = 11;

    private CounterFiles() {
    }

    /** What a CPU, or all of them together, have done so far, seconds. */
    record CpuTimes(double idle, double busy, double steal) {
    }

    /** The lines of /proc/stat. */
    static List<String> stat() throws IOException {
        return Files.readAllLines(STAT);
    }

    /** What follows a key at the begin of a line of /proc/stat. */
    static String value(List<String> stat, String key) throws RunException {
        return stat.stream().filter(line -> line.startsWith(key + " ")).map(line -> line.substring(key.length()).strip()).findFirst()
                .orElseThrow(() -> new RunException(STAT + ": no line '" + key + "'"));
    }

    /** @param cpu {@code cpu0}, ...; {@code cpu}: all of them together */
    static CpuTimes times(List<String> stat, String cpu) throws RunException {
        double[] ticks = Arrays.stream(value(stat, cpu).split("\\s+")).mapToDouble(Double::parseDouble).toArray();
        return new CpuTimes(sum(ticks, IDLE), sum(ticks, BUSY), sum(ticks, STEAL));
    }

    private static double sum(double[] ticks, int[] which) {
        return Arrays.stream(which).mapToDouble(i -> ticks[i]).sum() / TICKS;
    }

    /**
     * CPU seconds of a process; 0 if it has ended.
     *
     * @param children whether those of its children that have ended are added
     */
    static double used(long pid, boolean children) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Arrays.stream(fields, UTIME, UTIME + (children ? 4 : 2)).mapToDouble(Double::parseDouble).sum() / TICKS;
        } catch (IOException e) {
            return 0;
        }
    }

    /** The first number behind a key at the begin of a line. */
    static OptionalDouble number(Path file, String key) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key)).mapToDouble(line -> Double.parseDouble(
                    line.substring(key.length()).strip().split("\\s+")[0])).findFirst();
        } catch (IOException | UncheckedIOException e) {
            return OptionalDouble.empty();
        }
    }

    /** CPU seconds that a control group has used so far. */
    static OptionalDouble used(Optional<Path> group) {
        return group.isEmpty() ? OptionalDouble.empty() : seconds(number(group.get().resolve("cpu.stat"), "usage_usec"));
    }

    /** Seconds in which everything in the group that could run waited for a CPU (PSI {@code full}). */
    static OptionalDouble stalled(Optional<Path> group) {
        if (group.isEmpty()) {
            return OptionalDouble.empty();
        }
        try (Stream<String> lines = Files.lines(group.get().resolve("cpu.pressure"))) {
            return seconds(lines.filter(line -> line.startsWith("full"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf('=') + 1))).findFirst());
        } catch (IOException | UncheckedIOException e) {
            return OptionalDouble.empty();
        }
    }

    private static OptionalDouble seconds(OptionalDouble micros) {
        return micros.isPresent() ? OptionalDouble.of(micros.getAsDouble() / MICROS) : micros;
    }
}
