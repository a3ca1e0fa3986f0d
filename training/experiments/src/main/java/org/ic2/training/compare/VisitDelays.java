// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * How long something took over many visits of the neighbour. What did not come in time counts as longer than all that did: a median
 * of those alone that were fast enough would promise too much.
 *
 * @param count   visits
 * @param reached those in which it came in time
 * @param median  seconds; infinite if it did not come in time in half of them, NaN without any
 * @param p90     the 90th percentile, likewise
 */
record VisitDelays(int count, int reached, double median, double p90) {
    private static final double HALF = 0.5;
    private static final double MOST = 0.9;

    /** @param visits seconds, empty where it did not come in time */
    static VisitDelays of(List<Optional<Double>> visits) {
        double[] sorted = visits.stream().mapToDouble(one -> one.orElse(Double.POSITIVE_INFINITY)).sorted().toArray();
        return new VisitDelays(sorted.length, (int) Arrays.stream(sorted).filter(Double::isFinite).count(), rank(sorted, HALF),
                rank(sorted, MOST));
    }

    /** Without interpolation: one that did not come is not half as long as twice something. */
    private static double rank(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    /** {@code 2.4 s (p90 3.1 s)}, {@code 2.4 s (p90 not in time)}; of one visit without the percentile. */
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
