// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import java.util.Arrays;

/** The last values of one metric and their median. Immutable. In JSON: the values, oldest first. */
public final class MedianWindow {
    /** How many values a window holds. */
    public static final int SIZE = 120;

    /** How many values make a median that can be used. */
    public static final int MIN_VALUES = 20;

    private final double[] recent;
    private final double[] sorted;

    private MedianWindow(double[] recent, double[] sorted) {
        this.recent = recent;
        this.sorted = sorted;
    }

    /** A window of these values, oldest first; of more than {@link #SIZE} the newest count. */
    public static MedianWindow of(double... values) {
        double[] recent = Arrays.copyOfRange(values, Math.max(0, values.length - SIZE), values.length);
        for (double value : recent) {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("median window: expected finite numbers, got " + value);
            }
        }
        double[] sorted = recent.clone();
        Arrays.sort(sorted);
        return new MedianWindow(recent, sorted);
    }

    /** The window with one more value; the oldest leaves a full one. */
    public MedianWindow plus(double value) {
        boolean full = recent.length == SIZE;
        int size = full ? SIZE : recent.length + 1;
        double[] next = Arrays.copyOfRange(recent, full ? 1 : 0, (full ? 1 : 0) + size);
        next[size - 1] = value;
        double[] order = new double[size];
        int out = full ? Arrays.binarySearch(sorted, recent[0]) : -1;
        int place = 0;
        boolean placed = false;
        for (int i = 0; i < sorted.length; i++) {
            if (i == out) {
                continue;
            }
            if (!placed && value < sorted[i]) {
                order[place++] = value;
                placed = true;
            }
            order[place++] = sorted[i];
        }
        if (!placed) {
            order[place] = value;
        }
        return new MedianWindow(next, order);
    }

    /** How many values there are. */
    public int size() {
        return recent.length;
    }

    /** The median, NaN if there are no values. */
    public double median() {
        int size = sorted.length;
        return size == 0 ? Double.NaN : (sorted[(size - 1) / 2] + sorted[size / 2]) / 2;
    }

    /** The values, oldest first. */
    public double[] values() {
        return recent.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MedianWindow that && Arrays.equals(recent, that.recent);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(recent);
    }

    @Override
    public String toString() {
        return "MedianWindow[" + size() + " values, median " + median() + "]";
    }
}
