// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The division of what does not suffice for all. */
class ArbiterTest {
    private static double[] grants(Arbiter arbiter, double[] wishes, double[] minima, double capacity) {
        return arbiter.divide(wishes, minima, capacity).grants();
    }

    @Test
    void whatFitsIsGranted() {
        Arbiter.Division division = Arbiter.WATER_FILLING.divide(new double[] {300, 700}, new double[] {230, 230}, 1000);
        assertThat(division.grants()).containsExactly(300, 700);
        assertThat(division.scarce()).isFalse();
        assertThat(division.alarm()).isFalse();
    }

    @Test
    void minimaAreKeptAndTheRestIsCutInProportion() {
        // in proportion 200, 400, 400; the first is below 230, and the others share what is left
        assertThat(grants(Arbiter.WATER_FILLING, new double[] {300, 600, 600}, new double[] {230, 230, 230}, 1000))
                .containsExactly(new double[] {230, 385, 385}, within(1e-9));
        assertThat(grants(Arbiter.PAPER, new double[] {300, 600, 600}, new double[] {230, 230, 230}, 1000))
                .containsExactly(new double[] {200, 400, 400}, within(1e-9));
        // fixing one pushes the next below its minimum
        assertThat(grants(Arbiter.WATER_FILLING, new double[] {300, 350, 1000}, new double[] {290, 220, 100}, 1000))
                .containsExactly(new double[] {290, 220, 490}, within(1e-9));
    }

    @Test
    void minimaThatDoNotFitAreCutAndAnAlarm() {
        Arbiter.Division division = Arbiter.WATER_FILLING.divide(new double[] {900, 900}, new double[] {300, 900}, 600);
        assertThat(division.grants()).containsExactly(new double[] {150, 450}, within(1e-9));
        assertThat(division.alarm()).isTrue();
        assertThat(division.scarce()).isTrue();
    }

    @Test
    void aHundredThousandDivisionsKeepMinimaWishesAndCapacity() {
        SplittableRandom random = new SplittableRandom(23);
        for (int i = 0; i < 100_000; i++) {
            int n = 1 + random.nextInt(12);
            double[] minima = random.doubles(n, 0.01, 3).toArray();
            double[] wishes = Arrays.stream(minima).map(least -> least + random.nextDouble() * 5).toArray();
            double capacity = random.nextDouble() * 40;
            Arbiter.Division division = Arbiter.WATER_FILLING.divide(wishes, minima, capacity);
            double sum = Arrays.stream(division.grants()).sum();
            boolean alarm = Arrays.stream(minima).sum() > capacity;
            boolean right = division.alarm() == alarm
                    && Math.abs(sum - Math.min(capacity, Arrays.stream(wishes).sum())) < 1e-9;
            for (int g = 0; g < n; g++) {
                right &= division.grants()[g] <= wishes[g] + 1e-9 && (alarm || division.grants()[g] >= minima[g] - 1e-9);
            }
            if (!right) {
                fail(Arrays.toString(wishes) + ", at least " + Arrays.toString(minima) + ", of " + capacity + ": "
                        + Arrays.toString(division.grants()));
            }
        }
    }
}
