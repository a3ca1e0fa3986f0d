// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import java.util.Arrays;
import java.util.function.DoubleFunction;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.Ink.Hue;
import org.ic2.agent.terminal.TextRow;

/**
 * A quantity over time as a row of blocks, or as several rows on top of each other.
 *
 * @param values      one a column; NaN where there is none
 * @param logarithmic true: ten times as much is as much higher everywhere, for what spans decades
 * @param most        what fills all rows, if no value is greater
 * @param marks       levels to mark where nothing covers them, such as the target; NaN: none
 */
record TrendLine(double[] values, boolean logarithmic, double most, double[] marks) {

    private static final String BLOCKS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
    private static final String ASCII = "_.,:-=+#";
    private static final int STEPS = BLOCKS.length();
    /** The foot of a logarithmic picture lies so far below its lowest value. */
    private static final double FOOT = 2;

    /** Draws one of its rows, from the top. */
    void draw(TextRow row, int index, int rows, Ink ink, DoubleFunction<Hue> hue) {
        double high = Math.max(most, Arrays.stream(values).filter(Double::isFinite).max().orElse(0));
        double low = Arrays.stream(values).filter(value -> value > 0 && value < Double.POSITIVE_INFINITY).min().orElse(high) / FOOT;
        String blocks = ink.unicode() ? BLOCKS : ASCII;
        int below = (rows - 1 - index) * STEPS;
        for (double value : values) {
            int steps = steps(value, low, high, rows) - below;
            if (steps > 0) {
                row.add(String.valueOf(blocks.charAt(Math.min(steps, STEPS) - 1)), hue.apply(value));
            } else {
                row.add(marked(below, low, high, rows) ? ink.unicode() ? "\u2508" : "." : " ", Hue.FAINT);
            }
        }
    }

    private boolean marked(int below, double low, double high, int rows) {
        for (double mark : marks) {
            int at = steps(mark, low, high, rows);
            if (at > below && at <= below + STEPS) {
                return true;
            }
        }
        return false;
    }

    /** How high a value stands; what was measured at all is seen. */
    private int steps(double value, double low, double high, int rows) {
        if (!Double.isFinite(value)) {
            return 0;
        }
        double share = logarithmic ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : value / high;
        return Double.isFinite(share) ? (int) Math.max(1, Math.min(Math.round(share * rows * STEPS), (long) rows * STEPS)) : 1;
    }
}
