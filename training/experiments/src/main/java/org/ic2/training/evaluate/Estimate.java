// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

/**
 * A figure with its interval of confidence (95 %).
 *
 * @param value what was measured, NaN if nothing could be
 * @param low   lower end, NaN if there are too few runs to tell, or all are alike
 * @param high  upper end
 */
public record Estimate(double value, double low, double high) {
    /** A figure whose spread is unknown. */
    public static Estimate of(double value) {
        return new Estimate(value, Double.NaN, Double.NaN);
    }

    /** True if the interval is known. */
    public boolean known() {
        return !Double.isNaN(low);
    }
}
