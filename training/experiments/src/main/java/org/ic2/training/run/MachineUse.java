// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.ic2.training.data.Csv;

/**
 * What the machine's CPUs have done up to a moment, all of them together, in seconds since some start.
 *
 * @param time     wall clock, epoch seconds
 * @param phase    {@code before} or {@code run}
 * @param idle     CPU time in which there was nothing to do
 * @param busy     CPU time that programs and the kernel have used
 * @param steal    CPU time that the hypervisor gave to others
 * @param own      part of {@code busy} that tier, neighbour, database, load, agent and this program have used; NaN where the machine
 *                 does not count control groups
 * @param runnable threads that run or wait for a CPU at this moment, those of the testbed too
 */
public record MachineUse(double time, String phase, double idle, double busy, double steal, double own, double runnable) {
    /** The file of a run that holds them, a line a second. */
    public static final String FILE = "machine.csv";
    /** The phase before the run, while the testbed has no load. */
    public static final String BEFORE = "before";
    /** The phase that is measured. */
    public static final String RUN = "run";

    static final String HEADER = "time,phase,idle,busy,steal,own,runnable";
    private static final int CELLS = 7;

    String line() {
        return String.format(Locale.ROOT, "%.3f,%s,", time, phase) + DoubleStream.of(idle, busy, steal, own, runnable)
                .mapToObj(one -> Double.isNaN(one) ? "" : String.format(Locale.ROOT, "%.2f", one)).collect(Collectors.joining(","));
    }

    /** The lines of a run, in their order; one that was not finished does not count. No lines if there is no file. */
    public static List<MachineUse> read(Path file) throws IOException {
        return Csv.rows(file, CELLS).stream().map(row -> new MachineUse(Csv.number(row.get(0)), row.get(1), Csv.number(row.get(2)),
                Csv.number(row.get(3)), Csv.number(row.get(4)), Csv.number(row.get(5)), Csv.number(row.get(6)))).toList();
    }
}
