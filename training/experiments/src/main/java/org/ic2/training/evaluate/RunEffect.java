// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;

/** What a run was made for must have happened in it: how much more there was of it in the middle third than before. */
public final class RunEffect {
    private RunEffect() {
    }

    /** In words, {@code -} if nothing was measured. */
    public static String in(List<Run> runs) {
        double work = middle(runs, sample -> sample.get(Metric.THROUGHPUT));
        double cost = middle(runs, sample -> sample.get(Metric.LOAD_PER_OPERATION));
        return Double.isNaN(work) || Double.isNaN(cost) ? "-" : String.format(Locale.ROOT,
                "%.1f times the operations, %.1f times the CPU an operation", work, cost);
    }

    /** The median of the middle third as a multiple of that of the first third; NaN if there is none. */
    private static double middle(List<Run> runs, ToDoubleFunction<Sample> figure) {
        return Quantiles.median(runs.stream().mapToDouble(run -> {
            List<Sample> samples = run.samples();
            Instant from = samples.get(0).time();
            long third = run.length().toMillis() / 3;
            return median(samples.stream().filter(sample -> sample.time().isAfter(from.plusMillis(third))
                    && sample.time().isBefore(from.plusMillis(2 * third))).toList(), figure)
                    / median(samples.stream().filter(sample -> sample.time().isBefore(from.plusMillis(third))).toList(), figure);
        }).toArray());
    }

    /** The median response time beside the neighbour as a multiple of that without interference; NaN if there is none of the two. */
    public static double harm(List<Run> runs) {
        return Quantiles.median(runs.stream().mapToDouble(run -> labelled(run, Label.INTERFERENCE)
                / labelled(run, Label.NO_INTERFERENCE)).toArray());
    }

    private static double labelled(Run run, Label label) {
        return median(run.samples().stream().filter(sample -> sample.label().filter(label::equals).isPresent()).toList(),
                sample -> sample.get(Metric.RESPONSE_TIME));
    }

    private static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return Quantiles.median(samples.stream().mapToDouble(figure).toArray());
    }
}
