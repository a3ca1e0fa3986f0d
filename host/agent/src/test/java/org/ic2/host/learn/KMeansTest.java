// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Clusters and their silhouettes. */
class KMeansTest {
    private static final double[][] LINE = {{0}, {1}, {10}, {11}, {12}};

    @Test
    void clustersAreTheMeansOfTheirPoints() {
        KMeans.Clusters clusters = KMeans.cluster(LINE, 2, 5, new SplittableRandom(1));
        assertThat(clusters.centres()).isDeepEqualTo(new double[][] {{0.5}, {11}});
        assertThat(clusters.labels()).containsExactly(0, 0, 1, 1, 1);
        assertThat(clusters.inertia()).isEqualTo(2.5);
    }

    @Test
    void asManyClustersAsPointsLeaveNothingBetween() {
        KMeans.Clusters clusters = KMeans.cluster(LINE, 5, 1, new SplittableRandom(1));
        assertThat(clusters.inertia()).isZero();
        assertThat(clusters.labels()).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void moreClustersThanDifferentPointsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KMeans.cluster(new double[][] {{1}, {1}, {2}}, 3, 5, new SplittableRandom(1)))
                .withMessageContaining("at least 3 different points");
    }

    @Test
    void moreClustersNeverFitWorse() {
        double[][] points = Table1.points(Table1.WIDE, 5);
        double before = Double.POSITIVE_INFINITY;
        for (int k = 1; k <= 8; k++) {
            double inertia = KMeans.cluster(points, k, KMeans.RESTARTS, new SplittableRandom(2)).inertia();
            assertThat(inertia).isLessThan(before);
            before = inertia;
        }
    }

    @Test
    void silhouetteByHand() {
        // a and b of each: (1, 11), (1, 10), (1.5, 9.5), (1, 10.5), (1.5, 11.5)
        double mean = (10 / 11.0 + 9 / 10.0 + 8 / 9.5 + 9.5 / 10.5 + 10 / 11.5) / 5;
        assertThat(Silhouette.mean(LINE, new int[] {0, 0, 1, 1, 1}, 2, new SplittableRandom(1))).isCloseTo(mean, within(1e-12));
        assertThat(Silhouette.mean(LINE, new int[] {0, 1, 1, 1, 1}, 2, new SplittableRandom(1))).isLessThan(mean);
    }

    @Test
    void pointsThatAreAllAloneOrAllAlikeHaveNone() {
        assertThat(Silhouette.mean(LINE, new int[] {0, 1, 2, 3, 4}, 5, new SplittableRandom(1))).isZero();
        assertThat(Silhouette.mean(new double[][] {{1}, {1}, {1}, {1}}, new int[] {0, 0, 1, 1}, 2, new SplittableRandom(1)))
                .isZero();
    }

    @Test
    void theSampleOfManyPointsIsNearToAll() {
        double[][] many = new double[3 * Table1.POINTS][];
        for (int i = 0; i < 3; i++) {
            System.arraycopy(Table1.points(Table1.TIGHT, i), 0, many, i * Table1.POINTS, Table1.POINTS);
        }
        Scaling scaling = Scaling.fit(Scaling.Kind.ZSCORE, many);
        double[][] scaled = Arrays.stream(many).map(scaling::scaled).toArray(double[][]::new);
        int[] labels = KMeans.cluster(scaled, 5, 5, new SplittableRandom(1)).labels();
        double[][] some = Arrays.copyOf(scaled, Table1.POINTS);
        double exact = Silhouette.mean(some, Arrays.copyOf(labels, some.length), 5, new SplittableRandom(1));
        assertThat(Silhouette.mean(scaled, labels, 5, new SplittableRandom(1))).isCloseTo(exact, within(0.02));
    }

    @Test
    void scalingGoesBackAndForth() {
        double[][] points = Table1.points(Table1.TIGHT, 1);
        for (Scaling.Kind kind : Scaling.Kind.values()) {
            Scaling scaling = Scaling.fit(kind, points);
            assertThat(scaling.original(scaling.scaled(points[7]))).containsExactly(points[7], within(1e-9));
            assertThat(Scaling.Kind.of(kind.key())).contains(kind);
        }
        assertThat(Scaling.fit(Scaling.Kind.ZSCORE, new double[][] {{5, 1}, {5, 3}}).scaled(new double[] {5, 3}))
                .containsExactly(0, 1);
    }
}
