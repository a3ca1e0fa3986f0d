// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Values of some knobs, in their order; each an integer in the knob's own unit, none below the knob's least. Immutable.
 */
public final class Settings {
    private static final Settings NONE = new Settings(new Knob[0], new int[0]);
    private static final int FEW = 16;      // are looked through one by one; a host of many guests has thousands

    /** In their order; the same array for all settings of the same knobs, as far as one was made from the other. */
    private final Knob[] knobs;
    private final int[] values;

    private Settings(Knob[] knobs, int[] values) {
        this.knobs = knobs;
        this.values = values;
    }

    /** No knob at all. */
    public static Settings none() {
        return NONE;
    }

    /** One knob. */
    public static Settings of(Knob knob, int value) {
        return NONE.with(knob, value);
    }

    /**
     * The values of a map.
     *
     * @throws IllegalArgumentException if a value is below its knob's least
     */
    public static Settings of(Map<? extends Knob, Integer> values) {
        TreeMap<Knob, Integer> sorted = new TreeMap<>(Knob.ORDER);
        sorted.putAll(values);
        sorted.forEach(Settings::check);
        return new Settings(sorted.keySet().toArray(Knob[]::new),
                sorted.values().stream().mapToInt(Integer::intValue).toArray());
    }

    private static void check(Knob knob, int value) {
        if (value < knob.least()) {
            throw new IllegalArgumentException(knob.key() + ": expected at least " + knob.format(knob.least())
                    + ", got " + knob.format(value));
        }
    }

    private int place(Knob knob) {
        return place(knobs, knob);
    }

    private static int place(Knob[] knobs, Knob knob) {
        int found = knobs.length > FEW ? Arrays.binarySearch(knobs, knob, Knob.ORDER) : -1;
        if (found >= 0) {
            return found;
        }
        for (int i = 0; i < knobs.length; i++) {
            if (knobs[i] == knob) {
                return i;
            }
        }
        for (int i = 0; i < knobs.length; i++) {
            if (knobs[i].key().equals(knob.key())) {
                return i;
            }
        }
        return -1;
    }

    /** The knobs that have a value, in their order. */
    public Set<Knob> knobs() {
        return new Knobs(knobs);
    }

    /** A set of few knobs in their order; what is decided each second need not build a tree of them. */
    private static final class Knobs extends AbstractSet<Knob> {
        private final Knob[] knobs;

        Knobs(Knob[] knobs) {
            this.knobs = knobs;
        }

        @Override
        public Iterator<Knob> iterator() {
            return List.of(knobs).iterator();
        }

        @Override
        public int size() {
            return knobs.length;
        }

        @Override
        public boolean contains(Object other) {
            return other instanceof Knob knob && place(knobs, knob) >= 0;
        }
    }

    /** The values by knob, in their order. */
    public Map<Knob, Integer> values() {
        TreeMap<Knob, Integer> map = new TreeMap<>(Knob.ORDER);
        for (int i = 0; i < knobs.length; i++) {
            map.put(knobs[i], values[i]);
        }
        return Collections.unmodifiableMap(map);
    }

    /** True if no knob has a value. */
    public boolean isEmpty() {
        return knobs.length == 0;
    }

    /** True if the knob has a value. */
    public boolean has(Knob knob) {
        return place(knob) >= 0;
    }

    /**
     * The value of a knob, in the knob's own unit.
     *
     * @throws IllegalArgumentException if it has none
     */
    public int get(Knob knob) {
        int place = place(knob);
        if (place < 0) {
            throw new IllegalArgumentException(knob.key() + ": no value; there is " + describe());
        }
        return values[place];
    }

    /**
     * The same with one value set.
     *
     * @param value in the knob's own unit
     * @throws IllegalArgumentException if it is below the knob's least
     */
    public Settings with(Knob knob, int value) {
        check(knob, value);
        int place = place(knob);
        if (place < 0) {
            TreeMap<Knob, Integer> more = new TreeMap<>(Knob.ORDER);
            more.putAll(values());
            more.put(knob, value);
            return of(more);
        }
        if (values[place] == value) {
            return this;
        }
        int[] changed = values.clone();
        changed[place] = value;
        return new Settings(knobs, changed);
    }

    /** The same with every value of {@code other}. */
    public Settings with(Settings other) {
        if (other.knobs.length > FEW) {
            return withMany(other);
        }
        Settings result = this;
        for (int i = 0; i < other.knobs.length; i++) {
            result = result.with(other.knobs[i], other.values[i]);
        }
        return result;
    }

    private Settings withMany(Settings other) {
        int[] changed = values.clone();
        TreeMap<Knob, Integer> more = new TreeMap<>(Knob.ORDER);
        for (int i = 0; i < other.knobs.length; i++) {
            int place = place(other.knobs[i]);
            if (place < 0) {
                more.put(other.knobs[i], other.values[i]);
            } else {
                changed[place] = other.values[i];
            }
        }
        Settings same = Arrays.equals(changed, values) ? this : new Settings(knobs, changed);
        more.putAll(same.values());
        return more.size() == knobs.length ? same : of(more);
    }

    /** The values of these knobs, as far as there are any. */
    public Settings only(Collection<? extends Knob> some) {
        if (knobs.length <= FEW || some.size() > FEW) {
            return filtered(among(some));
        }
        int[] places = some.stream().mapToInt(this::place).filter(place -> place >= 0).sorted().distinct().toArray();
        return new Settings(Arrays.stream(places).mapToObj(at -> knobs[at]).toArray(Knob[]::new), Arrays.stream(places).map(at -> values[at]).toArray());
    }

    /** The values of all other knobs. */
    public Settings without(Collection<? extends Knob> some) {
        return filtered(among(some).negate());
    }

    private BiPredicate<Knob, Integer> among(Collection<? extends Knob> some) {
        if (knobs.length > FEW && some.size() > FEW) {
            Set<String> keys = some.stream().map(Knob::key).collect(Collectors.toSet());
            return (knob, value) -> keys.contains(knob.key());
        }
        return (knob, value) -> {
            for (Knob one : some) {
                if (one == knob || one.key().equals(knob.key())) {
                    return true;
                }
            }
            return false;
        };
    }

    private Settings filtered(BiPredicate<Knob, Integer> keep) {
        Knob[] kept = new Knob[knobs.length];
        int[] with = new int[knobs.length];
        int count = 0;
        for (int i = 0; i < knobs.length; i++) {
            if (keep.test(knobs[i], values[i])) {
                kept[count] = knobs[i];
                with[count++] = values[i];
            }
        }
        return count == knobs.length ? this : new Settings(Arrays.copyOf(kept, count), Arrays.copyOf(with, count));
    }

    /** True if both have the same value for the knob, or both have none. */
    public boolean same(Settings other, Knob knob) {
        int here = place(knob);
        int there = other.place(knob);
        return here < 0 || there < 0 ? here == there : values[here] == other.values[there];
    }

    /** The knobs whose values differ, or that only one of both has. */
    public Set<Knob> diff(Settings other) {
        SortedSet<Knob> all = Knob.set(knobs());
        all.addAll(other.knobs());
        all.removeIf(knob -> same(other, knob));
        return Collections.unmodifiableSet(all);
    }

    /** The way to other values in words, of the knobs that both have: {@code mitigation 0 -> 1, ...}. */
    public String changes(Settings to) {
        return differences(to, " ", " -> ");
    }

    /**
     * The knobs that both have and whose values differ, in words: key, {@code before}, value here, {@code between},
     * value there.
     */
    public String differences(Settings there, String before, String between) {
        StringJoiner text = new StringJoiner(", ");
        for (int i = 0; i < knobs.length; i++) {
            int other = there.place(knobs[i]);
            if (other >= 0 && there.values[other] != values[i]) {
                text.add(knobs[i].key() + before + knobs[i].format(values[i]) + between
                        + knobs[i].format(there.values[other]));
            }
        }
        return text.toString();
    }

    /** The values without those that only stand for knobs that nobody manages. */
    public Settings managed() {
        return filtered((knob, value) -> !knob.unmanaged(value));
    }

    /** For people: {@code MXC 650, KAT 5s, PHP 50, mitigation 0}, as far as they are {@link #managed}. */
    public String describe() {
        StringJoiner text = new StringJoiner(", ");
        for (int i = 0; i < knobs.length; i++) {
            if (knobs[i].unmanaged(values[i])) {
                continue;
            }
            text.add(knobs[i].label() + " " + knobs[i].format(values[i]));
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Settings that && Arrays.equals(values, that.values) && sameKnobs(that);
    }

    private boolean sameKnobs(Settings that) {
        if (knobs == that.knobs) {
            return true;
        }
        for (int i = 0; i < knobs.length; i++) {
            if (knobs[i] != that.knobs[i] && !knobs[i].key().equals(that.knobs[i].key())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return describe();
    }
}
