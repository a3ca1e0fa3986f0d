// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * One axis of a plot.
 *
 * @param low  its least value
 * @param high its greatest
 * @param step distance of its marks
 */
record Axis(double low, double high, double step) {
    private static final int MARKS = 6;

    /** An axis that holds these values, with round marks; with zero if that is asked. */
    static Axis around(double[] values, boolean withZero) {
        double low = Arrays.stream(values).min().orElse(0);
        double high = Arrays.stream(values).max().orElse(1);
        low = withZero ? Math.min(0, low) : low;
        high = high > low ? high : low + 1;
        double raw = (high - low) / MARKS;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double step = power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
        return new Axis(withZero ? Math.floor(low / step) * step : low, withZero ? Math.ceil(high / step) * step : high, step);
    }

    double[] marks() {
        double first = Math.ceil(low / step - 1e-9) * step;
        int count = (int) Math.floor((high - first) / step + 1e-9) + 1;
        return DoubleStream.iterate(0, i -> i + 1).limit(count).map(i -> first + i * step).toArray();
    }

    String text(double value) {
        int decimals = step >= 1 ? 0 : (int) Math.ceil(-Math.log10(step) - 1e-9);
        return String.format(Locale.ROOT, "%." + decimals + "f", value == 0 ? 0.0 : value);
    }
}
