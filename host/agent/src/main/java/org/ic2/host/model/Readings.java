// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.EnumMap;
import java.util.Map;

/**
 * Some metrics' values, and why others have none.
 *
 * @param <Q> of what
 */
public final class Readings<Q extends Enum<Q>> {
    private final EnumMap<Q, Double> values;
    private final EnumMap<Q, String> missing;

    public Readings(Class<Q> of) {
        values = new EnumMap<>(of);
        missing = new EnumMap<>(of);
    }

    private Readings(Readings<Q> other) {
        values = new EnumMap<>(other.values);
        missing = new EnumMap<>(other.missing);
    }

    /** The same with one value; NaN and infinities are none. */
    public Readings<Q> with(Q metric, double value) {
        if (!Double.isFinite(value)) {
            return without(metric, "no number");
        }
        Readings<Q> more = new Readings<>(this);
        more.values.put(metric, value);
        more.missing.remove(metric);
        return more;
    }

    /** The same with a reason why there is no value. */
    public Readings<Q> without(Q metric, String why) {
        Readings<Q> more = new Readings<>(this);
        more.values.remove(metric);
        more.missing.put(metric, why);
        return more;
    }

    /** The value; NaN if there is none. */
    public double get(Q metric) {
        return values.getOrDefault(metric, Double.NaN);
    }

    /** Why there is no value; {@code not measured} where nobody said. */
    public String why(Q metric) {
        return values.containsKey(metric) ? "" : missing.getOrDefault(metric, "not measured");
    }

    /** Why others have none, as far as somebody said. */
    public Map<Q, String> missing() {
        return java.util.Collections.unmodifiableMap(missing);
    }

    /** All values that there are. */
    public Map<Q, Double> values() {
        return java.util.Collections.unmodifiableMap(values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Readings<?> that && values.equals(that.values) && missing.equals(that.missing);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values + (missing.isEmpty() ? "" : " missing " + missing);
    }
}
