// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.report.Html;
import org.ic2.training.report.Plot;

/** How much each arm changed the response time beside each neighbour (the paper's figure 10). */
final class ChangePlot {
    private static final double PERCENT = 100;

    private ChangePlot() {
    }

    /** A picture for each part of an episode, where there are two changes at least. */
    static void add(Html html, Comparison comparison) {
        if (comparison.others().size() * comparison.kinds().size() < 2) {
            return;
        }
        for (EpisodePart part : EpisodePart.values()) {
            Plot plot = new Plot("interference", "change of the mean, %").ticks(comparison.kinds()).level(0, "");
            boolean some = false;
            for (Arm arm : comparison.others()) {
                List<Estimate> changes = comparison.kinds().stream().map(kind -> comparison.change(arm, kind, part, "response_time"))
                        .toList();
                some |= changes.stream().anyMatch(change -> Double.isFinite(change.value()));
                double[] x = new double[changes.size()];
                for (int i = 0; i < x.length; i++) {
                    x[i] = i;
                }
                plot.points(arm.key(), RunChart.colour(arm), x, percents(changes, Estimate::value),
                        percents(changes, Estimate::low), percents(changes, Estimate::high));
            }
            if (some) {
                html.figure(plot.svg(), "In the " + part.text(comparison.plan().firstHalf()) + (part == EpisodePart.REST ? " of each episode" : "") + ": change of the mean response time "
                        + "against the arm off, below zero is faster (the paper's figure 10: "
                        + (part == EpisodePart.FIRST ? "20-25 % faster on its private testbed, 3-10 % on EC2"
                                : "32-40 % faster on its private testbed, 21-29 % on EC2") + ").");
            }
        }
    }

    private static double[] percents(List<Estimate> changes, ToDoubleFunction<Estimate> end) {
        return changes.stream().mapToDouble(change -> PERCENT * end.applyAsDouble(change)).toArray();
    }
}
