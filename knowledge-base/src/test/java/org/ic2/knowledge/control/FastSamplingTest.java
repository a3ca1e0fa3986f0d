// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** From the first suspicious sample on, further labels come every fifth of a second; only what counts time goes on as ever. */
class FastSamplingTest {
    private static final SamplingInterval PACE = new SamplingInterval(Duration.ofSeconds(1), Duration.ofMillis(200));
    private static final int EPISODE = 30_000;

    private static Policy.Builder policy(Detector detector) {
        return Policy.builder(Tier.BASE, Tier.BOUNDS, detector, Shipped.rules()).targetResponseTime(0.2).pace(PACE);
    }

    private static Policy.Builder policy() {
        return policy(shipped());
    }

    private static Detector shipped() {
        return new Detector.Tree(Shipped.classifier());
    }

    static Stream<Detector> detectors() {
        return Stream.of(shipped(), ByHand.detector());
    }

    /** A tier that is sampled when it wants to be, beside a neighbour who comes and goes in the middle of intervals. */
    private static final class Day {
        final Tier tier;
        final List<Sample> samples = new ArrayList<>();
        final Random random = new Random(14);
        /** What the sensors have of a sample; the second says whether it is a part of an interval. */
        BiFunction<Sample.Builder, Boolean, Sample.Builder> sensors = (sample, part) -> sample;
        private long from = Long.MAX_VALUE;
        private long to = Long.MAX_VALUE;
        private long clock;

        Day(Policy policy) {
            tier = new Tier(policy);
            pass(60_000);
        }

        /** The neighbour is there from one time to another, ms from now. */
        Day episode(long begin, long end) {
            from = clock + begin;
            to = clock + end;
            return this;
        }

        Decision sample() {
            long step = (tier.state.suspicious(tier.policy) ? PACE.close() : PACE.usual()).toMillis();
            return sample(step);
        }

        private Decision sample(long step) {
            double loud = Math.max(0, Math.min(clock + step, to) - Math.max(clock, from)) / (double) step;
            clock += step;
            tier.interval = Duration.ofMillis(step);
            boolean part = tier.state.between(tier.time.plusMillis(step), tier.policy);
            return tier.feed(sample -> {
                Sample measured = sensors.apply(measured(sample, loud, step), part).build();
                samples.add(measured);
                return measured.toBuilder();
            });
        }

        private Sample.Builder measured(Sample.Builder sample, double loud, long step) {
            double noise = 1 + 0.03 * random.nextGaussian() * Math.sqrt(1000.0 / step);
            double share = tier.level() == 0 ? 1 : 0.5;
            double own = (0.59 + 0.13 * loud) / 115 * share;
            double steal = Math.max(0, 0.01 * noise + 0.44 * loud);
            double served = Math.min(115, (1 - steal) / own);
            double rate = served * Math.max(0.5, noise);
            return Tier.quiet(sample).set(Metric.THROUGHPUT, rate).set(Metric.REQUESTS, Math.round(rate * step / 1000))
                    .set(Metric.STEAL, steal).set(Metric.CPU_UTIL, Math.min(1, served * own + steal))
                    .set(Metric.RESPONSE_TIME, 0.04 + (tier.level() == 0 ? loud : 0) * 0.41);
        }

        void pass(long millis) {
            long end = clock + millis;
            while (clock < end) {
                sample();
            }
        }

        /** Seconds from a time until the first decision for which it holds. */
        double until(long since, Predicate<Decision> what) {
            while (clock < since + 60_000) {
                if (what.test(sample())) {
                    return (clock - since) / 1000.0;
                }
            }
            return Double.POSITIVE_INFINITY;
        }
    }

    private record Latencies(List<Double> seen, List<Double> level, List<Double> baseline) {
        static Latencies of(Policy policy) {
            Latencies all = new Latencies(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int phase = 0; phase < 1000; phase += 20) {
                Day day = new Day(policy);
                day.episode(phase, phase + EPISODE);
                long onset = day.from;
                all.seen.add(day.until(onset, decision -> decision.state() == State.I2));
                all.level.add(day.tier.level() > 0 ? (day.clock - onset) / 1000.0
                        : day.until(onset, Decision::applies));
                day.pass(day.to - day.clock - 1);
                assertThat(day.tier.actions()).as("one step was enough").hasSize(1);
                all.baseline.add(day.until(day.to, decision -> decision.desired().equals(Tier.BASE)));
            }
            return all;
        }
    }

    private static double quantile(List<Double> values, double share) {
        return values.stream().sorted().toList().get((int) Math.ceil(share * values.size()) - 1);
    }

    @Test
    void anOnsetAtAnyPhaseIsSeenWithinAboutASecondAndAnsweredAtOnce() {
        Latencies close = Latencies.of(policy().build());
        assertThat(quantile(close.seen, 0.5)).isLessThanOrEqualTo(1.2);
        assertThat(quantile(close.seen, 0.9)).isLessThanOrEqualTo(1.8);
        assertThat(quantile(close.level, 0.5)).isLessThanOrEqualTo(2.5);
        assertThat(quantile(close.level, 0.9)).isLessThanOrEqualTo(4);
        assertThat(quantile(close.baseline, 0.5)).isLessThanOrEqualTo(6);
        assertThat(quantile(close.baseline, 0.9)).isLessThanOrEqualTo(10);
        Latencies usual = Latencies.of(policy().pace(SamplingInterval.steady(PACE.usual())).build());
        assertThat(quantile(usual.seen, 0.5)).isGreaterThan(2.2);
    }

    @ParameterizedTest
    @MethodSource("detectors")
    void aBlipIsNoNeighbour(Detector detector) {
        for (int phase = 0; phase < 1000; phase += 20) {
            Day day = new Day(policy(detector).build());
            day.episode(phase, phase + 300);
            day.pass(5000);
            assertThat(day.tier.decisions).extracting(Decision::state).doesNotContain(State.I2);
            assertThat(day.tier.actions()).isEmpty();
        }
    }

    @Test
    void theQuietIsSampledOnceASecond() {
        Day day = new Day(policy().build());
        int before = day.samples.size();
        day.pass(600_000);
        assertThat(day.samples.size() - before).isEqualTo(600);
    }

    @Test
    void afterItIsDecidedSamplesComeAsUsual() {
        Day day = new Day(policy().build());
        day.episode(500, EPISODE);
        assertThat(day.until(day.from, decision -> decision.state() == State.I2)).isLessThan(2);
        assertThat(day.tier.state.suspicious(day.tier.policy)).isFalse();
        assertThat(day.tier.state.watch()).isNull();
    }

    @Test
    void fastSamplingEndsAfterTenUndecidedIntervals() {
        Day day = new Day(policy().build());
        // every second label is another one
        day.sensors = (sample, part) -> sample.set(Metric.STEAL, day.samples.size() % 2 == 0 ? 0.45 : 0.01);
        int before = day.samples.size();
        day.pass(60_000);
        assertThat(day.samples.size() - before).isBetween(95, 110);
        assertThat(day.tier.actions()).isEmpty();
    }

    @Test
    void aLabelThatHangsOnWhatIsMeasuredOnceAnIntervalIsNotGivenTwice() {
        Day day = new Day(policy().build());
        day.sensors = (sample, part) -> part ? sample.set(Metric.STEAL, Double.NaN) : sample;
        day.episode(0, EPISODE);
        assertThat(day.until(day.from, decision -> decision.state() == State.I2)).as("three whole intervals").isEqualTo(3);
        assertThat(day.tier.decisions).extracting(Decision::reason)
                .anyMatch(reason -> reason.contains("steal_excess is measured once an interval"));
    }

    @Test
    void quantitiesMeasuredOnceAnIntervalStayForTheRules() {
        Day day = new Day(policy().build());
        day.sensors = (sample, part) -> sample.set(Metric.MEMORY_PRESSURE, part ? Double.NaN : 0.2);
        day.episode(0, EPISODE);
        day.until(day.from, Decision::applies);
        assertThat(day.tier.actions().get(0).rules()).contains("host-memory-contention");
    }

    @Test
    void noRequestInAFractionOfASecondIsNoStandstill() {
        Day day = new Day(policy().build());
        day.sensors = (sample, part) -> part ? sample.set(Metric.THROUGHPUT, 0).set(Metric.REQUESTS, 0)
                .set(Metric.RESPONSE_TIME, Double.NaN) : sample;
        day.episode(500, EPISODE);
        assertThat(day.until(day.from, Decision::applies)).as("steal decides, by the last response time").isLessThan(1.2);
        Day late = new Day(policy().build());
        late.sensors = (sample, part) -> part ? sample.set(Metric.THROUGHPUT, Double.NaN).set(Metric.REQUESTS, Double.NaN)
                .set(Metric.RESPONSE_TIME, Double.NaN) : sample;
        late.episode(500, EPISODE);
        assertThat(late.until(late.from, Decision::applies)).as("the status page is late").isLessThan(1.2);
    }

    @Test
    void nothingIsLearnedFromAPartOfAnInterval() {
        Day day = new Day(policy().build());
        long learned = day.tier.state.learning().accepted();
        day.episode(500, 1000);
        day.sample();
        assertThat(day.tier.state.state()).isEqualTo(State.T);
        day.sample();
        day.sample();
        assertThat(day.tier.state.state()).as("back after two fifths of a second").isEqualTo(State.NI2);
        assertThat(day.tier.state.learning().accepted()).isEqualTo(learned);
        assertThat(day.tier.state.counters().usable()).isEqualTo(61);
        day.sample();
        assertThat(day.tier.state.learning().accepted()).isEqualTo(learned + 1);
    }

    @Test
    void aForeignValueInTwoPartsOfAnIntervalIsStillOneSample() {
        Day day = new Day(policy().levers(Set.of(Lever.KEEP_ALIVE_TIMEOUT)).build());
        day.episode(0, 400);
        day.sample();
        day.tier.running = Tier.BASE.with(Lever.KEEP_ALIVE_TIMEOUT, 7000);
        day.sample();
        day.sample();
        assertThat(day.tier.decisions).extracting(Decision::scenario).doesNotContain(Scenario.FOREIGN_CHANGE);
        day.pass(3000);
        assertThat(day.tier.decisions).extracting(Decision::scenario).contains(Scenario.FOREIGN_CHANGE);
    }

    @Test
    void aRecordingWithTheTimesGivesTheSameDecisions() {
        Day day = new Day(policy().build());
        day.episode(330, EPISODE);
        day.pass(60_000);
        SamplesCsv.Reader reader = SamplesCsv.reader("day", SamplesCsv.header());
        ControlJson json = new ControlJson();
        ControllerState state = ControllerState.initial(Tier.BASE);
        for (int i = 0; i < day.samples.size(); i++) {
            Sample sample = reader.sample(SamplesCsv.line(day.samples.get(i)), i + 2);
            DecisionResult decided = Controller.decide(state, sample, day.tier.policy);
            state = decided.state();
            assertThat(json.write(decided.decision())).isEqualTo(json.write(day.tier.decisions.get(i)));
        }
        assertThat(day.tier.actions()).hasSize(2);
    }

    @Test
    void aRecordingWithASampleASecondIsDecidedAsWithoutACloseLook() {
        for (long step : new long[] {834, 1000, 1166}) {
            Day close = new Day(policy().build());
            Day usual = new Day(policy().pace(SamplingInterval.steady(PACE.usual())).build());
            for (Day day : List.of(close, usual)) {
                day.episode(330, EPISODE);
                for (int i = 0; i < 60; i++) {
                    day.sample(i % 7 == 3 ? step : 1000);
                }
            }
            assertThat(close.tier.decisions).isEqualTo(usual.tier.decisions);
        }
    }

    @Test
    void aCloseLookIsNotKeptThroughARestart() {
        Day day = new Day(policy().build());
        day.episode(0, EPISODE);
        day.sample();
        assertThat(day.tier.state.watch()).isNotNull();
        ControlJson json = new ControlJson();
        ControllerState read = json.readState("state.json", json.write(day.tier.state));
        assertThat(read.watch()).isNull();
        assertThat(read.state()).isEqualTo(day.tier.state.state());
        assertThat(day.tier.state.restarted(Tier.BASE).watch()).isNull();
    }

    @Test
    void aPaceThatCannotBeSaysWhat() {
        assertThatThrownBy(() -> new SamplingInterval(Duration.ofSeconds(1), Duration.ofSeconds(2)))
                .hasMessageContaining("suspicious-interval: expected more than 0 s and at most the interval");
        assertThatThrownBy(() -> new SamplingInterval(Duration.ofSeconds(1), Duration.ZERO)).hasMessageContaining("got PT0S");
    }
}
