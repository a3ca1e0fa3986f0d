// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ic2.knowledge.Lever;
import org.ic2.training.report.HeatMap;
import org.ic2.training.report.Html;
import org.ic2.training.slots.Cell;

/** Two levers at once (the paper's figure 3): maps, and which value of the second is best for each of the first. */
final class SweepMap {
    /** The figure whose least value is named: the response time that counts every user. */
    private static final String MEASURE = "interactive_response_time";

    private SweepMap() {
    }

    /** Two maps of a figure, with one scale: alone and beside the neighbour. */
    static void figures(Html html, Sweep sweep, List<Sweep.Point> points, String figure) {
        double[][] alone = means(sweep, points, figure, false);
        double[][] beside = means(sweep, points, figure, true);
        double[] range = HeatMap.range(alone, beside);
        String name = figure.replace('_', ' ');
        html.figure(map(sweep, name + ", alone", alone).svg(range[0], range[1]), name + " without the neighbour, means of the rounds.");
        html.figure(map(sweep, name + ", beside the neighbour", beside).svg(range[0], range[1]), name
                + " beside the neighbour, with the same colours (the paper's figure 3).");
    }

    private static HeatMap map(Sweep sweep, String title, double[][] values) {
        Sweep.Axis rows = sweep.axes().get(0);
        Sweep.Axis columns = sweep.axes().get(1);
        return new HeatMap(title, columns.lever().key(), columns.ticks(), rows.lever().key(), rows.ticks(), values);
    }

    /** Means by the value of the first lever and of the second. */
    private static double[][] means(Sweep sweep, List<Sweep.Point> points, String figure, boolean beside) {
        return sweep.axes().get(0).values().stream().map(one -> sweep.axes().get(1).values().stream()
                .mapToDouble(other -> mean(points, List.of(one, other), figure, beside)).toArray()).toArray(double[][]::new);
    }

    private static double mean(List<Sweep.Point> points, List<Integer> values, String figure, boolean beside) {
        return Cell.of(points.stream().filter(point -> point.beside() == beside && point.values().equals(values))
                .mapToDouble(point -> point.figures().getOrDefault(figure, Double.NaN)).toArray()).mean();
    }

    /**
     * A line for each value of the first lever: the best value of the second, alone and beside the neighbour. Of MXC and KAT also what
     * the paper's equation (section 3.3) asks for, MXC / new connections a second. Empty for one lever.
     */
    static List<String> words(Sweep sweep, List<Sweep.Point> points) {
        List<String> lines = new ArrayList<>();
        if (sweep.axes().size() > 1) {
            Sweep.Axis rows = sweep.axes().get(0);
            Sweep.Axis columns = sweep.axes().get(1);
            for (int i = 0; i < rows.values().size(); i++) {
                lines.add(String.format(Locale.ROOT, "%s %s: N/X - Z is least with %s %s alone, %s beside the neighbour", rows.lever().label(),
                        rows.ticks().get(i), columns.lever().label(), least(sweep, points, i, false), least(sweep, points, i, true))
                        + equation(sweep, points, rows.values().get(i)));
            }
        }
        return lines;
    }

    private static String least(Sweep sweep, List<Sweep.Point> points, int row, boolean beside) {
        double[] means = means(sweep, points, MEASURE, beside)[row];
        int best = -1;
        for (int i = 0; i < means.length; i++) {
            best = Double.isFinite(means[i]) && (best < 0 || means[i] < means[best]) ? i : best;
        }
        return best < 0 ? "-" : String.format(Locale.ROOT, "%s (%.3f s)", sweep.axes().get(1).ticks().get(best), means[best]);
    }

    /** At the baseline's KAT, where it is one of the axes. */
    private static String equation(Sweep sweep, List<Sweep.Point> points, int workers) {
        List<Lever> levers = sweep.axes().stream().map(Sweep.Axis::lever).toList();
        if (!levers.equals(List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT))) {
            return "";
        }
        List<Integer> values = List.of(workers, sweep.base().get(Lever.KEEP_ALIVE_TIMEOUT));
        double seconds = sweep.window().toMillis() / 1000.0;
        return String.format(Locale.ROOT, "; MXC / new connections: %s alone, %s beside it", timeout(workers, mean(points, values, "connects", false) / seconds),
                timeout(workers, mean(points, values, "connects", true) / seconds));
    }

    private static String timeout(int workers, double connections) {
        return connections > 0 ? String.format(Locale.ROOT, "%.1f s", workers / connections) : "-";
    }
}
