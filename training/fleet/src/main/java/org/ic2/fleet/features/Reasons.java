// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.util.AccumulatorV2;

/** Counts by reason, over all tasks: why samples neither teach nor judge. */
public final class Reasons extends AccumulatorV2<String, Map<String, Long>> {
    private static final long serialVersionUID = 1;

    private final TreeMap<String, Long> counts = new TreeMap<>();

    @Override
    public boolean isZero() {
        return counts.isEmpty();
    }

    @Override
    public AccumulatorV2<String, Map<String, Long>> copy() {
        Reasons copy = new Reasons();
        copy.counts.putAll(counts);
        return copy;
    }

    @Override
    public void reset() {
        counts.clear();
    }

    @Override
    public void add(String reason) {
        counts.merge(reason, 1L, Long::sum);
    }

    @Override
    public void merge(AccumulatorV2<String, Map<String, Long>> other) {
        other.value().forEach((reason, count) -> counts.merge(reason, count, Long::sum));
    }

    @Override
    public Map<String, Long> value() {
        return counts;
    }

    /** In words: {@code 20 (learning what is normal), 3 (no label)}; empty if there are none. */
    public String text() {
        return String.join(", ", counts.entrySet().stream().map(one -> one.getValue() + " (" + one.getKey() + ")").toList());
    }
}
