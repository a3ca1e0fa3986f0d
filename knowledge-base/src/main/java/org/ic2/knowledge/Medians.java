// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.ic2.runtime.knob.Quantity;

/**
 * The medians without interference: learned in state NI2 at the baseline, frozen otherwise.
 *
 * @param values median of each learned metric that was ever measured, in the metric's unit
 * @param count  samples behind them
 */
public record Medians(Map<Metric, Double> values, int count) {
    public Medians {
        EnumMap<Metric, Double> copy = new EnumMap<>(Metric.class);
        copy.putAll(values);
        values = Collections.unmodifiableMap(copy);
    }

    /** Nothing learned yet. */
    public static Medians none() {
        return new Medians(Map.of(), 0);
    }

    /** The median, NaN if unknown. */
    public double get(Quantity quantity) {
        Double value = values.get(quantity);
        return value == null ? Double.NaN : value;
    }
}
