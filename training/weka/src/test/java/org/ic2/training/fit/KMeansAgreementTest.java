// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.ic2.host.learn.KMeans;
import org.ic2.host.learn.Scaling;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import weka.clusterers.SimpleKMeans;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.EuclideanDistance;
import weka.core.Instances;
import weka.core.SelectedTag;

/** The k-means of the host's agent, which must not link Weka, beside Weka's. */
class KMeansAgreementTest {
    /** iTune's Table 1: CPU %, ratio, VMs, Mbit/s. */
    private static final double[][] CENTRES = {{91.8, 5.71, 15.60, 24.28}, {19.5, 1.30, 10.17, 0.54}, {21.12, 2.28, 10.96, 109.90},
        {59.06, 4.82, 12.73, 22.18}, {31.43, 4.26, 12.57, 1.39}};
    private static final double[] SPREAD = {2, 0.12, 0.4, 2};

    @BeforeAll
    static void weka() {
        WekaHome.prepare();
    }

    /** With each spread the same clusters, point by point, and the same sum of squares. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 2.5})
    void theSameClustersAsWekas(double wider) throws Exception {
        double[][] points = points(wider);
        KMeans.Clusters ours = KMeans.cluster(points, CENTRES.length, KMeans.RESTARTS, new SplittableRandom(1));
        SimpleKMeans wekas = weka(points);
        assertThat(ours.inertia()).isCloseTo(wekas.getSquaredError(), within(1e-6));
        int[] labels = wekas.getAssignments();
        Map<Integer, Integer> ourNames = new HashMap<>();
        for (int i = 0; i < points.length; i++) {
            ourNames.putIfAbsent(labels[i], ours.labels()[i]);
            assertThat(ours.labels()[i]).as("point %d", i).isEqualTo(ourNames.get(labels[i]));
        }
        assertThat(ourNames.values()).hasSize(CENTRES.length).doesNotHaveDuplicates();
    }

    /** 2880 points around the centres, z-scores. */
    private static double[][] points(double wider) {
        SplittableRandom random = new SplittableRandom(1);
        double[][] points = new double[2880][CENTRES[0].length];
        for (int i = 0; i < points.length; i++) {
            for (int d = 0; d < SPREAD.length; d++) {
                points[i][d] = CENTRES[i % CENTRES.length][d] + wider * SPREAD[d] * random.nextGaussian();
            }
        }
        Scaling scaling = Scaling.fit(Scaling.Kind.ZSCORE, points);
        return Arrays.stream(points).map(scaling::scaled).toArray(double[][]::new);
    }

    /** The best of as many runs as ours begins; distances as they are. */
    private static SimpleKMeans weka(double[][] points) throws Exception {
        ArrayList<Attribute> attributes = new ArrayList<>();
        for (int d = 0; d < points[0].length; d++) {
            attributes.add(new Attribute("x" + d));
        }
        Instances data = new Instances("points", attributes, points.length);
        for (double[] point : points) {
            data.add(new DenseInstance(1, point.clone()));
        }
        SimpleKMeans best = null;
        for (int seed = 1; seed <= KMeans.RESTARTS; seed++) {
            SimpleKMeans one = new SimpleKMeans();
            one.setNumClusters(CENTRES.length);
            one.setSeed(seed);
            one.setPreserveInstancesOrder(true);
            one.setInitializationMethod(new SelectedTag(SimpleKMeans.KMEANS_PLUS_PLUS, SimpleKMeans.TAGS_SELECTION));
            EuclideanDistance distance = new EuclideanDistance();
            distance.setDontNormalize(true);
            one.setDistanceFunction(distance);
            one.buildClusterer(data);
            best = best == null || one.getSquaredError() < best.getSquaredError() ? one : best;
        }
        return best;
    }
}
