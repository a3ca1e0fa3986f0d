// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Finds the regions of load in what was measured of a host (paper T, 3.5.1 and 4.2): k-means for each k, and the k whose mean
 * silhouette is the largest, the smaller of two that are alike.
 */
public final class Discoverer {
    private static final double SAME = 1e-9;

    private Discoverer() {
    }

    /**
     * What came of it.
     *
     * @param library     the regions, without settings
     * @param silhouettes the mean silhouette of each k that was tried
     */
    public record Found(Library library, Map<Integer, Double> silhouettes) {
        public Found {
            silhouettes = Collections.unmodifiableMap(new TreeMap<>(silhouettes));
        }
    }

    /**
     * The regions of some points.
     *
     * @param points in the order and units of {@link HostFeatures}, all finite
     * @param least  the least k, 2 or more
     * @param most   the greatest k
     * @param seed   the same seed finds the same regions
     * @throws IllegalArgumentException if the points or k do not do; the message is for people
     */
    public static Found discover(double[][] points, Scaling.Kind kind, int least, int most, long seed) {
        check(points, least, most);
        Scaling scaling = Scaling.fit(kind, points);
        double[][] scaled = Arrays.stream(points).map(scaling::scaled).toArray(double[][]::new);
        Map<Integer, Double> silhouettes = new TreeMap<>();
        KMeans.Clusters best = null;
        double largest = Double.NEGATIVE_INFINITY;
        for (int k = least; k <= most; k++) {
            KMeans.Clusters clusters = KMeans.cluster(scaled, k, KMeans.RESTARTS, new SplittableRandom(seed + k));
            double silhouette = Silhouette.mean(scaled, clusters.labels(), k, new SplittableRandom(seed));
            silhouettes.put(k, silhouette);
            if (silhouette > largest + SAME) {
                largest = silhouette;
                best = clusters;
            }
        }
        return new Found(new Library(scaling, largest, regions(scaled, best, scaling)), silhouettes);
    }

    private static void check(double[][] points, int least, int most) {
        if (least < 2 || most < least) {
            throw new IllegalArgumentException("k: expected a least of 2 or more and a greatest not below it, got " + least + ".."
                    + most);
        }
        for (int i = 0; i < points.length; i++) {
            if (points[i].length != HostFeatures.KEYS.size() || !Arrays.stream(points[i]).allMatch(Double::isFinite)) {
                throw new IllegalArgumentException("point " + (i + 1) + ": expected " + HostFeatures.KEYS + ", all finite, got "
                        + Arrays.toString(points[i]));
            }
        }
        long different = Arrays.stream(points).map(Arrays::toString).distinct().count();
        if (different < most) {
            throw new IllegalArgumentException("k: expected at least " + most + " different points for k up to " + most + ", got "
                    + different + "; record longer, or take a smaller k");
        }
    }

    private static List<Region> regions(double[][] scaled, KMeans.Clusters clusters, Scaling scaling) {
        List<Region> regions = new ArrayList<>();
        for (int c = 0; c < clusters.centres().length; c++) {
            int cluster = c;
            double[] centre = clusters.centres()[c];
            double[] distances = IntStream.range(0, scaled.length).filter(i -> clusters.labels()[i] == cluster)
                    .mapToDouble(i -> Math.sqrt(KMeans.squared(scaled[i], centre))).sorted().toArray();
            double radius = distances[(int) Math.ceil(0.99 * distances.length) - 1];
            regions.add(new Region(c + 1, Arrays.stream(scaling.original(centre)).boxed().toList(), radius, distances.length,
                    Optional.empty()));
        }
        return regions;
    }
}
