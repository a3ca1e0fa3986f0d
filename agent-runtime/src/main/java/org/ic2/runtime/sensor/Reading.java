// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.knob.Quantity;

/**
 * What one sensor saw in one interval. Unknown is a value: what could not be measured is absent, never 0.
 *
 * @param values  finite numbers by quantity, in the order of the columns, in the quantity's unit
 * @param extras  numbers that no rule looks at, by a name in snake_case, for {@code check} and {@code /metrics}
 * @param problem why something is missing, in words for the tenant; empty when all is well
 */
public record Reading(Map<Quantity, Double> values, Map<String, Double> extras, Optional<String> problem) {

    /** Two quantities with one column are the same. */
    private static final Comparator<Quantity> ORDER = Comparator.comparing(Quantity::column);

    public Reading {
        Map<Quantity, Double> copy = new TreeMap<>(ORDER);
        copy.putAll(values);
        values = Collections.unmodifiableMap(copy);
        extras = Collections.unmodifiableMap(new LinkedHashMap<>(extras));
    }

    /** Nothing could be measured. */
    public static Reading missing(String reason) {
        return new Reading(Map.of(), Map.of(), Optional.of(BoundedText.brief(reason)));
    }

    /** The value, NaN when it is missing. */
    public double get(Quantity quantity) {
        return values.getOrDefault(quantity, Double.NaN);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects values; drops those that are no finite number. */
    public static final class Builder {
        private final Map<Quantity, Double> values = new TreeMap<>(ORDER);
        private final Map<String, Double> extras = new LinkedHashMap<>();
        private String problem;

        public Builder put(Quantity quantity, double value) {
            if (Double.isFinite(value)) {
                values.put(quantity, value);
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
            problem = BoundedText.brief(reason);
            return this;
        }

        public Reading build() {
            return new Reading(values, extras, Optional.ofNullable(problem));
        }
    }
}
