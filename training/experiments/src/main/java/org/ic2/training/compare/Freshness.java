// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.ic2.training.report.Plot;
import org.ic2.training.report.PlotGrid;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;

/**
 * What response time costs in old and in thinner pages, arm by arm: what an agent is worth beside a level of the ladder that is always on is
 * the freshness that it keeps.
 */
final class Freshness {
    static final String FILE = "freshness.csv";
    private static final String MEASURE = "interactive_response_time";
    private static final List<String> FIGURES = List.of(MEASURE, "response_time", "throughput", "page_age", "oldest_page", "stored_share", "left_out_share");
    private static final double PERCENT = 100;

    /** When it is looked at: without the neighbour, once queues have drained; beside it; and all the measured time. */
    private enum When {
        WITHOUT_INTERFERENCE("without interference"), UNDER_INTERFERENCE("under interference"), ALL("all the time");

        private final String text;

        When(String text) {
            this.text = text;
        }

        List<Recording.Window> of(Comparison comparison, Recording one) {
            return switch (this) {
                case WITHOUT_INTERFERENCE -> comparison.interferenceFree().stream().filter(phase -> phase.slot().equals(one.slot())).map(phase ->
                        new Recording.Window(one.at(phase.begin()), one.at(phase.begin() + phase.seconds()))).toList();
                case UNDER_INTERFERENCE -> one.phases().stream().filter(Recording.Phase::interference).map(phase ->
                        new Recording.Window(phase.from(), phase.to())).toList();
                case ALL -> List.of(new Recording.Window(one.from(), one.to()));
            };
        }
    }

    private record Row(Arm arm, String neighbour, When when, int runs, Map<String, Double> figures) {
    }

    private final Comparison comparison;
    private final List<Row> rows = new ArrayList<>();

    Freshness(Comparison comparison) {
        this.comparison = comparison;
        List<String> kinds = comparison.plan().loadOnly() ? List.of(Neighbour.NONE) : comparison.plan().neighbours().stream().map(Neighbour::name).toList();
        for (Arm arm : comparison.plan().arms()) {
            for (String kind : kinds) {
                for (When when : When.values()) {
                    row(arm, kind, when);
                }
            }
        }
    }

    /** True if a level that is always on was measured, and the load told what pages it got. */
    boolean asked() {
        return comparison.plan().arms().stream().anyMatch(Arm::alwaysOn) && rows.stream().anyMatch(row -> Double.isFinite(row.figures().get("page_age")));
    }

    /** The mean of the runs; what was not measured in any is not there. */
    private void row(Arm arm, String kind, When when) {
        List<Map<String, Double>> runs = comparison.recordings().stream().filter(one -> one.slot().arm() == arm && one.slot().neighbour().equals(kind))
                .map(one -> Map.entry(one, when.of(comparison, one))).filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> entry.getKey().figures(entry.getValue())).toList();
        if (!runs.isEmpty()) {
            rows.add(new Row(arm, kind, when, runs.size(), FIGURES.stream().collect(Collectors.toMap(name -> name, name ->
                    runs.stream().mapToDouble(figures -> figures.get(name)).filter(Double::isFinite).average().orElse(Double.NaN)))));
        }
    }

    String csv() {
        StringBuilder text = new StringBuilder("arm,neighbour,when,runs," + String.join(",", FIGURES) + "\n");
        for (Row row : rows) {
            text.append(row.arm().key()).append(',').append(row.neighbour()).append(',').append(row.when().name().toLowerCase(Locale.ROOT)).append(',')
                    .append(row.runs());
            FIGURES.forEach(name -> text.append(',').append(Double.isFinite(row.figures().get(name)) ? String.format(Locale.ROOT, "%.4f",
                    row.figures().get(name)) : ""));
            text.append('\n');
        }
        return text.toString();
    }

    Table table() {
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows) {
            cells.add(List.of(row.arm().key() + ": " + row.arm().title(), row.neighbour(), row.when().text, Integer.toString(row.runs()),
                    number(row, MEASURE, "%.3f", 1), number(row, "page_age", "%.1f", 1), number(row, "oldest_page", "%.0f", 1),
                    number(row, "stored_share", "%.0f %%", PERCENT), number(row, "left_out_share", "%.0f %%", PERCENT)));
        }
        return new Table("What it costs: age and parts of the pages", "N/X - Z against what users got for it, means of the runs. Age: of all pages when they were "
                + "asked for, fresh ones at 0 s. Parts left out: share of the pages that lack optional parts. Without interference: once queues have drained; a "
                + "neighbour that is there all the time has none.", List.of("arm", "interference", "when", "runs", "N/X - Z, s", "mean age, s", "oldest page, s",
                "pages from the store", "parts left out"), cells);
    }

    private static String number(Row row, String name, String format, double factor) {
        return Words.number(format, factor * row.figures().get(name));
    }

    /** Above, response time against the mean age of the pages; below, against the share of pages that lack parts. */
    String svg() {
        PlotGrid grid = new PlotGrid("Response time, and what users get for it: each point is an arm beside a neighbour");
        for (String against : List.of("page_age", "left_out_share")) {
            for (When when : When.values()) {
                boolean age = against.equals("page_age");
                Plot plot = new Plot((age ? "mean age of pages, s" : "pages without optional parts, %") + ", " + when.text, "N/X - Z, s");
                for (Arm arm : comparison.plan().arms()) {
                    List<Row> its = rows.stream().filter(row -> row.arm() == arm && row.when() == when).toList();
                    double[] y = its.stream().mapToDouble(row -> row.figures().get(MEASURE)).toArray();
                    plot.points(arm.key() + ": " + arm.title(), RunChart.colour(arm), its.stream().mapToDouble(row -> (age ? 1 : PERCENT)
                            * row.figures().get(against)).toArray(), y, y, y);
                }
                grid.add(plot);
            }
        }
        return grid.svg();
    }
}
