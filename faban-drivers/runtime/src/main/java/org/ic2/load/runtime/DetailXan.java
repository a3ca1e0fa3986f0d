// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Writes detail.xan: throughput and response times over time, then the distributions. */
final class DetailXan {
    private static final String DISPLAY = "Display: Line\n";

    private final DriverModel model;
    private final Results results;
    private final StringBuilder out = new StringBuilder(64 << 10);

    private DetailXan(DriverModel model, Results results) {
        this.model = model;
        this.results = results;
    }

    /** The whole file. */
    static String format(DriverModel model, Results results, int runId) {
        return new DetailXan(model, results).format(runId);
    }

    private String format(int runId) {
        String unit = model.unit().name().toLowerCase(Locale.ROOT);
        double perSecond = model.unitsPerSecond();
        TimeSeries series = results.series();
        out.append("Title: ").append(model.benchmark()).append(" Detailed Results\n\n\n")
                .append("Section: Benchmark Information\nName     Value\n-----    -------------\nRunId    ")
                .append(runId).append("\n\n\n");
        section("Throughput", "Time (s)", series.size(), this::bucketStart,
                (row, op) -> StatsLine.decimals(series.throughput(row, op), 2));
        section("Response Times (" + unit + ")", "Time (s)", series.size(), this::bucketStart,
                (row, op) -> StatsLine.decimals(series.mean(row, op) * perSecond, 6));
        Buckets buckets = results.buckets();
        distribution("Response Times (" + unit + ")", results.steady(), t -> t.histogram,
                row -> StatsLine.decimals(buckets.lowerEdge(row), 5));
        IntFunction<String> delay = row -> StatsLine.decimals(row * results.delays().get(0).width(), 3);
        distribution("Cycle/Think Times (seconds)", results.delays(), d -> d.actualCounts, delay);
        distribution("Targeted Cycle/Think Times (seconds)", results.delays(), d -> d.targetCounts, delay);
        return out.toString();
    }

    private String bucketStart(int row) {
        return Long.toString(Math.round(row * results.series().width()));
    }

    /** Buckets up to the one after the last that is not empty. */
    private <T> void distribution(String what, List<T> sources, Function<T, long[]> counts, IntFunction<String> label) {
        int rows = 0;
        for (T source : sources) {
            long[] of = counts.apply(source);
            for (int i = 0; i < of.length; i++) {
                rows = of[i] > 0 ? Math.max(rows, Math.min(i + 2, of.length)) : rows;
            }
        }
        section("Frequency Distribution of " + what, "Time", rows, label,
                (row, op) -> Long.toString(counts.apply(sources.get(op))[row]));
    }

    private interface Cell {
        String at(int row, int operation);
    }

    private void section(String title, String first, int rows, IntFunction<String> label, Cell cell) {
        int n = model.operations().size();
        String[] header = new String[n + 1];
        header[0] = first;
        for (int op = 0; op < n; op++) {
            header[op + 1] = model.operations().get(op).name();
        }
        TextTable table = new TextTable(header);
        for (int row = 0; row < rows; row++) {
            String[] cells = new String[n + 1];
            cells[0] = label.apply(row);
            for (int op = 0; op < n; op++) {
                cells[op + 1] = cell.at(row, op);
            }
            table.row(cells);
        }
        out.append("Section: ").append(model.name()).append(' ').append(title).append('\n').append(DISPLAY).append(table)
                .append("\n\n");
    }
}
