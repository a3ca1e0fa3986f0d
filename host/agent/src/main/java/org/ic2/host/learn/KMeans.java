// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Clusters of points by Lloyd's algorithm, begun as k-means++ does, several times; the run with the least sum of squared
 * distances wins.
 */
public final class KMeans {
    /** How often it begins anew. */
    public static final int RESTARTS = 20;

    private static final int MOST_ROUNDS = 300;

    private KMeans() {
    }

    /**
     * What came of it.
     *
     * @param centres the means of the clusters, sorted by their first coordinate, then by the next
     * @param labels  the cluster of each point
     * @param inertia the sum of the squared distances of the points from their centres
     */
    public record Clusters(double[][] centres, int[] labels, double inertia) {
    }

    /**
     * The clusters of some points.
     *
     * @param points   each with the same number of coordinates, all finite
     * @param k        how many clusters
     * @param restarts how often it begins anew, at least once
     * @param random   where it begins: the same one finds the same clusters
     * @throws IllegalArgumentException if there are fewer than k different points
     */
    public static Clusters cluster(double[][] points, int k, int restarts, RandomGenerator random) {
        Clusters best = null;
        for (int i = 0; i < restarts; i++) {
            Clusters one = lloyd(points, begin(points, k, random));
            best = best == null || one.inertia() < best.inertia() ? one : best;
        }
        return sorted(best);
    }

    /** k-means++: each next centre is a point drawn with the square of its distance from the nearest centre so far. */
    private static double[][] begin(double[][] points, int k, RandomGenerator random) {
        double[][] centres = new double[k][];
        centres[0] = points[random.nextInt(points.length)].clone();
        double[] nearest = new double[points.length];
        Arrays.fill(nearest, Double.POSITIVE_INFINITY);
        for (int c = 1; c < k; c++) {
            double total = 0;
            for (int i = 0; i < points.length; i++) {
                nearest[i] = Math.min(nearest[i], squared(points[i], centres[c - 1]));
                total += nearest[i];
            }
            if (!(total > 0)) {
                throw new IllegalArgumentException("k-means: expected at least " + k + " different points, got " + c);
            }
            centres[c] = points[drawn(nearest, random.nextDouble() * total)].clone();
        }
        return centres;
    }

    private static int drawn(double[] weights, double at) {
        int last = 0;
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            if (weights[i] > 0) {
                last = i;
                sum += weights[i];
                if (sum > at) {
                    return i;
                }
            }
        }
        return last;
    }

    private static Clusters lloyd(double[][] points, double[][] centres) {
        int[] labels = new int[points.length];
        Arrays.fill(labels, -1);
        boolean moved = true;
        for (int round = 0; moved && round < MOST_ROUNDS; round++) {
            moved = assign(points, centres, labels);
            if (moved) {
                means(points, centres, labels);
            }
        }
        double inertia = IntStream.range(0, points.length).mapToDouble(i -> squared(points[i], centres[labels[i]])).sum();
        return new Clusters(centres, labels, inertia);
    }

    private static boolean assign(double[][] points, double[][] centres, int[] labels) {
        boolean moved = false;
        for (int i = 0; i < points.length; i++) {
            int nearest = nearest(points[i], centres);
            moved |= nearest != labels[i];
            labels[i] = nearest;
        }
        return moved;
    }

    /** The centre that is nearest to a point; the first of several. */
    static int nearest(double[] point, double[][] centres) {
        int nearest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int c = 0; c < centres.length; c++) {
            double distance = squared(point, centres[c]);
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        return nearest;
    }

    /** Each centre becomes the mean of its points; one without points takes the point that is farthest from its own. */
    private static void means(double[][] points, double[][] centres, int[] labels) {
        double[][] sums = new double[centres.length][points[0].length];
        int[] counts = new int[centres.length];
        for (int i = 0; i < points.length; i++) {
            counts[labels[i]]++;
            for (int d = 0; d < points[i].length; d++) {
                sums[labels[i]][d] += points[i][d];
            }
        }
        for (int c = 0; c < centres.length; c++) {
            if (counts[c] == 0) {
                centres[c] = points[farthest(points, centres, labels)].clone();
                continue;
            }
            for (int d = 0; d < sums[c].length; d++) {
                centres[c][d] = sums[c][d] / counts[c];
            }
        }
    }

    private static int farthest(double[][] points, double[][] centres, int[] labels) {
        int farthest = 0;
        double most = -1;
        for (int i = 0; i < points.length; i++) {
            double distance = squared(points[i], centres[labels[i]]);
            if (distance > most) {
                most = distance;
                farthest = i;
            }
        }
        return farthest;
    }

    private static Clusters sorted(Clusters clusters) {
        double[][] centres = clusters.centres();
        int[] order = IntStream.range(0, centres.length).boxed().sorted((a, b) -> Arrays.compare(centres[a], centres[b]))
                .mapToInt(Integer::intValue).toArray();
        int[] place = new int[order.length];
        double[][] moved = new double[order.length][];
        for (int i = 0; i < order.length; i++) {
            place[order[i]] = i;
            moved[i] = centres[order[i]];
        }
        int[] labels = Arrays.stream(clusters.labels()).map(label -> place[label]).toArray();
        return new Clusters(moved, labels, clusters.inertia());
    }

    /** The square of the Euclidean distance. */
    static double squared(double[] a, double[] b) {
        double sum = 0;
        for (int d = 0; d < a.length; d++) {
            sum += (a[d] - b[d]) * (a[d] - b[d]);
        }
        return sum;
    }
}
