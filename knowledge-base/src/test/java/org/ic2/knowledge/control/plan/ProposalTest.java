// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Refusal;
import org.junit.jupiter.api.Test;

/** What the way away and the way back ask for, before anything postpones it. */
class ProposalTest {
    private static Moment slow(Moment moment) {
        moment.conditions = Tier::noisy;
        moment.counters = new Counters(100, Moment.NOW, 2, 0, 0);
        return moment;
    }

    @Test
    void theFirstStepAwayIsTheRulesValuesAndTheFirstLevel() {
        Moment moment = slow(new Moment());
        Proposal first = Escalation.propose(moment.context(), moment.policy);
        assertThat(first).returns(Action.MITIGATE, Proposal::action).returns(Scenario.MITIGATION, Proposal::scenario);
        assertThat(first.desired().get(Lever.MAX_REQUEST_WORKERS)).isLessThan(650);
        assertThat(first.desired().get(Lever.MITIGATION)).isEqualTo(1);
        assertThat(first.rules()).isNotEmpty();
    }

    @Test
    void aFurtherStepIsOneLevelUntilNoneIsLeft() {
        Moment moment = slow(new Moment().mitigated(3, 60));
        Proposal further = Escalation.propose(moment.context(), moment.policy);
        assertThat(further.action()).isEqualTo(Action.ESCALATE);
        assertThat(further.desired()).isEqualTo(moment.running.with(Lever.MITIGATION, 4));
        slow(moment.mitigated(4, 60));
        assertThat(Escalation.propose(moment.context(), moment.policy).scenario()).isEqualTo(Scenario.NOTHING_LEFT);
    }

    @Test
    void belowTheTargetNothingIsProposed() {
        Moment moment = slow(new Moment());
        moment.conditions = sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.2);
        assertThat(Escalation.propose(moment.context(), moment.policy).scenario()).isEqualTo(Scenario.BELOW_TARGET);
    }

    @Test
    void harmfulValuesAreNotTriedAgain() {
        Moment moment = slow(new Moment());
        moment.refusal = Refusal.from(Moment.NOW - 1, "users waited", null);
        Proposal proposal = Escalation.propose(moment.context(), moment.policy);
        assertThat(proposal.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
        assertThat(proposal.evidence()).contains("the paper's values are not used: users waited");
    }

    @Test
    void theWayBackIsTheRulesValuesAtOnceThenOneLevelForEachHold() {
        Moment moment = new Moment().mitigated(2, 1);
        Proposal values = ActionPlanner.restore(moment.context(), moment.policy);
        assertThat(values.action()).isEqualTo(Action.RESTORE);
        assertThat(values.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 2));
        moment.running = values.desired();
        moment.ledger = ActionHistory.empty().plus(Moment.NOW - 9999);
        assertThat(ActionPlanner.restore(moment.context(), moment.policy).scenario()).isEqualTo(Scenario.COOLING_DOWN);
        moment.ledger = ActionHistory.empty().plus(Moment.NOW - 10_000);
        assertThat(ActionPlanner.restore(moment.context(), moment.policy))
                .returns(Action.STEP_DOWN, Proposal::action)
                .returns(Tier.BASE.with(Lever.MITIGATION, 1), Proposal::desired);
        moment.backoff = new Backoff(1, Moment.NOW - 10_000, true);
        assertThat(ActionPlanner.restore(moment.context(), moment.policy).scenario())
                .as("a relapse doubles the hold").isEqualTo(Scenario.COOLING_DOWN);
        moment.running = Tier.BASE;
        assertThat(ActionPlanner.restore(moment.context(), moment.policy).scenario()).isEqualTo(Scenario.STEADY);
    }

    @Test
    void valuesThatCannotBeRestoredDoNotKeepTheLadderUp() {
        Moment moment = new Moment().mitigated(2, 60);
        moment.ledger = moment.ledger.withFailures(1);
        moment.backoff = Backoff.none().onWayBack(moment.ledger.last(), false);
        assertThat(ActionPlanner.restore(moment.context(), moment.policy).desired())
                .isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
    }

    @Test
    void aStepDownIsBlamedForTwelveCoolDowns() {
        Moment moment = slow(new Moment());
        assertThat(ActionPlanner.tooEarly(moment.context(), moment.policy)).as("no step came before").isFalse();
        moment.backoff = Backoff.none().onWayBack(Moment.NOW - 120_000, true);
        assertThat(ActionPlanner.tooEarly(moment.context(), moment.policy)).isTrue();
        assertThat(Escalation.again(moment.context(), moment.policy).desired())
                .isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
        moment.backoff = Backoff.none().onWayBack(Moment.NOW - 120_001, true);
        assertThat(ActionPlanner.tooEarly(moment.context(), moment.policy)).isFalse();
        moment.backoff = Backoff.none().onWayBack(Moment.NOW - 120_000, false);
        assertThat(ActionPlanner.tooEarly(moment.context(), moment.policy)).as("not a level").isFalse();
    }
}
