// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The first step of a mitigation goes to the least level that carries the demand; where that is not known, to the first. */
class ComputedStepTest {
    private static final Set<Lever> LADDER = Set.of(Lever.MITIGATION);

    private static Policy.Builder computed() {
        return Tier.policy().ladderStep(LadderStep.COMPUTED).levers(LADDER);
    }

    private static Decision first(Policy policy, UnaryOperator<Sample.Builder> conditions) {
        return Tier.settled(policy).until(Action.MITIGATE, 5, conditions);
    }

    private static int level(Decision decision) {
        return decision.desired().get(Lever.MITIGATION);
    }

    private static Sample.Builder steal(Sample.Builder sample, double steal) {
        return Tier.noisy(sample).set(Metric.STEAL, steal);
    }

    @Test
    void theFirstStepGoesToTheLevelThatCarriesTheDemand() {
        // 115/s x 0.55 / 87 s = 0.727 of the CPU; 0.8 x 0.55 = 0.44 may be needed: level 3 needs half of it
        Decision decision = first(computed().build(), Tier::noisy);
        assertThat(level(decision)).isEqualTo(3);
        assertThat(decision.evidence()).contains("step: 115/s wanted x 6.32ms of CPU = 0.727 of the CPU at the baseline;"
                + " 0.55 is left, 0.44 of it may be needed: the least level that does is 3, mitigation 3, with 0.364"
                + " (an operation costs 0.5 of the baseline's, assumed)");
        assertThat(decision.numbers()).containsEntry("step.level", 3.0).containsEntry("step.wanted", 115.0)
                .containsEntry("step.relief", 0.5).containsEntry("step.cpu_left", 0.55)
                .containsKeys("step.waiting", "step.cpu_per_operation", "step.cpu_limit", "step.cpu_needed");
    }

    @Test
    void afterItEachCorrectionIsOneLevelForEachCoolDown() {
        Tier tier = Tier.settled(computed().build());
        tier.feed(100, Tier::noisy);
        assertThat(tier.actions()).extracting(ComputedStepTest::level).containsExactly(3, 4);
        Tier served = Tier.settled(computed().build());
        served.until(Action.MITIGATE, 5, Tier::noisy);
        served.feed(100, Tier::hidden);
        assertThat(served.actions()).hasSize(1);
    }

    @Test
    void aLevelThatIsAssumedToHelpNoMoreIsPassedOverUntilItIsKnown() {
        UnaryOperator<Sample.Builder> little = sample -> cheap(sample).set(Metric.RESPONSE_TIME, 0.24);
        Tier tier = Tier.settled(computed().build());
        tier.feed(30, little);
        assertThat(tier.actions()).extracting(ComputedStepTest::level).as("2 is assumed to be as 1").containsExactly(1, 3, 4);
        Tier one = Tier.settled(computed().ladderStep(LadderStep.ONE).build());
        one.feed(30, little);
        assertThat(one.actions()).extracting(ComputedStepTest::level).containsExactly(1, 2, 3);
    }

    @Test
    void waitingRequestsAreDemandToo() {
        // 0.18 of the CPU, and as much again for a queue of ten seconds' worth, where 0.26 may be needed
        Decision none = first(computed().build(), sample -> cheap(sample).set(Metric.ACCEPT_QUEUE, 0).set(Metric.RESPONSE_TIME, 9));
        assertThat(level(none)).as("the baseline should do, and no level brings 9 s below the target: one level").isEqualTo(1);
        assertThat(none.evidence()).anyMatch(line -> line.contains("the baseline should do, but the response time"));
        assertThat(level(first(computed().build(), sample -> cheap(sample).set(Metric.ACCEPT_QUEUE, 1150)))).isEqualTo(3);
        assertThat(level(first(computed().build(), sample -> cheap(sample).set(Metric.PENDING_USERS, 1150)))).isEqualTo(3);
        assertThat(level(first(computed().build(), sample -> cheap(sample).set(Metric.ACCEPT_QUEUE, 1e9))))
                .as("no more than that counts").isEqualTo(3);
    }

    @Test
    void ifTheBaselineCarriesTheDemandTheResponseTimeDecides() {
        // 0.14 x 115 / 87 = 0.185 of 0.34: at level 1 users wait 0.9 x (0.34 - 0.185) / (0.34 - 0.9 x 0.185) = 0.80 of now
        Decision little = first(computed().build(), sample -> cheap(sample).set(Metric.RESPONSE_TIME, 0.24));
        assertThat(level(little)).isEqualTo(1);
        assertThat(little.numbers().get("step.response_time")).isCloseTo(0.193, within(0.001));
        assertThat(little.evidence()).anyMatch(line -> line.contains("the least level that does is 1") && line.endsWith("assumed) in 0.193s"));
        assertThat(level(first(computed().build(), sample -> cheap(sample).set(Metric.RESPONSE_TIME, 0.26)))).isEqualTo(3);
    }

    private static Sample.Builder cheap(Sample.Builder sample) {
        return Tier.noisy(sample).set(Metric.CPU_UTIL, 0.8).set(Metric.STEAL, 0.66);
    }

    @Test
    void ifNoLevelSufficesTheLowestOfTheCheapestIsTaken() {
        Decision decision = first(computed().build(), sample -> steal(sample, 0.45).set(Metric.THROUGHPUT, 40));
        assertThat(level(decision)).isEqualTo(4);
        assertThat(decision.evidence()).anyMatch(line -> line.contains("no level does"));
    }

    @Test
    void withoutStealTheTiersOwnCpuIsTheCapacity() {
        Policy policy = computed().build();
        Tier tier = new Tier(policy);
        tier.feed(60, Tier.blind(Tier::quiet));
        Decision decision = tier.until(Action.MITIGATE, 5, Tier.blind(Tier::noisy));
        assertThat(level(decision)).isEqualTo(3);
        assertThat(decision.numbers()).containsEntry("step.cpu_left", 1.0);
    }

    @Test
    void valuesThatAreMissingOrCannotBeLeadOneLevel() {
        assertThat(level(first(computed().build(), sample -> Tier.noisy(sample).set(Metric.STEAL, Double.NaN)))).isEqualTo(1);
        assertThat(level(first(computed().build(), sample -> steal(sample, 1)))).isEqualTo(1);
    }

    @Test
    void oneLevelAtATimeWhereThatIsAskedFor() {
        Decision decision = first(computed().ladderStep(LadderStep.ONE).build(), Tier::noisy);
        assertThat(level(decision)).isEqualTo(1);
        assertThat(decision.numbers()).doesNotContainKey("step.level");
    }

    @Test
    void levelsOfWhichNothingIsKnownArePassedOver() {
        Set<Lever> levers = Set.of(Lever.PHP_MAX_CHILDREN, Lever.MITIGATION);
        Ladder both = Ladder.empty(Tier.BASE, Tier.BOUNDS, levers).plus(Settings.of(Lever.PHP_MAX_CHILDREN, 100))
                .plus(Settings.of(Lever.MITIGATION, 1)).plus(Settings.of(Lever.MITIGATION, 3));
        Decision decision = first(computed().levers(levers).ladder(both).build(), Tier::noisy);
        assertThat(decision.desired()).isEqualTo(Tier.BASE.with(both.level(3)));
        Ladder php = Ladder.empty(Tier.BASE, Tier.BOUNDS, levers).plus(Settings.of(Lever.PHP_MAX_CHILDREN, 100))
                .plus(Settings.of(Lever.PHP_MAX_CHILDREN, 200));
        assertThat(first(computed().levers(levers).ladder(php).build(), Tier::noisy).desired())
                .isEqualTo(Tier.BASE.with(php.level(1)));
    }

    @Test
    void levelsThatAreLeftOutShortenTheLadderNotTheMitigation() {
        Ladder some = Ladder.empty(Tier.BASE, Tier.BOUNDS, LADDER).plus(Settings.of(Lever.MITIGATION, 3))
                .plus(Settings.of(Lever.MITIGATION, 4));
        assertThat(level(first(computed().ladder(some).build(), Tier::noisy))).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void theBudgetOfActionsLimitsTheStep(int actions) {
        Decision decision = first(computed().actionsPerHour(actions - 2).build(), Tier::noisy);
        assertThat(level(decision)).isEqualTo(Math.min(3, actions - 3));
        assertThat(decision.evidence().stream().anyMatch(line -> line.contains("leave room for the way back from level")))
                .isEqualTo(actions < 6);
    }

    static List<Long> seeds() {
        return new Random(20261122).longs(200).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theLevelGrowsWithTheDemandAndWithWhatIsTakenAndIsNeverLargerThanNeeded(long seed) {
        Random random = new Random(seed);
        int highest = 1 + random.nextInt(8);
        double[] shares = IntStream.rangeClosed(0, highest).mapToDouble(level -> random.nextInt(6) == 0 ? Double.NaN
                : 0.05 + random.nextDouble()).toArray();
        IntToDoubleFunction reliefs = level -> shares[level];
        for (int i = 0; i < 50; i++) {
            Demand demand = new Demand(1 + 200 * random.nextDouble(), 500 * random.nextDouble(),
                    0.02 * random.nextDouble() + 1e-6, 1e-3 + 0.999 * random.nextDouble());
            assertThat(demand.known()).isTrue();
            int level = demand.least(highest, reliefs, any -> true);
            double relief = level == 0 ? 1 : shares[level];
            assertThat(level).isBetween(0, highest);
            for (int lower = 0; lower < level; lower++) {
                double other = lower == 0 ? 1 : shares[lower];
                assertThat(demand.carries(other)).as("%s: level %d would do", demand, lower).isFalse();
                assertThat(other > relief || Double.isNaN(other) || demand.carries(relief)).isTrue();
            }
            assertThat(demand.response(1)).isIn(0.0, 1.0);
            assertThat(demand.response(0.4)).isBetween(0.0, demand.need(1) < demand.left() ? 0.4 : 0.0);
            int quick = demand.least(highest, reliefs, share -> demand.response(share) <= 0.5);
            assertThat(demand.carries(quick == 0 ? 1 : shares[quick])).as("time costs nobody a step that does").isEqualTo(demand.carries(relief));
            assertThat(quick).isGreaterThanOrEqualTo(level);
            double more = 1 + random.nextDouble();
            for (Demand graver : List.of(new Demand(demand.quiet() * more, demand.waiting(), demand.cost(), demand.left()),
                    new Demand(demand.quiet(), demand.waiting() * more, demand.cost(), demand.left()),
                    new Demand(demand.quiet(), demand.waiting(), demand.cost() * more, demand.left()),
                    new Demand(demand.quiet(), demand.waiting(), demand.cost(), demand.left() / more))) {
                assertThat(graver.least(highest, reliefs, any -> true)).as("%s after %s", graver, demand)
                        .isGreaterThanOrEqualTo(level);
            }
        }
    }
}
