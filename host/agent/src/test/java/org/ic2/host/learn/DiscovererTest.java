// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Comparator;
import org.junit.jupiter.api.Test;

/** The regions of load that are found where it is known which there are. */
class DiscovererTest {
    private static final long SEED = 1;

    @Test
    void fiveTightRegionsOfThePaperAreFound() {
        Discoverer.Found found = Discoverer.discover(Table1.points(Table1.TIGHT, SEED), Scaling.Kind.ZSCORE, 3, 10, SEED);
        Library library = found.library();
        assertThat(library.regions()).hasSize(5);
        assertThat(found.silhouettes()).containsOnlyKeys(3, 4, 5, 6, 7, 8, 9, 10);
        assertThat(library.silhouette()).isGreaterThanOrEqualTo(0.78).isEqualTo(found.silhouettes().get(5));
        for (double[] centre : Table1.CENTRES) {
            Region region = library.nearest(centre).region();
            for (int d = 0; d < centre.length; d++) {
                // a tenth of 0.54 Mbit/s is less than the error of the mean of 576 points that are spread by 2
                assertThat(region.centre().get(d)).isCloseTo(centre[d], within(Math.max(0.1 * centre[d], 0.35)));
            }
            assertThat(region.points()).isEqualTo(Table1.POINTS / 5);
        }
        assertThat(library.regions()).isSortedAccordingTo(Comparator.comparing(region -> region.centre().get(0)));
    }

    @Test
    void withoutScalingTheNetworkDecidesAndTwoRegionsMerge() {
        assertThat(Discoverer.discover(Table1.points(Table1.TIGHT, SEED), Scaling.Kind.NONE, 3, 10, SEED).library().regions())
                .hasSize(4);
    }

    @Test
    void whereRegionsAreWideTwoMerge() {
        assertThat(Discoverer.discover(Table1.points(Table1.WIDE, SEED), Scaling.Kind.ZSCORE, 3, 10, SEED).library().regions())
                .hasSize(4);
    }

    @Test
    void nearlyAllPointsOfARegionAreKnownAndWhatIsFarFromAllIsNot() {
        double[][] points = Table1.points(Table1.TIGHT, SEED);
        Library library = Discoverer.discover(points, Scaling.Kind.ZSCORE, 5, 5, SEED).library();
        long known = java.util.Arrays.stream(points).filter(point -> library.nearest(point).known()).count();
        assertThat((double) known / points.length).isBetween(0.985, 0.995);
        assertThat(library.nearest(new double[] {5, 9, 2, 60}).known()).isFalse();
        assertThat(library.nearest(new double[] {91.8, 5.71, 15.60, 60}).known()).isFalse();
    }

    @Test
    void theSameSeedFindsTheSame() {
        double[][] points = Table1.points(Table1.WIDE, 3);
        assertThat(Discoverer.discover(points, Scaling.Kind.ZSCORE, 3, 5, 7)).isEqualTo(
                Discoverer.discover(points, Scaling.Kind.ZSCORE, 3, 5, 7));
    }

    @Test
    void tooFewOrBadPointsAreSaid() {
        double[] point = {1, 2, 3, 4};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Discoverer.discover(new double[][] {point, point}, Scaling.Kind.NONE, 3, 10, 1))
                .withMessageContaining("at least 10 different points").withMessageContaining("got 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Discoverer.discover(new double[][] {point, {1, 2, Double.NaN, 4}}, Scaling.Kind.NONE, 2, 2, 1))
                .withMessageContaining("point 2").withMessageContaining("NaN");
        assertThatIllegalArgumentException().isThrownBy(() -> Discoverer.discover(new double[][] {point}, Scaling.Kind.NONE, 1,
                3, 1))
                .withMessageContaining("k:");
    }
}
