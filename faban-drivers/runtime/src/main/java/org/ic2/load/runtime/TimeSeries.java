// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.ArrayList;
import java.util.List;

/** Counts and times per operation and bucket of time since ramp-up, by the end of the operation. Not safe for several threads. */
final class TimeSeries {
    private final int operations;
    private final long bucketNanos;
    private final List<long[]> counts = new ArrayList<>();
    private final List<double[]> sums = new ArrayList<>();

    TimeSeries(int operations, long bucketNanos) {
        this.operations = operations;
        this.bucketNanos = bucketNanos;
    }

    void add(int operation, long elapsedNanos, double seconds) {
        int bucket = (int) (elapsedNanos / bucketNanos);
        while (counts.size() <= bucket) {
            counts.add(new long[operations]);
            sums.add(new double[operations]);
        }
        counts.get(bucket)[operation]++;
        sums.get(bucket)[operation] += seconds;
    }

    int size() {
        return counts.size();
    }

    /** Width of a bucket, seconds. */
    double width() {
        return bucketNanos / 1e9;
    }

    double throughput(int bucket, int operation) {
        return counts.get(bucket)[operation] / width();
    }

    /** Mean response time, seconds; NaN when nothing ended in the bucket. */
    double mean(int bucket, int operation) {
        long n = counts.get(bucket)[operation];
        return n == 0 ? Double.NaN : sums.get(bucket)[operation] / n;
    }
}
