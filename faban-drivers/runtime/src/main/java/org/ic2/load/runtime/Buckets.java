// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/**
 * Faban's buckets for response times: 300 of a two-hundredth of the largest limit, then 70 that are ten times as wide.
 * Its 90th percentile is the upper edge of a bucket, so limits near the wanted range give a fine figure.
 *
 * @param width width of a narrow bucket
 */
record Buckets(double width) {
    static final int NARROW = 300;
    static final int WIDE = 70;
    static final int COUNT = NARROW + WIDE;
    private static final int PER_LIMIT = 200;
    private static final int WIDE_FACTOR = 10;

    static Buckets forLimit(double largestLimit) {
        return new Buckets(largestLimit / PER_LIMIT);
    }

    /** The bucket of a value; the last one takes everything beyond. */
    int indexOf(double value) {
        double narrow = value / width;
        if (narrow < NARROW) {
            return Math.max(0, (int) narrow);
        }
        return (int) Math.min(COUNT - 1, NARROW + (narrow - NARROW) / WIDE_FACTOR);
    }

    double lowerEdge(int index) {
        return index < NARROW ? index * width : (NARROW + (double) (index - NARROW) * WIDE_FACTOR) * width;
    }

    /**
     * A percentile as Faban gives it.
     *
     * @param counts  values per bucket
     * @param percent 0..100
     * @return upper edge of the bucket, NaN without values
     */
    double percentile(long[] counts, double percent) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        if (total == 0) {
            return Double.NaN;
        }
        double wanted = total * percent / 100;
        long sum = 0;
        int i = -1;
        while (sum < wanted || i < 0) {
            sum += counts[++i];
        }
        return lowerEdge(i + 1);
    }
}
