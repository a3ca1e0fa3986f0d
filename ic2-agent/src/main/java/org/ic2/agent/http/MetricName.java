// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.util.Locale;
import java.util.Map;
import org.ic2.runtime.knob.Quantity;

/**
 * How Prometheus names a quantity: its column with its base unit behind it, as in {@code response_time_seconds}. It
 * follows from the table of the quantities, so that a new one needs no line here.
 *
 * @param text  the name, without the prefix that says of what it is
 * @param unit  the unit in words, for the help
 * @param scale how many base units one unit of the quantity is
 */
record MetricName(String text, String unit, double scale) {

    /** A unit whose word in a name is not its own; the empty word is that of a plain number. */
    private record Base(String word, double scale) {
    }

    private static final Map<String, Base> BASES = Map.of(
            "s", new Base("seconds", 1),
            "ns", new Base("seconds", 1e-9),
            "1/s", new Base("per_second", 1),
            "B/s", new Base("bytes_per_second", 1),
            "0..1", new Base("ratio", 1),
            "1", new Base("", 1));

    static MetricName of(Quantity metric) {
        Base base = BASES.getOrDefault(metric.unit(), new Base(word(metric.unit()), 1));
        String column = metric.column();
        boolean said = base.word().isEmpty() || column.endsWith("_" + base.word());
        return new MetricName(said ? column : column + "_" + base.word(),
                base.word().isEmpty() ? "a number without unit" : "in " + base.word().replace('_', ' '), base.scale());
    }

    /** A unit as part of a name, in which Prometheus allows no other signs. */
    private static String word(String unit) {
        return unit.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceAll("^_|_$", "");
    }

    double inBaseUnit(double value) {
        return value * scale;
    }
}
