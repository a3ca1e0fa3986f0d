// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.ic2.training.data.Csv;
import org.ic2.training.data.TextFiles;

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
    /** Ahead of the run, while the testbed has no load. */
    public static final String BEFORE = "before";
    /** In the measured time. */
    public static final String RUN = "run";

    static final String HEADER = "time,phase,idle,busy,steal,own,runnable";
    private static final int CELLS = 7;

    String line() {
        return String.format(Locale.ROOT, "%.3f,%s,", time, phase) + DoubleStream.of(idle, busy, steal, own, runnable)
                .mapToObj(one -> Double.isNaN(one) ? "" : String.format(Locale.ROOT, "%.2f", one)).collect(Collectors.joining(","));
    }

    /** The lines of a run, in their order; one that was not finished does not count. No lines if there is no file. */
    public static List<MachineUse> read(Path file) throws IOException {
        List<MachineUse> lines = new ArrayList<>();
        if (Files.exists(file)) {
            List<String> text = TextFiles.lines(file);
            for (String line : text.subList(Math.min(1, text.size()), text.size())) {
                List<String> cells = Csv.cells(line);
                if (cells.size() == CELLS) {
                    lines.add(new MachineUse(number(cells.get(0)), cells.get(1), number(cells.get(2)), number(cells.get(3)),
                            number(cells.get(4)), number(cells.get(5)), number(cells.get(6))));
                }
            }
        }
        return lines;
    }

    private static double number(String cell) {
        return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    }
}
