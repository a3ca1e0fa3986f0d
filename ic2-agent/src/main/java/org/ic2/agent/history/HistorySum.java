// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.util.Arrays;
import java.util.List;
import org.ic2.agent.history.HistoryColumn.Merge;

/** Makes one step of several turns, or of several shorter steps. */
final class HistorySum {

    private final Merge[] merges;
    private final int requests;
    private final double[] sums;
    private final double[] weights;
    private int state;
    private int level;

    HistorySum(List<HistoryColumn> columns) {
        merges = columns.stream().map(HistoryColumn::merge).toArray(Merge[]::new);
        requests = columns.stream().map(HistoryColumn::name).toList().indexOf(HistoryColumn.REQUESTS);
        sums = new double[merges.length];
        weights = new double[merges.length];
        clear();
    }

    void clear() {
        Arrays.fill(sums, Double.NaN);
        Arrays.fill(weights, 0);
        state = -1;
        level = 0;
    }

    boolean isEmpty() {
        return state < 0;
    }

    /** Takes a point in: of the states that is kept which is later in {@link History#STATES}. */
    void add(HistoryPoint point) {
        state = Math.max(state, Math.max(0, History.STATES.indexOf(point.state())));
        level = Math.max(level, point.level());
        float[] values = point.values();
        for (int i = 0; i < merges.length; i++) {
            if (!Float.isNaN(values[i])) {
                add(i, values[i], merges[i] == Merge.MEAN_OF_REQUESTS && values[requests] > 0 ? values[requests] : 1);
            }
        }
    }

    private void add(int column, double value, double weight) {
        boolean first = weights[column] == 0;
        weights[column] += weight;
        switch (merges[column]) {
            case MEAN, MEAN_OF_REQUESTS -> sums[column] = (first ? 0 : sums[column]) + value * weight;
            case SUM -> sums[column] = (first ? 0 : sums[column]) + value;
            case GREATEST -> sums[column] = first ? value : Math.max(sums[column], value);
            case LAST -> sums[column] = value;
            default -> throw new IllegalStateException("no such merge");
        }
    }

    /** The step that began at a time (epoch seconds). */
    HistoryPoint point(long time) {
        float[] values = new float[merges.length];
        for (int i = 0; i < values.length; i++) {
            boolean mean = merges[i] == Merge.MEAN || merges[i] == Merge.MEAN_OF_REQUESTS;
            values[i] = (float) (mean ? sums[i] / weights[i] : sums[i]);
        }
        return new HistoryPoint(time, History.STATES.get(Math.max(0, state)), level, values);
    }
}
