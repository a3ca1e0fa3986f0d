// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.util.Arrays;

/**
 * A step of the history.
 *
 * @param time   of its beginning, epoch seconds
 * @param state  the worst in it, of {@link History#STATES}
 * @param level  the highest in it
 * @param values in the order of {@link History#columns}; NaN where nothing was measured
 */
public record HistoryPoint(long time, String state, int level, float[] values) {

    @Override
    public boolean equals(Object other) {
        return other instanceof HistoryPoint that && time == that.time && state.equals(that.state) && level == that.level
                && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(time) * 31 + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return time + " " + state + " " + level + " " + Arrays.toString(values);
    }
}
