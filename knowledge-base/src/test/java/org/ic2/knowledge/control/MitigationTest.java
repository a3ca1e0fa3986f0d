// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** What happens when a neighbour comes and goes. */
class MitigationTest {
    private static final EnumSet<Lever> PAPER =
            EnumSet.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.PHP_MAX_CHILDREN);

    @Test
    void theThirdBadSecondMitigates() {
        Tier tier = Tier.settled();
        assertThat(tier.feed(Tier::noisy).scenario()).isEqualTo(Scenario.CHANGING);
        assertThat(tier.feed(Tier::noisy).action()).isEqualTo(Action.HOLD);
        Decision decision = tier.feed(Tier::noisy);
        assertThat(decision.action()).isEqualTo(Action.MITIGATE);
        assertThat(decision.scenario()).isEqualTo(Scenario.MITIGATION);
        assertThat(decision.state()).isEqualTo(State.I2);
        assertThat(decision.tree()).contains(Label.INTERFERENCE);
        // KAT: 5 s + 3 x (0.45 - 0.04) s; MXC stops at the bound 300; first level
        assertThat(decision.desired()).isEqualTo(Lever.settings(300, 6230, 50, 1));
    }

    @Test
    void aDecisionExplainsItself() {
        Tier tier = Tier.settled();
        Decision decision = tier.until(Action.MITIGATE, 3, Tier::noisy);
        assertThat(decision.id()).isEqualTo("d-63");
        assertThat(decision.reason()).contains("RT 0.45s", "target 0.2s", "LPO 0.0115", "normal 0.00522",
                "max-request-workers 650 -> 300", "keep-alive-timeout 5s -> 6230ms", "mitigation 0 -> 1");
        assertThat(decision.rules()).containsExactly("virtual-physical-cpu-ratio");
        assertThat(decision.evidence()).contains("virtual-physical-cpu-ratio: steal_excess 0.44 > 0.05")
                .anyMatch(line -> line.startsWith("tree: response_time_ratio"));
        assertThat(decision.numbers()).containsEntry("response_time", 0.45).containsEntry("median.response_time", 0.04)
                .containsEntry("algorithm.mxc.bounded", 300.0).containsKeys("algorithm.mxc.delta",
                        "algorithm.kat.delta", "policy.target_response_time", "load_per_operation", "work_done",
                        "control.relapses", "control.actions_in_last_hour");
        assertThat(decision.numbers().values()).doesNotContain(Double.NaN);
    }

    @Test
    void climbsOneLevelForEachCoolDownWhileItHurts() {
        Tier tier = Tier.settled();
        tier.feed(100, Tier::noisy);
        List<Decision> actions = tier.actions();
        assertThat(actions).extracting(Decision::action)
                .containsExactly(Action.MITIGATE, Action.ESCALATE, Action.ESCALATE, Action.ESCALATE);
        assertThat(actions).extracting(decision -> decision.desired().get(Lever.MITIGATION)).containsExactly(1, 2, 3, 4);
        for (int i = 1; i < actions.size(); i++) {
            assertThat(Duration.between(actions.get(i - 1).time(), actions.get(i).time()))
                    .isGreaterThanOrEqualTo(tier.policy.coolDown());
        }
        assertThat(actions).allSatisfy(
                decision -> assertThat(decision.desired().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(300));
        Decision last = tier.decisions.get(tier.decisions.size() - 1);
        assertThat(last.scenario()).isEqualTo(Scenario.NOTHING_LEFT);
    }

    @Test
    void stopsClimbingAtTheTarget() {
        Tier tier = Tier.settled();
        tier.until(Action.ESCALATE, 20, Tier::noisy);
        Decision decision = tier.feed(60, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.2));
        assertThat(tier.level()).isEqualTo(2);
        assertThat(decision.scenario()).isEqualTo(Scenario.BELOW_TARGET);
    }

    @Test
    void belowTheTargetNothingIsDoneHoweverLoudTheNeighbour() {
        Tier tier = Tier.settled(Tier.policy().targetResponseTime(0.5).build());
        Decision decision = tier.feed(60, Tier::noisy);
        assertThat(decision.state()).isEqualTo(State.I2);
        assertThat(decision.scenario()).isEqualTo(Scenario.BELOW_TARGET);
        assertThat(tier.actions()).isEmpty();
        assertThat(tier.feed(sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.7)).action())
                .as("once it is felt").isEqualTo(Action.MITIGATE);
    }

    @Test
    void quietRestoresThePapersValuesAtOnceAndTheLadderLevelByLevel() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        assertThat(tier.level()).isEqualTo(3);
        int before = tier.actions().size();
        tier.feed(100, Tier::quiet);
        List<Decision> back = tier.actions().subList(before, tier.actions().size());
        assertThat(back).extracting(Decision::action).containsExactly(Action.RESTORE, Action.STEP_DOWN,
                Action.STEP_DOWN, Action.STEP_DOWN);
        assertThat(back.get(0).desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 3));
        assertThat(back.get(0).state()).isEqualTo(State.NI2);
        assertThat(back).extracting(decision -> decision.desired().get(Lever.MITIGATION)).containsExactly(3, 2, 1, 0);
        for (int i = 1; i < back.size(); i++) {
            assertThat(Duration.between(back.get(i - 1).time(), back.get(i).time()))
                    .isGreaterThanOrEqualTo(tier.policy.coolDown());
        }
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.state.episode()).isNull();
    }

    @Test
    void aStepDownThatHurtsIsTakenBackWithADoubledHold() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        tier.until(Action.STEP_DOWN, 60, Tier::quiet);
        int level = tier.level();
        // slow, but with the load per operation of a quiet host: the tree does not call it interference
        Decision up = tier.until(Action.STEP_UP, 15, sample -> Tier.quiet(sample).set(Metric.RESPONSE_TIME, 0.21)
                .set(Metric.THROUGHPUT, 115));
        assertThat(up.scenario()).isEqualTo(Scenario.STEP_UP_AGAIN);
        assertThat(tier.level()).isEqualTo(level + 1);
        Decision down = tier.until(Action.STEP_DOWN, 60, Tier::quiet);
        assertThat(Duration.between(up.time(), down.time())).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void theLadderAloneAndThePaperAlone() {
        Tier ladder = Tier.settled(Tier.policy().levers(EnumSet.of(Lever.MITIGATION)).build());
        ladder.feed(100, Tier::noisy);
        assertThat(ladder.running).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 4));
        ladder.feed(100, Tier::quiet);
        assertThat(ladder.running).isEqualTo(Tier.BASE);
        Tier paper = Tier.settled(Tier.policy().levers(PAPER).build());
        paper.feed(100, Tier::noisy);
        assertThat(paper.running).isEqualTo(Lever.settings(300, 6230, 50, 0));
        assertThat(paper.actions()).hasSize(1);
        paper.feed(30, Tier::quiet);
        assertThat(paper.running).isEqualTo(Tier.BASE);
        assertThat(paper.actions()).hasSize(2);
    }

    @Test
    void everyMitigationIsComputedFromTheBaseline() {
        Tier tier = Tier.settled(Tier.policy().levers(PAPER).build());
        Settings first = tier.until(Action.MITIGATE, 10, Tier::noisy).desired();
        tier.feed(60, Tier::quiet);
        Settings second = tier.until(Action.MITIGATE, 10, Tier::noisy).desired();
        assertThat(second).isEqualTo(first);
    }

    @Test
    void trivialMovesAreNotMade() {
        Policy policy = Tier.policy().levers(EnumSet.of(Lever.KEEP_ALIVE_TIMEOUT)).targetResponseTime(0.1).build();
        Tier tier = Tier.settled(policy);
        // 3 x (0.12 - 0.04) s = 0.24 s, less than 5 % of 5 s
        Decision decision = tier.feed(20, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.121));
        assertThat(decision.scenario()).isEqualTo(Scenario.NOTHING_LEFT);
        assertThat(tier.actions()).isEmpty();
    }

    @Test
    void oneWrongLabelNeverReconfigures() {
        Tier calm = Tier.settled();
        calm.feed(Tier::noisy);
        calm.feed(30, Tier::quiet);
        assertThat(calm.actions()).isEmpty();
        Tier loud = Tier.settled();
        loud.feed(100, Tier::noisy);
        int before = loud.actions().size();
        loud.feed(sample -> Tier.quiet(sample));
        loud.feed(100, Tier::noisy);
        assertThat(loud.actions()).hasSize(before);
    }

    @Test
    void theActionsOfTheHourAreLimitedAndTheWayBackIsKeptFree() {
        Tier tier = Tier.settled(Tier.policy().actionsPerHour(5).build());
        tier.feed(200, Tier::noisy);
        // level 1: 1 + 2 back; level 2: 2 + 3 back; level 3 would need 3 + 4
        assertThat(tier.level()).isEqualTo(2);
        assertThat(tier.decisions.get(tier.decisions.size() - 1).scenario()).isEqualTo(Scenario.BUDGET_SPENT);
        tier.feed(100, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.actions()).hasSize(5);
        tier.feed(100, Tier::noisy);
        assertThat(tier.actions()).hasSize(5);
    }

    @Test
    void theTargetMayBeComparedWithThePercentile() {
        Policy policy = Tier.policy().felt(Metric.RESPONSE_TIME_P95).targetResponseTime(1).build();
        Tier tier = Tier.settled(policy);
        Decision unmeasured = tier.feed(10, Tier::noisy);
        assertThat(unmeasured.reason()).contains("no response_time_p95 was measured");
        Decision felt = tier.until(Action.MITIGATE, 3, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME_P95, 1.2));
        assertThat(felt.reason()).contains("response_time_p95 1.2s, target 1s");
    }
}
