// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.Arrays;

/** Quantiles with linear interpolation. */
public final class Quantiles {
    private Quantiles() {
    }

    /**
     * A quantile of sorted values, NaN if there are none.
     *
     * @param share 0 = the least, 0.5 = the median, 1 = the greatest
     */
    public static double of(double[] sorted, double share) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double place = share * (sorted.length - 1);
        int low = (int) Math.floor(place);
        int high = (int) Math.ceil(place);
        return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
    }

    /** The least of sorted values that this share of them does not exceed, without interpolation; NaN if there are none. */
    public static double rank(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    /** The median of values in any order; missing ones are left out. */
    public static double median(double... values) {
        return of(Arrays.stream(values).filter(value -> !Double.isNaN(value)).sorted().toArray(), 0.5);
    }
}
