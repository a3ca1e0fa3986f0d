// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/** Sums over the operations of one kind. Times in seconds. Not safe for several threads. */
final class Totals {
    final long[] histogram = new long[Buckets.COUNT];
    private long successes;
    private long failures;
    private double sum;
    private double squares;
    private double max;

    void success(double seconds) {
        successes++;
        sum += seconds;
        squares += seconds * seconds;
        max = Math.max(max, seconds);
    }

    void failure() {
        failures++;
    }

    long successes() {
        return successes;
    }

    long failures() {
        return failures;
    }

    /** Sum of the response times of successful operations, seconds. */
    double sum() {
        return sum;
    }

    double max() {
        return successes == 0 ? Double.NaN : max;
    }

    double mean() {
        return successes == 0 ? Double.NaN : sum / successes;
    }

    double deviation() {
        if (successes < 2) {
            return successes == 0 ? Double.NaN : 0;
        }
        return Math.sqrt(Math.max(0, (squares - sum * sum / successes) / (successes - 1)));
    }
}
