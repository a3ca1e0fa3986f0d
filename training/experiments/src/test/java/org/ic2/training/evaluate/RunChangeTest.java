// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The change of a figure over runs. */
class RunChangeTest {
    private static final int EXPERIMENTS = 20_000;
    private static final double TRUTH = -0.3;
    /** Of the logarithm of a run's ratio. */
    private static final double SPREAD = 0.4;

    @Test
    void theIntervalIsStudentsOfTheLogarithms() {
        Estimate change = RunChange.of(new double[] {50, 60, 70, 40, 55}, new double[] {100, 100, 100, 100, 100});
        assertThat(change.value()).as("geometric mean").isCloseTo(Math.pow(0.5 * 0.6 * 0.7 * 0.4 * 0.55, 0.2) - 1, within(1e-9));
        assertThat(change.low()).as("worked out by hand: t(4) = 2.776, s = 0.2090").isCloseTo(-0.5829, within(1e-4));
        assertThat(change.high()).isCloseTo(-0.2991, within(1e-4));
        assertThat(change.runs()).isEqualTo(5);
    }

    @Test
    void oneRunHasNoInterval() {
        Estimate change = RunChange.of(new double[] {40}, new double[] {100});
        assertThat(change.value()).isCloseTo(-0.6, within(1e-9));
        assertThat(change.known()).isFalse();
        assertThat(change.runs()).isEqualTo(1);
        assertThat(RunChange.of(new double[0], new double[0]).value()).isNaN();
    }

    @Test
    void aRunWithoutAnyIsToldWithoutAnInterval() {
        Estimate change = RunChange.of(new double[] {0, 2}, new double[] {4, 4});
        assertThat(change.value()).isCloseTo(-0.75, within(1e-9));
        assertThat(change.known()).isFalse();
    }

    @Test
    void sumsMayHoldZeros() {
        Estimate change = RunChange.ofSums(new double[] {0, 60, 70, 0, 55}, new double[] {100, 100, 0, 100, 100});
        assertThat(change.value()).isCloseTo(185 / 400.0 - 1, within(1e-9));
        assertThat(change.low()).as("worked out by hand: differences -100, -40, 70, -100, -45; t(4) = 2.776, s = 69.4").isCloseTo(-1.6151, within(1e-4));
        assertThat(change.high()).isCloseTo(0.5401, within(1e-4));
        assertThat(RunChange.ofSums(new double[] {1}, new double[] {2}).known()).isFalse();
        assertThat(RunChange.ofSums(new double[] {1, 1}, new double[2]).known()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    void theIntervalHoldsTheTruthIn95Of100Experiments(int runs) {
        SplittableRandom random = new SplittableRandom(runs);
        int held = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            double[] baselines = new double[runs];
            Arrays.setAll(baselines, j -> Math.exp(random.nextGaussian()));
            double[] values = new double[runs];
            Arrays.setAll(values, j -> baselines[j] * (1 + TRUTH) * Math.exp(SPREAD * random.nextGaussian()));
            Estimate change = RunChange.of(values, baselines);
            held += change.low() <= TRUTH && TRUTH <= change.high() ? 1 : 0;
        }
        assertThat((double) held / EXPERIMENTS).isCloseTo(0.95, within(0.006));
    }
}
