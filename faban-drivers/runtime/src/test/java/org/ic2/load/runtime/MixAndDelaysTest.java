// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.faban.driver.CycleType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.load.olio.OlioDriver;
import org.ic2.load.olio.OriginalOlioDriver;
import org.junit.jupiter.api.Test;

class MixAndDelaysTest {
    private static final double[] OLIO = {.262, .102, .335, .247, .026, .008, .020};

    @Test
    void olioSettlesAtItsKnownMix() throws ConfigError {
        DriverModel olio = DriverModel.of(OlioDriver.class);
        double[] stationary = olio.chain().stationary();
        assertThat(Arrays.stream(stationary).sum()).isCloseTo(1, within(1e-9));
        for (int i = 0; i < OLIO.length; i++) {
            assertThat(stationary[i]).as(olio.operations().get(i).name()).isCloseTo(OLIO[i], within(0.0006));
        }
    }

    @Test
    void aWalkOfManyUsersStaysWithinTwoPercentOfIt() throws ConfigError {
        MatrixChain chain = DriverModel.of(OlioDriver.class).chain();
        double[] share = new double[OLIO.length];
        int users = 120;
        int steps = 2000;
        for (int user = 0; user < users; user++) {
            Random random = new Random(user);
            int operation = 0;
            for (int i = 0; i < steps; i++) {
                share[operation] += 1.0 / (users * steps);
                operation = chain.next(operation, random);
            }
        }
        for (int i = 0; i < OLIO.length; i++) {
            assertThat(share[i]).isCloseTo(OLIO[i], within(0.02 * Math.max(OLIO[i], 0.1)));
        }
    }

    @Test
    void onlyAllowedStepsHappen() throws ConfigError {
        MatrixChain chain = new MatrixChain(new double[][] {{0, 2, 0}, {0, 0, 5}, {1, 0, 0}});
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            assertThat(chain.next(0, random)).isEqualTo(1);
            assertThat(chain.next(1, random)).isEqualTo(2);
            assertThat(chain.next(2, random)).isEqualTo(0);
        }
        assertThat(chain.stationary()).as("periodic, yet found").containsExactly(new double[] {1 / 3.0, 1 / 3.0, 1 / 3.0},
                within(1e-6));
    }

    @Test
    void refusesAMatrixThatIsNone() {
        assertThatThrownBy(() -> new MatrixChain(new double[][] {{1}, {1}})).hasMessageContaining("row 0: expected 2 weights");
        assertThatThrownBy(() -> new MatrixChain(new double[][] {{0}})).hasMessageContaining("only zeros");
        assertThatThrownBy(() -> new MatrixChain(new double[][] {{-1}})).hasMessageContaining("at least 0");
    }

    /** Kolmogorov-Smirnov: the largest distance between the drawn and the exponential distribution, at the 1 % level. */
    @Test
    void delaysFitTheExponentialDistribution() throws ConfigError {
        CycleTimes cycle = DriverModel.of(OlioDriver.class).cycle();
        Random random = new Random(20121203);
        int n = 20_000;
        double[] drawn = new double[n];
        Arrays.setAll(drawn, i -> cycle.draw(random) / 1e6);
        assertThat(distance(drawn, 5000, 25_000)).isLessThan(1.628 / Math.sqrt(n));
        double[] uniform = new double[n];
        Arrays.setAll(uniform, i -> random.nextDouble() * 10_000);
        assertThat(distance(uniform, 5000, 25_000)).as("the test can fail").isGreaterThan(10 * 1.628 / Math.sqrt(n));
    }

    @Test
    void anOperationMayHaveDelaysOfItsOwnWhichKeepTheirRatioToTheDrivers() throws ConfigError {
        DriverModel model = DriverModel.of(OriginalOlioDriver.class);
        Map<String, CycleTimes> cycles = model.withCycle(model.cycle().withMean(1000)).operations().stream()
                .collect(Collectors.toMap(DriverModel.Operation::name, DriverModel.Operation::cycle));
        assertThat(cycles.get("HomePage")).isEqualTo(model.cycle().withMean(1000));
        for (String form : List.of("Login", "AddPerson", "AddEvent")) {
            CycleTimes cycle = cycles.get(form);
            assertThat(new double[] {cycle.minMs(), cycle.meanMs(), cycle.maxMs()}).containsExactly(600, 1000, 5000);
            assertThat(cycle.effectiveMean()).isCloseTo(1, within(0.001));
            Random random = new Random(1);
            assertThat(IntStream.range(0, 1000).mapToLong(i -> cycle.draw(random)).min().orElseThrow()).isBetween(600_000_000L, 605_000_000L);
        }
    }

    private static double distance(double[] values, double mean, double max) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double worst = 0;
        for (int i = 0; i < sorted.length && sorted[i] < max; i++) {
            double expected = 1 - Math.exp(-sorted[i] / mean);
            worst = Math.max(worst, Math.max(expected - (double) i / sorted.length, (i + 1.0) / sorted.length - expected));
        }
        return worst;
    }

    @Test
    void delaysAreClippedAndTheMeanThatRemainsIsKnown() {
        CycleTimes cycle = new CycleTimes(CycleType.THINKTIME, 0, 1000, 5000, true, 2);
        assertThat(cycle.effectiveMean()).isCloseTo(0.993, within(0.0005));
        CycleTimes truncated = new CycleTimes(CycleType.THINKTIME, 200, 1000, 3000, true, 2);
        CycleTimes shifted = new CycleTimes(CycleType.THINKTIME, 200, 1000, 3000, false, 2);
        for (CycleTimes one : new CycleTimes[] {cycle, truncated, shifted}) {
            Random random = new Random(7);
            double sum = 0;
            int n = 200_000;
            for (int i = 0; i < n; i++) {
                double ms = one.draw(random) / 1e6;
                assertThat(ms >= one.minMs() && ms <= one.maxMs()).isTrue();
                sum += ms;
            }
            assertThat(sum / n / 1000).isCloseTo(one.effectiveMean(), within(0.005));
        }
    }

    @Test
    void anotherMeanScalesTheLimitsToo() throws ConfigError {
        CycleTimes cycle = DriverModel.of(OlioDriver.class).cycle().withMean(1000);
        assertThat(cycle.meanMs()).isEqualTo(1000);
        assertThat(cycle.maxMs()).isEqualTo(5000);
        assertThat(cycle.type()).isEqualTo(CycleType.CYCLETIME);
    }
}
