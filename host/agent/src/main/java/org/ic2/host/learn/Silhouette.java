// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * How well clusters are apart: the mean over the points of (b - a) / max(a, b), where a is a point's mean distance from the
 * others of its cluster and b that from the nearest other cluster; -1 to 1, the more the better.
 */
public final class Silhouette {
    /** Up to so many points it is exact; of more it is that of a sample of so many. */
    public static final int EXACT = 5000;

    private Silhouette() {
    }

    /**
     * The mean silhouette.
     *
     * @param labels the cluster of each point, 0 to k - 1
     * @param k      how many clusters there are, at least 2
     * @param random draws the sample where there are more than {@link #EXACT} points
     */
    public static double mean(double[][] points, int[] labels, int k, RandomGenerator random) {
        int[] sample = sample(points.length, random);
        int n = sample.length;
        int[] counts = new int[k];
        double[][] sums = new double[n][k];
        for (int i = 0; i < n; i++) {
            counts[labels[sample[i]]]++;
            for (int j = i + 1; j < n; j++) {
                double distance = Math.sqrt(KMeans.squared(points[sample[i]], points[sample[j]]));
                sums[i][labels[sample[j]]] += distance;
                sums[j][labels[sample[i]]] += distance;
            }
        }
        return IntStream.range(0, n).mapToDouble(i -> of(sums[i], counts, labels[sample[i]])).average().orElse(0);
    }

    /** A point alone in its cluster has 0. */
    private static double of(double[] sums, int[] counts, int own) {
        if (counts[own] < 2) {
            return 0;
        }
        double a = sums[own] / (counts[own] - 1);
        double b = Double.POSITIVE_INFINITY;
        for (int c = 0; c < sums.length; c++) {
            if (c != own && counts[c] > 0) {
                b = Math.min(b, sums[c] / counts[c]);
            }
        }
        double most = Math.max(a, b);
        return Double.isInfinite(b) || most == 0 ? 0 : (b - a) / most;
    }

    /** All, or the first of a shuffle. */
    private static int[] sample(int n, RandomGenerator random) {
        int[] all = IntStream.range(0, n).toArray();
        if (n <= EXACT) {
            return all;
        }
        for (int i = 0; i < EXACT; i++) {
            int other = i + random.nextInt(n - i);
            int moved = all[i];
            all[i] = all[other];
            all[other] = moved;
        }
        return Arrays.copyOf(all, EXACT);
    }
}
