// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.ic2.training.evaluate.Quantiles;
import org.ic2.training.report.Words;

/**
 * How long something took over many episodes of the neighbour. What did not come in time counts as longer than all that did: a median
 * of those alone that were fast enough would promise too much.
 *
 * @param count   episodes
 * @param reached those in which it came in time
 * @param median  seconds; infinite if it did not come in time in half of them, NaN without any
 * @param p90     the 90th percentile, likewise
 */
record EpisodeDelays(int count, int reached, double median, double p90) {
    private static final double MEDIAN = 0.5;
    private static final double P90 = 0.9;

    /** @param episodes seconds, empty where it did not come in time */
    static EpisodeDelays of(List<Optional<Double>> episodes) {
        double[] sorted = episodes.stream().mapToDouble(one -> one.orElse(Double.POSITIVE_INFINITY)).sorted().toArray();
        // without interpolation: a time between a finite and an infinite one would mean nothing
        return new EpisodeDelays(sorted.length, (int) Arrays.stream(sorted).filter(Double::isFinite).count(),
                Quantiles.rank(sorted, MEDIAN), Quantiles.rank(sorted, P90));
    }

    /** {@code 2.4 s (p90 3.1 s)}, {@code 2.4 s (p90 not in time)}; of one episode without the percentile. */
    String text() {
        return count == 0 ? "-" : text(median) + (count < 2 ? "" : " (p90 " + text(p90) + ")");
    }

    /** The same with how many of how many. */
    String counted() {
        return count == 0 ? "-" : reached + " of " + count + (reached == 0 ? "" : ": " + text());
    }

    private static String text(double seconds) {
        return Double.isFinite(seconds) ? Words.number("%.1f s", seconds) : "not in time";
    }
}
