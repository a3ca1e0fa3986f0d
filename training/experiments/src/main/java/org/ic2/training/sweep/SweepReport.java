// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.rules.Direction;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.training.report.Html;
import org.ic2.training.report.Plot;
import org.ic2.training.run.WindowFigures;
import org.ic2.training.slots.Cell;

/** The result of a sweep: plots as the paper's figures 2 and 3, and its directions beside those of the rules. */
public final class SweepReport {
    private static final List<String> PLOTTED = List.of("response_time", "throughput", "interactive_response_time",
            "oldest_wait");
    private static final String COLOUR_ALONE = "#2f8f5b";
    private static final String COLOUR_BESIDE = "#a32319";

    private SweepReport() {
    }

    /** All points as CSV, the levers' values in the unit of the samples (KAT in seconds). */
    public static List<String> csv(Sweep sweep, List<Sweep.Point> points) {
        List<String> lines = new ArrayList<>();
        lines.add(sweep.axes().stream().map(axis -> axis.lever().key()).collect(Collectors.joining(",")) + ",round,neighbour,"
                + String.join(",", WindowFigures.FIGURES));
        for (Sweep.Point point : points) {
            StringBuilder line = new StringBuilder(sweep.axes().stream().map(axis -> shown(axis.lever(), sweep.value(axis, point)))
                    .collect(Collectors.joining(",")) + "," + point.round() + "," + (point.beside() ? "on" : "off"));
            for (String figure : WindowFigures.FIGURES) {
                double value = point.figures().get(figure);
                line.append(',').append(Double.isNaN(value) ? "" : SamplesCsv.number(Math.round(value * 1e6) / 1e6));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private static String shown(Lever lever, int value) {
        return SamplesCsv.number((double) value / lever.unitsPerColumn());
    }

    /** What the data say of the rules, lever by lever; of two levers, what the map says too. */
    public static List<String> verdicts(Sweep sweep, List<Sweep.Point> points, KnowledgeBase knowledge) {
        List<String> lines = new ArrayList<>();
        Directions.of(sweep, points).forEach(one -> lines.addAll(verdicts(one, knowledge)));
        lines.addAll(SweepMap.words(sweep, points));
        return lines;
    }

    /** What the data say of the rules, one line a row of the knowledge base. */
    static List<String> verdicts(Directions directions, KnowledgeBase knowledge) {
        List<String> lines = new ArrayList<>();
        String found = directions.supported().map(one -> one == Direction.UP ? "up" : "down").orElse("neither way");
        Map<String, Direction> ruled = Directions.ruled(knowledge, directions.lever());
        ruled.forEach((rule, direction) -> lines.add("%s says %s %s; the data say %s: %s".formatted(rule,
                directions.lever().key(), direction.name().toLowerCase(Locale.ROOT), found,
                directions.verdict(direction).name().toLowerCase(Locale.ROOT).replace('_', ' '))));
        if (ruled.isEmpty()) {
            lines.add("no rule moves " + directions.lever().key() + " because of a neighbour; the data say " + found);
        }
        for (Directions.Change change : directions.changes()) {
            lines.add(String.format(Locale.ROOT, "  %s: throughput beside the neighbour %+.1f %% [%+.1f to %+.1f] against the baseline, "
                    + "%s", directions.lever().format(change.value()), 100 * change.mean(), 100 * change.low(),
                    100 * change.high(), change.sure() ? "distinguishable" : "not distinguishable")
                    + (Double.isNaN(change.alone()) ? "" : String.format(Locale.ROOT, "; alone %+.1f %%", 100 * change.alone())));
        }
        return lines;
    }

    /** The page. */
    public static String html(Sweep sweep, List<Sweep.Point> points, KnowledgeBase knowledge, Map<String, String> facts) {
        Html html = new Html("IC\u00b2: " + sweep.axes().stream().map(axis -> axis.lever().key()).collect(Collectors.joining(" and "))
                + ", alone and beside a neighbour");
        List<String> verdicts = verdicts(sweep, points, knowledge);
        html.lead(verdicts.get(0) + ".");
        html.text("Each point is the mean of " + sweep.rounds() + " rounds; the line through it spans them. The points of a round "
                + "were measured in random order within one run, so that drifts of the machine hit all alike. Response times are "
                + "the client's; beside the mean of completed requests, which starving users flatter, stand throughput, N/X - Z "
                + "(the response time that counts everybody) and the longest wait.");
        figures(html, sweep, points);
        html.section("What it says of the rules");
        html.text("Measure: throughput beside the neighbour, each value against the baseline of the same round"
                + (sweep.axes().size() > 1 ? ", the other lever at its baseline" : "") + ". Distinguishable: all "
                + "rounds agree and the 95 % interval of the mean change (Student's t) does not hold 0. Alone: the mean change "
                + "without the neighbour; a value that gains there as much is simply better, and interference moves nothing.");
        html.verbatim(String.join("\n", verdicts));
        html.section("How it was made");
        html.table(List.of("what", "value"), facts.entrySet().stream().map(fact -> List.of(fact.getKey(), fact.getValue()))
                .toList());
        return html.page();
    }

    /** The pictures: of one lever its curves, of two their maps, and the curves of each while the other is at the baseline. */
    public static void figures(Html html, Sweep sweep, List<Sweep.Point> points) {
        if (sweep.axes().size() > 1) {
            PLOTTED.forEach(figure -> SweepMap.figures(html, sweep, points, figure));
        }
        for (Sweep.Axis axis : sweep.axes()) {
            for (String figure : PLOTTED) {
                html.figure(curves(sweep, axis, points, figure), figure.replace('_', ' ') + " by " + axis.lever().key()
                        + (sweep.axes().size() > 1 ? ", the other lever at its baseline." : "."));
            }
        }
    }

    private static String curves(Sweep sweep, Sweep.Axis axis, List<Sweep.Point> points, String figure) {
        Plot plot = new Plot(axis.lever().key(), figure.replace('_', ' ')).ticks(axis.ticks());
        for (boolean beside : new boolean[] {false, true}) {
            curve(plot, sweep, axis, sweep.along(axis, points).stream().filter(point -> point.beside() == beside).toList(), figure, beside);
        }
        return plot.svg();
    }

    private static void curve(Plot plot, Sweep sweep, Sweep.Axis axis, List<Sweep.Point> points, String figure, boolean beside) {
        int count = axis.values().size();
        double[] x = new double[count];
        double[] y = new double[count];
        double[] low = new double[count];
        double[] high = new double[count];
        for (int i = 0; i < count; i++) {
            int value = axis.values().get(i);
            Cell rounds = Cell.of(points.stream().filter(point -> sweep.value(axis, point) == value)
                    .mapToDouble(point -> point.figures().get(figure)).toArray());
            x[i] = i;
            y[i] = rounds.mean();
            low[i] = rounds.low();
            high[i] = rounds.high();
        }
        plot.curve(beside ? "with the neighbour" : "alone", beside ? COLOUR_BESIDE : COLOUR_ALONE, x, y, low, high);
    }
}
