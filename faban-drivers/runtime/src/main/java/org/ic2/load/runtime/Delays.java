// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/** Targeted and actual delays after the operations of one kind, in the steady state. Seconds. Not safe for several threads. */
final class Delays {
    static final int BUCKETS = 100;

    final long[] actualCounts = new long[BUCKETS];
    final long[] targetCounts = new long[BUCKETS];
    private final double width;
    private long count;
    private double targetSum;
    private double actualSum;
    private double min = Double.POSITIVE_INFINITY;
    private double max;

    Delays(CycleTimes cycle) {
        width = cycle.maxMs() / 1000 / BUCKETS;
    }

    void add(double target, double actual) {
        count++;
        targetSum += target;
        actualSum += actual;
        min = Math.min(min, actual);
        max = Math.max(max, actual);
        targetCounts[bucket(target)]++;
        actualCounts[bucket(actual)]++;
    }

    private int bucket(double seconds) {
        return (int) Math.min(BUCKETS - 1, seconds / width);
    }

    /** Width of a bucket, seconds. */
    double width() {
        return width;
    }

    double actualSum() {
        return actualSum;
    }

    double targetMean() {
        return count == 0 ? Double.NaN : targetSum / count;
    }

    double actualMean() {
        return count == 0 ? Double.NaN : actualSum / count;
    }

    double min() {
        return count == 0 ? Double.NaN : min;
    }

    double max() {
        return count == 0 ? Double.NaN : max;
    }
}
