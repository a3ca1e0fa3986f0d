// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import java.util.Collection;
import java.util.Comparator;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Something that can be set while a server runs. Its value is an integer in a unit of its own, so that "what runs is
 * what was wanted" is an exact question; a sample carries it as a {@link Quantity}, in the unit of that. Two knobs with
 * one {@link #key} are the same knob.
 */
public interface Knob extends Quantity {
    /** The order in which knobs are written: by rank, then by key. */
    Comparator<Knob> ORDER = Comparator.comparingInt(Knob::rank).thenComparing(Knob::key);

    /** The name in configuration files, rules and state files: lower-case words with {@code -} between them. */
    String key();

    /** The short name for people. */
    default String label() {
        return key();
    }

    /** The place in {@link #ORDER}; knobs that say nothing follow those that IC2 ships. */
    default int rank() {
        return Integer.MAX_VALUE;
    }

    /** The least value that can be at all, in the knob's own unit. */
    default int least() {
        return 0;
    }

    /** The greatest value that can be at all; a knob that has one needs neither baseline nor bounds in a file. */
    default OptionalInt most() {
        return OptionalInt.empty();
    }

    /** What stands for its value where nobody manages it, in the knob's own unit; not less than {@link #least}. */
    default int neutral() {
        return least();
    }

    /** True if a value can only stand for a knob that nobody manages, so that people need not read it. */
    default boolean unmanaged(int value) {
        return false;
    }

    /** Where a sample carries the value that was in force: the knob itself, unless a quantity of that column exists. */
    default Quantity quantity() {
        return this;
    }

    /** True if it may move where an actuator can move it and the configuration does not say what may. */
    default boolean leverByDefault() {
        return true;
    }

    /** How many of its own units make one unit of its column. */
    default int unitsPerColumn() {
        return 1;
    }

    /** A value for people and files; {@link #parse} reads it back if it is one that a file may name. */
    default String format(int value) {
        return Integer.toString(value);
    }

    /**
     * A value as a person writes it.
     *
     * @return in the knob's own unit
     * @throws IllegalArgumentException what was expected and what came, without the key
     */
    default int parse(String text) {
        if (!text.matches("\\d{1,7}")) {
            throw new IllegalArgumentException("expected a whole number without a unit, got \"" + text + "\"");
        }
        int value = Integer.parseInt(text);
        if (value < least()) {
            throw new IllegalArgumentException("expected at least " + format(least()) + ", got \"" + text + "\"");
        }
        return value;
    }

    /** A new set of knobs in their order, to be changed as the caller likes. */
    static SortedSet<Knob> set(Collection<? extends Knob> knobs) {
        SortedSet<Knob> set = new TreeSet<>(ORDER);
        set.addAll(knobs);
        return set;
    }
}
