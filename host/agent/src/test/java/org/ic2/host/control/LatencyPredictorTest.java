// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.ic2.host.control.LatencyPredictor.Load;
import org.ic2.host.control.LatencyPredictor.Peak;
import org.ic2.host.control.LatencyPredictor.Service;
import org.junit.jupiter.api.Test;

/** Equations 1 and 2 of workload-aware placement, and who is memory-intensive. */
class LatencyPredictorTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static LatencyPredictor predictor(Service service, Load load, OptionalDouble irqMax) {
        return new LatencyPredictor(service, 0.001, 0.004, load, 0.00002, irqMax, HOUR, 0.01);
    }

    @Test
    void latencyIsServiceTimeOverWhatIsLeftOfTheCapacity() {
        LatencyPredictor ours = predictor(Service.AFFINE, Load.OF_MOST, OptionalDouble.of(10_000));
        LatencyPredictor paper = predictor(Service.PAPER, Load.OF_MOST, OptionalDouble.of(10_000));

        // (0.001 + 0.004 x 0.5) / (1 - 0.75) = 0.012
        assertThat(ours.load(7500, 1, ours.begin())).isEqualTo(0.75);
        assertThat(ours.latency(0.5, 0.75)).isCloseTo(0.012, within(1e-12));
        assertThat(paper.latency(0.5, 0.75)).isCloseTo(0.008, within(1e-12));
        // without contention the paper's is nothing, whatever the load
        assertThat(paper.latency(0, 0.9)).isZero();
        assertThat(ours.latency(0, 0.9)).isCloseTo(0.01, within(1e-12));
    }

    @Test
    void itIsFiniteAtFullLoadAndGrowsWithIntensityAndInterrupts() {
        LatencyPredictor ours = predictor(Service.AFFINE, Load.OF_MOST, OptionalDouble.of(10_000));

        assertThat(ours.load(20_000, 1, new Peak(10_000, 0))).isEqualTo(0.99);
        assertThat(ours.latency(1, 1)).isCloseTo(0.5, within(1e-9));
        double before = 0;
        for (int irq = 0; irq <= 12_000; irq += 500) {
            double latency = ours.latency(0.3, ours.load(irq, 1, ours.begin()));
            assertThat(latency).isGreaterThanOrEqualTo(before);
            assertThat(ours.latency(0.4, ours.load(irq, 1, ours.begin()))).isGreaterThan(latency);
            before = latency;
        }
    }

    @Test
    void theMostIsLearnedAndFallsByOnePercentAnHour() {
        LatencyPredictor ours = predictor(Service.AFFINE, Load.OF_MOST, OptionalDouble.empty());
        Peak peak = ours.hear(ours.begin(), 8000, 1800);

        // the first value is the most that was seen: that tells nothing yet
        assertThat(ours.load(8000, 1, peak)).isNaN();
        peak = ours.hear(peak, 4000, 1800);
        assertThat(peak.most()).isCloseTo(8000 * Math.sqrt(0.99), within(1e-6));
        assertThat(ours.load(4000, 1, peak)).isCloseTo(0.5025, within(1e-4));
        assertThat(ours.hear(new Peak(8000, 0), Double.NaN, 3600)).isEqualTo(new Peak(7920, 0));
        assertThat(ours.hear(peak, 9000, 15).most()).isEqualTo(9000);
    }

    @Test
    void theRightSideOfEquation2FallsUnderContention() {
        LatencyPredictor right = predictor(Service.AFFINE, Load.PER_CPU, OptionalDouble.empty());
        Peak none = right.begin();

        // 10000 interrupts/s of 20 us each are a fifth of a CPU: half of what is used alone, a quarter when each request is twice as dear
        assertThat(right.load(10_000, 0.4, none)).isCloseTo(0.5, within(1e-12));
        assertThat(right.load(10_000, 0.8, none)).isCloseTo(0.25, within(1e-12));
        // requests and CPU grow together: it is flat
        assertThat(right.load(20_000, 0.8, none)).isCloseTo(0.5, within(1e-12));
        assertThat(right.load(10_000, 0, none)).isNaN();
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LatencyPredictor(Service.AFFINE, 0, 0, Load.OF_MOST, 0,
                OptionalDouble.empty(), HOUR, 0.01)).withMessageContaining("s0 + c");
        assertThatIllegalArgumentException().isThrownBy(() -> new LatencyPredictor(Service.AFFINE, 1, 1, Load.PER_CPU, 0,
                OptionalDouble.empty(), HOUR, 0.01)).withMessageContaining("k");
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryIntensity(0.6, 0.5));
    }

    @Test
    void aGuestIsMemoryIntensiveAboveOneThresholdUntilItFallsToAnother() {
        MemoryIntensity usual = MemoryIntensity.USUAL;

        Set<String> now = usual.classify(Set.of(), Map.of("a", 0.5, "b", 0.51, "c", Double.NaN));
        assertThat(now).containsExactly("b");
        now = usual.classify(now, Map.of("a", 0.4, "b", 0.36));
        assertThat(now).containsExactly("b");
        assertThat(usual.classify(now, Map.of("b", Double.NaN))).containsExactly("b");
        assertThat(usual.classify(now, Map.of("b", 0.35))).isEmpty();
        assertThat(usual.classify(now, Map.of())).isEmpty();
    }
}
