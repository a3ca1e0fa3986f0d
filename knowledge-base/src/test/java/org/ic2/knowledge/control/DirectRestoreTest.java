// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.junit.jupiter.api.Test;

/** The restore in one step, where the neighbour's independent signal has fallen and the baseline is known to carry the demand. */
class DirectRestoreTest {
    private static final double[] SHARES = {1, 0.95, 0.9, 0.5, 0.3};

    private static Policy.Builder policy() {
        return Tier.policy().ladderStep(LadderStep.COMPUTED);
    }

    /** What an operation costs on the level in force, beside a neighbour who takes so much of the CPU; 0: nobody does. */
    private static UnaryOperator<Sample.Builder> beside(Tier tier, double steal) {
        return sample -> {
            double taken = Math.max(steal, 0.01);
            double own = (steal > 0 ? 0.55 / 87 : 0.59 / 115) * SHARES[tier.level()];
            double served = Math.min(115, (1 - taken) / own);
            return Tier.quiet(sample).set(Metric.THROUGHPUT, served).set(Metric.REQUESTS, served)
                    .set(Metric.STEAL, taken).set(Metric.CPU_UTIL, Math.min(1, served * own + taken))
                    .set(Metric.RESPONSE_TIME, served < 115 ? 0.45 : 0.04);
        };
    }

    /** One that has stood on level 3 long enough to know what it leaves. */
    private static Tier mitigated(Policy policy) {
        Tier tier = Tier.settled(policy);
        tier.feed(40, beside(tier, 0.45));
        assertThat(tier.level()).isEqualTo(3);
        return tier;
    }

    @Test
    void allIsPutBackInOneStepAsSoonAsTheQuietIsConfirmed() {
        Tier tier = mitigated(policy().build());
        assertThat(tier.running.get(Lever.MAX_REQUEST_WORKERS)).isLessThan(650);
        Decision restored = tier.until(Action.STEP_DOWN, 4, beside(tier, 0));
        assertThat(restored.scenario()).isEqualTo(Scenario.DIRECT_RESTORE);
        assertThat(restored.state()).isEqualTo(State.NI2);
        assertThat(restored.desired()).isEqualTo(Tier.BASE);
        assertThat(restored.evidence()).anyMatch(line -> line.startsWith("baseline: 115/s wanted x 5.22ms of CPU = 0.6 of the CPU"));
        assertThat(restored.numbers()).containsEntry("step.level", 0.0);
        tier.feed(200, beside(tier, 0));
        assertThat(tier.actions()).as("one there, one back").hasSize(2);
        assertThat(tier.state.episode()).isNull();
    }

    @Test
    void anEpisodeCostsFourActionsAtMostHoweverOftenItComes() {
        Tier tier = Tier.settled(policy().build());
        for (int episode = 0; episode < 8; episode++) {
            int before = tier.actions().size();
            tier.feed(60, beside(tier, 0.45));
            tier.feed(300, beside(tier, 0));
            assertThat(tier.running).isEqualTo(Tier.BASE);
            assertThat(tier.actions().size() - before).isBetween(1, 4);
        }
    }

    @Test
    void stepByStepWhereTheWayHereIsNotKnown() {
        Tier tier = mitigated(policy().build());
        tier.state = tier.state.resumed(tier.running);
        tier.feed(1, beside(tier, 0));
        assertThat(levels(tier, 100)).containsExactly(3, 2, 1, 0);
    }

    @Test
    void allAtOnceAfterABriefEpisodeToo() {
        Tier brief = Tier.settled(policy().build());
        brief.until(Action.MITIGATE, 5, beside(brief, 0.45));
        brief.feed(3, beside(brief, 0.45));
        assertThat(levels(brief, 100)).containsExactly(0);
    }

    @Test
    void aMixThatComesBackWithTheQuietDoesNotPreventTheRestore() {
        Tier tier = mitigated(policy().build());
        Decision restored = tier.until(Action.STEP_DOWN, 4, sample -> beside(tier, 0).apply(sample).set(Metric.THROUGHPUT, 90)
                .set(Metric.REQUESTS, 90).set(Metric.CPU_UTIL, 0.55));
        assertThat(restored.scenario()).isEqualTo(Scenario.DIRECT_RESTORE);
    }

    /** The levels of the actions in so many quiet seconds. */
    private static List<Integer> levels(Tier tier, int seconds) {
        int before = tier.actions().size();
        tier.feed(seconds, beside(tier, 0));
        return tier.actions().stream().skip(before).map(decision -> decision.desired().get(Lever.MITIGATION)).toList();
    }

    @Test
    void stepByStepWithoutAnIndependentSignal() {
        Tier tier = new Tier(policy().build());
        tier.feed(60, Tier.blind(Tier::quiet));
        UnaryOperator<Sample.Builder> episode = beside(tier, 0.45);
        tier.feed(40, Tier.blind(episode));
        assertThat(tier.level()).isPositive();
        tier.feed(300, Tier.blind(beside(tier, 0)));
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.decisions).extracting(Decision::scenario).doesNotContain(Scenario.DIRECT_RESTORE);
    }

    @Test
    void stepByStepWhereTheBaselineWouldNotCarryTheDemand() {
        Tier tier = mitigated(policy().build());
        // twice as many as in the quiet: 2 x 0.59 of the CPU
        tier.feed(60, sample -> beside(tier, 0).apply(sample).set(Metric.THROUGHPUT, 230).set(Metric.REQUESTS, 230)
                .set(Metric.CPU_UTIL, 0.61));
        assertThat(tier.decisions).extracting(Decision::scenario).doesNotContain(Scenario.DIRECT_RESTORE);
        assertThat(tier.actions()).extracting(Decision::action).contains(Action.RESTORE, Action.STEP_DOWN);
    }

    @Test
    void aRefusedRestoreIsTriedAgainAfterTheCoolDown() {
        Tier tier = mitigated(policy().levers(Set.of(Lever.MITIGATION)).build());
        tier.refusing = true;
        Decision first = tier.until(Action.STEP_DOWN, 4, beside(tier, 0));
        Decision second = tier.until(Action.STEP_DOWN, 20, beside(tier, 0));
        assertThat(second.scenario()).isEqualTo(Scenario.DIRECT_RESTORE);
        assertThat(Duration.between(first.time(), second.time())).isGreaterThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void afterARelapseTheDoubledHoldComesFirst() {
        Tier tier = mitigated(policy().build());
        tier.until(Action.STEP_DOWN, 4, beside(tier, 0));
        Decision again = tier.until(Action.MITIGATE, 30, beside(tier, 0.45));
        assertThat(again.desired().get(Lever.MITIGATION)).isEqualTo(3);
        assertThat(tier.state.backoff().relapses()).isEqualTo(1);
        tier.feed(3, beside(tier, 0.45));
        Decision restored = tier.until(Action.STEP_DOWN, 60, beside(tier, 0));
        assertThat(restored.scenario()).isEqualTo(Scenario.DIRECT_RESTORE);
        assertThat(Duration.between(again.time(), restored.time())).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void aNeighbourWhoComesAndGoesAllTheTimeMakesItSwingNoMoreThanStepByStep() {
        for (int loud : new int[] {5, 20, 60}) {
            int computed = actionsOfAnHour(policy().build(), loud);
            assertThat(computed).as("%d s each", loud).isLessThanOrEqualTo(24)
                    .isLessThanOrEqualTo(actionsOfAnHour(Tier.policy().build(), loud));
        }
    }

    private static int actionsOfAnHour(Policy policy, int loud) {
        Tier tier = Tier.settled(policy);
        for (int second = 0; second < 3600; second++) {
            tier.feed(beside(tier, second % (2 * loud) < loud ? 0.45 : 0));
        }
        return tier.actions().size();
    }

    @Test
    void slowPagesSoonAfterItLeadBackInOneStepToo() {
        Tier tier = mitigated(policy().build());
        tier.until(Action.STEP_DOWN, 4, beside(tier, 0));
        Decision up = tier.until(Action.STEP_UP, 15, sample -> Tier.quiet(sample).set(Metric.RESPONSE_TIME, 0.21)
                .set(Metric.THROUGHPUT, 115).set(Metric.CPU_UTIL, 0.72).set(Metric.STEAL, 0.02));
        assertThat(up.evidence()).anyMatch(line -> line.startsWith("step: 115/s wanted"));
        assertThat(tier.state.backoff().relapses()).isEqualTo(1);
    }
}
