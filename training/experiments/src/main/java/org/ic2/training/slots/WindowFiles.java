// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.training.data.Csv;
import org.ic2.training.data.TextFiles;
import org.ic2.training.report.Plot;
import org.ic2.training.report.PlotGrid;

/** What an experiment leaves: every window as CSV, a table and a plot of their means and ranges. */
final class WindowFiles {
    private static final int DIGITS = 6;
    private static final List<String> PLOTTED = List.of("response_time", "request_p95", "interactive_response_time",
            "throughput", "cpu_per_operation", "oldest_wait");
    private static final List<String> COLOURS = List.of("#0f766e", "#c2410c", "#4338ca", "#a16207", "#be185d", "#475569", "#15803d");

    /** A column of the table. */
    private record Column(String name, String heading, String unit, int decimals) {
        String title() {
            return heading + " (" + unit + ")";
        }
    }

    private static final List<Column> COLUMNS = List.of(new Column("throughput", "X", "1/s", 1),
            new Column("response_time", "mean", "s", 3), new Column("request_p95", "p95", "s", 3),
            new Column("interactive_response_time", "N/X-Z", "s", 3), new Column("pending_users", "pending", "users", 0),
            new Column("oldest_wait", "oldest wait", "s", 2), new Column("cpu_per_operation", "CPU/op", "ms", 2),
            new Column("cpu_use", "CPU", "cores", 2), new Column("stall", "stall", "share", 2),
            new Column("connects", "connects", "1/s", 1), new Column("errors", "errors", "1/s", 2));

    private WindowFiles() {
    }

    /** Writes windows.csv, table.md and plot.svg; returns the table. */
    static String write(Path folder, Experiment experiment, List<Window> windows) throws IOException {
        String table = TextFiles.joined(table(experiment, windows));
        TextFiles.write(folder.resolve("windows.csv"), TextFiles.joined(csv(windows)));
        TextFiles.write(folder.resolve("table.md"), table);
        TextFiles.write(folder.resolve("plot.svg"), plot(experiment, windows));
        return table;
    }

    private static List<String> csv(List<Window> windows) {
        List<String> lines = new ArrayList<>();
        lines.add("round,setting,neighbour,placement,disturbed," + String.join(",", windows.get(0).figures().keySet()));
        for (Window one : windows) {
            Stream<String> what = Stream.of(Integer.toString(one.slot().round()), one.slot().tuning().label(),
                    one.slot().beside().label(), one.slot().beside().placement(), one.disturbed() ? "1" : "0");
            lines.add(Csv.line(Stream.concat(what, one.figures().values().stream().map(WindowFiles::number)).toList()));
        }
        return lines;
    }

    private static String number(double value) {
        return !Double.isFinite(value) ? "" : value == 0 ? "0"
                : new BigDecimal(value).round(new MathContext(DIGITS)).stripTrailingZeros().toPlainString();
    }

    /** Over the windows that were not disturbed. */
    private static Cell cell(List<Window> windows, WebTierSetting tuning, NeighbourSlot beside, String column) {
        return Cell.of(windows.stream().filter(one -> one.slot().tuning().equals(tuning) && one.slot().beside().equals(beside)
                && !one.disturbed()).mapToDouble(one -> one.figures().get(column)).toArray());
    }

    /** One line a setting and neighbour, the cells as {@code mean [low..high]}. */
    private static List<String> table(Experiment experiment, List<Window> windows) {
        List<String> lines = new ArrayList<>();
        lines.add("| " + experiment.axis() + " | neighbour | windows | " + String.join(" | ",
                COLUMNS.stream().map(column -> column.heading() + ", " + column.unit()).toList()) + " |");
        lines.add("|" + "---|".repeat(COLUMNS.size() + 3));
        for (WebTierSetting tuning : experiment.slots().tunings()) {
            for (NeighbourSlot beside : experiment.slots().neighbours()) {
                List<Cell> cells = COLUMNS.stream().map(column -> cell(windows, tuning, beside, column.name())).toList();
                List<String> row = new ArrayList<>(List.of(tuning.label(), beside.label(),
                        Integer.toString(cells.stream().mapToInt(Cell::count).max().orElseThrow())));
                for (int i = 0; i < cells.size(); i++) {
                    row.add(cells.get(i).text(COLUMNS.get(i).decimals()));
                }
                lines.add("| " + String.join(" | ", row) + " |");
            }
        }
        return lines;
    }

    /** One panel a figure, one position a setting, one series a neighbour. */
    private static String plot(Experiment experiment, List<Window> windows) {
        List<WebTierSetting> tunings = experiment.slots().tunings();
        PlotGrid grid = new PlotGrid(experiment.title());
        for (String name : PLOTTED) {
            Plot plot = new Plot(experiment.axis(), COLUMNS.stream().filter(column -> column.name().equals(name)).findFirst()
                    .orElseThrow().title()).ticks(tunings.stream().map(WebTierSetting::label).toList());
            for (int i = 0; i < experiment.slots().neighbours().size(); i++) {
                NeighbourSlot beside = experiment.slots().neighbours().get(i);
                List<Cell> cells = tunings.stream().map(tuning -> cell(windows, tuning, beside, name)).toList();
                double[] x = new double[cells.size()];
                java.util.Arrays.setAll(x, at -> at);
                plot.sideBySide(beside.label(), COLOURS.get(i % COLOURS.size()), x, cells.stream().mapToDouble(Cell::mean).toArray(),
                        cells.stream().mapToDouble(Cell::low).toArray(), cells.stream().mapToDouble(Cell::high).toArray());
            }
            grid.add(plot);
        }
        return grid.svg();
    }
}
