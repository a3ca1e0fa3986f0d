// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The knobs and quantities that files may name. Whoever reads a file is given one, so that a knob or a quantity that a
 * plug-in brings is as good as one that IC2 ships. Immutable.
 */
public final class Vocabulary {
    private final Set<Knob> knobs;
    private final Map<String, Quantity> quantities;

    private Vocabulary(Collection<? extends Knob> knobs, Map<String, Quantity> quantities) {
        this.knobs = Collections.unmodifiableSet(Knob.set(knobs));
        this.quantities = Collections.unmodifiableMap(quantities);
    }

    /**
     * A vocabulary; where a sample carries a knob's value is a quantity, too.
     *
     * @throws IllegalArgumentException if a key or a column is taken by two, or is none
     */
    public static Vocabulary of(Collection<? extends Knob> knobs, Collection<? extends Quantity> quantities) {
        Map<String, Quantity> byColumn = new LinkedHashMap<>();
        Map<String, Knob> byKey = new LinkedHashMap<>();
        quantities.forEach(quantity -> take(byColumn, column(quantity), quantity, "quantities have the column"));
        knobs.forEach(knob -> take(byKey, key(knob), knob, "knobs have the key"));
        Knob.set(knobs).forEach(knob ->
                take(byColumn, column(knob), knob.quantity(), "quantities have the column"));
        return new Vocabulary(knobs, byColumn);
    }

    private static String column(Quantity quantity) {
        return matching(quantity.column(), "[a-z][a-z0-9_]*", "a column: lower-case letters, digits and _");
    }

    private static String key(Knob knob) {
        return matching(knob.key(), "[a-z][a-z0-9-]*", "a knob's key: lower-case letters, digits and -");
    }

    private static String matching(String name, String pattern, String expected) {
        if (!name.matches(pattern)) {
            throw new IllegalArgumentException("expected " + expected + ", got '" + name + "'");
        }
        return name;
    }

    private static <T> void take(Map<String, T> taken, String name, T value, String what) {
        T known = taken.putIfAbsent(name, value);
        if (known != null && !known.equals(value)) {
            throw new IllegalArgumentException("two " + what + " '" + name + "'");
        }
    }

    /**
     * The same with further knobs and quantities; one that is known already may come again.
     *
     * @throws IllegalArgumentException if another one has the key or the column of a known one
     */
    public Vocabulary with(Collection<? extends Knob> moreKnobs, Collection<? extends Quantity> moreQuantities) {
        return of(Stream.concat(knobs.stream(), moreKnobs.stream()).toList(),
                Stream.concat(quantities.values().stream(), moreQuantities.stream()).toList());
    }

    /** All knobs, in their order. */
    public Set<Knob> knobs() {
        return knobs;
    }

    /** The knobs' keys in their order, for messages. */
    public List<String> keys() {
        return knobs.stream().map(Knob::key).toList();
    }

    /** The knob of a key, if there is one. */
    public Optional<Knob> knob(String key) {
        return knobs.stream().filter(knob -> knob.key().equals(key)).findFirst();
    }

    /** All quantities by their column, in the order in which they came; knobs that are no other quantity at the end. */
    public Collection<Quantity> quantities() {
        return quantities.values();
    }

    /** The quantity of a column, if there is one. */
    public Optional<Quantity> quantity(String column) {
        return Optional.ofNullable(quantities.get(column));
    }
}
