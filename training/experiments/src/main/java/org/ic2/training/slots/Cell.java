// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.util.Arrays;
import java.util.Locale;

/**
 * One figure over the windows of one pair of setting and neighbour.
 *
 * @param mean  NaN if there is no window
 * @param low   the least
 * @param high  the greatest
 * @param count of windows
 */
public record Cell(double mean, double low, double high, int count) {
    /** The cell of these values; missing ones do not count. */
    public static Cell of(double[] values) {
        double[] known = Arrays.stream(values).filter(Double::isFinite).toArray();
        return new Cell(Arrays.stream(known).average().orElse(Double.NaN), Arrays.stream(known).min().orElse(Double.NaN),
                Arrays.stream(known).max().orElse(Double.NaN), known.length);
    }

    /** {@code 0.150 [0.100..0.200]}. */
    String text(int decimals) {
        String form = "%." + decimals + "f";
        if (count == 0) {
            return "-";
        }
        return count == 1 ? String.format(Locale.ROOT, form, mean)
                : String.format(Locale.ROOT, form + " [" + form + ".." + form + "]", mean, low, high);
    }
}
