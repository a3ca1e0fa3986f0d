// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.ic2.training.data.Csv;

/**
 * What tier, neighbour and machine have used at a moment, in seconds since some start; NaN where it is not measured.
 *
 * @param time      wall clock, epoch seconds
 * @param web       CPU time of the web tier's control group
 * @param neighbour CPU time of the neighbour's
 * @param stall     time in which the web tier's group was ready and did not run (PSI {@code full})
 * @param busy      CPU time of the tier's CPU that was not idle
 * @param steal     and that the hypervisor took
 */
public record TierCounters(double time, double web, double neighbour, double stall, double busy, double steal) {
    /** The file of a run that holds its readings. */
    public static final String FILE = "counters.csv";
    static final String HEADER = "time,web_cpu,neighbour_cpu,web_stall,busy,steal";
    private static final int CELLS = 6;

    /** Reads them now. */
    static TierCounters now(Testbed testbed, Instant now) throws IOException {
        Optional<Path> web = testbed.directory("cgroups", "web", "usage");
        CounterFiles.CpuTimes cpu = CounterFiles.times(CounterFiles.stat(), "cpu" + testbed.number("cpus", "web"));
        return new TierCounters(now.toEpochMilli() / 1000.0, value(CounterFiles.used(web)),
                value(CounterFiles.used(testbed.directory("cgroups", "neighbour", "usage"))), value(CounterFiles.stalled(web)),
                cpu.busy(), cpu.steal());
    }

    private static double value(OptionalDouble number) {
        return number.orElse(Double.NaN);
    }

    String line() {
        return DoubleStream.of(time, web, neighbour, stall, busy, steal)
                .mapToObj(one -> Double.isNaN(one) ? "" : String.format(Locale.ROOT, "%.6f", one)).collect(Collectors.joining(","));
    }

    /** The readings of a run, in their order; a line that was not finished does not count. */
    public static List<TierCounters> read(Path file) throws IOException {
        return Csv.rows(file, CELLS).stream().map(row -> row.stream().mapToDouble(Csv::number).toArray())
                .map(cells -> new TierCounters(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5])).toList();
    }
}
