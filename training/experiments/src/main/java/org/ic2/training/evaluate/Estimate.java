// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

/**
 * A figure with its interval of confidence (95 %).
 *
 * @param value what was measured, NaN if nothing could be
 * @param low   lower end, NaN if there are too few runs to tell, or all are alike
 * @param high  upper end
 * @param runs  how many there are behind it; 0 if that is told elsewhere
 */
public record Estimate(double value, double low, double high, int runs) {
    /** A figure whose spread is unknown. */
    public static Estimate of(double value) {
        return new Estimate(value, Double.NaN, Double.NaN, 0);
    }

    /** True if the interval is known. */
    public boolean known() {
        return !Double.isNaN(low);
    }

    /** True if all of the interval is below zero. */
    public boolean less() {
        return high < 0;
    }

    /** True if all of it is above zero. */
    public boolean more() {
        return low > 0;
    }
}
