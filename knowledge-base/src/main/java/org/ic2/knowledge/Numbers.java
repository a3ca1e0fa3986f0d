// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Numbers by name, in the order in which they were added; immutable. Two arrays: a decision carries half a hundred of
 * them each second, and nobody looks one up unless a person asks.
 */
public final class Numbers extends AbstractMap<String, Double> {
    private final String[] names;
    private final double[] values;

    private Numbers(String[] names, double[] values) {
        this.names = names;
        this.values = values;
    }

    /** The numbers of a map, in its order; the same object if it is one of these. */
    public static Numbers copyOf(Map<String, Double> map) {
        if (map instanceof Numbers numbers) {
            return numbers;
        }
        Builder builder = new Builder(map.size());
        map.forEach(builder::put);
        return builder.build();
    }

    @Override
    public int size() {
        return names.length;
    }

    @Override
    public Double get(Object name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return values[i];
            }
        }
        return null;
    }

    @Override
    public boolean containsKey(Object name) {
        return get(name) != null;
    }

    @Override
    public Set<Entry<String, Double>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<String, Double>> iterator() {
                return new Entries();
            }

            @Override
            public int size() {
                return names.length;
            }
        };
    }

    private final class Entries implements Iterator<Entry<String, Double>> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < names.length;
        }

        @Override
        public Entry<String, Double> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return Map.entry(names[next], values[next++]);
        }
    }

    /** Collects numbers; what is missing (NaN) is left out. */
    public static final class Builder {
        private String[] names;
        private double[] values;
        private int count;

        /** With room for so many; more find room, too. */
        public Builder(int room) {
            names = new String[Math.max(1, room)];
            values = new double[names.length];
        }

        /** Adds a number, whose name must be new. */
        public Builder put(String name, double value) {
            if (Double.isNaN(value)) {
                return this;
            }
            assert !Arrays.asList(names).subList(0, count).contains(name) : name;
            if (count == names.length) {
                names = Arrays.copyOf(names, 2 * count);
                values = Arrays.copyOf(values, 2 * count);
            }
            names[count] = name;
            values[count++] = value;
            return this;
        }

        /** Adds all numbers of a map. */
        public Builder putAll(Map<String, Double> more) {
            more.forEach(this::put);
            return this;
        }

        /** The numbers. */
        public Numbers build() {
            return new Numbers(Arrays.copyOf(names, count), Arrays.copyOf(values, count));
        }
    }
}
