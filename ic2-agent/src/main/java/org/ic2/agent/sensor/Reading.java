// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Metric;

/**
 * What one sensor saw in one interval. Unknown is a value: a metric that could not be measured is absent, never 0.
 *
 * @param values  finite numbers by metric, in the metric's unit
 * @param extras  numbers that no rule looks at, by a name in snake_case, for {@code check} and {@code /metrics}
 * @param problem why something is missing, in words for the tenant; empty when all is well
 */
public record Reading(Map<Metric, Double> values, Map<String, Double> extras, Optional<String> problem) {

    public Reading {
        EnumMap<Metric, Double> copy = new EnumMap<>(Metric.class);
        copy.putAll(values);
        values = Collections.unmodifiableMap(copy);
        extras = Collections.unmodifiableMap(new LinkedHashMap<>(extras));
    }

    /** Nothing could be measured. */
    public static Reading missing(String reason) {
        return new Reading(Map.of(), Map.of(), Optional.of(reason));
    }

    /** The value, NaN when it is missing. */
    public double get(Metric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects values; drops those that are no finite number. */
    public static final class Builder {
        private final EnumMap<Metric, Double> values = new EnumMap<>(Metric.class);
        private final Map<String, Double> extras = new LinkedHashMap<>();
        private String problem;

        public Builder put(Metric metric, double value) {
            if (Double.isFinite(value)) {
                values.put(metric, value);
            }
            return this;
        }

        public Builder extra(String name, double value) {
            if (Double.isFinite(value)) {
                extras.put(name, value);
            }
            return this;
        }

        public Builder problem(String reason) {
            problem = reason;
            return this;
        }

        public Reading build() {
            return new Reading(values, extras, Optional.ofNullable(problem));
        }
    }
}
