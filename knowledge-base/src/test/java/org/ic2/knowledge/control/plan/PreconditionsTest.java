// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.ByHand;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What may postpone an action, and what may not. */
class PreconditionsTest {
    private static final Settings AWAY = Lever.settings(300, 6230, 50, 2);

    private static Proposal away(Action action) {
        return Proposal.act(action, Scenario.ESCALATION, AWAY, "it hurts");
    }

    private static Proposal restore(Action action) {
        return Proposal.act(action, Scenario.RESTORATION, Tier.BASE, "it is quiet");
    }

    private static Proposal check(Moment moment, Proposal proposal) {
        return ActionPlanner.check(proposal, moment.context(), moment.policy);
    }

    private static void assertPostponed(Moment moment, Proposal proposal, Scenario why, String reason) {
        Proposal checked = check(moment, proposal);
        assertThat(checked).returns(Action.HOLD, Proposal::action).returns(why, Proposal::scenario)
                .returns(moment.running, Proposal::desired);
        assertThat(checked.reason()).isEqualTo(reason + "; due: " + proposal.reason());
    }

    @ParameterizedTest
    @EnumSource(value = Action.class, names = {"MITIGATE", "ESCALATE", "STEP_UP"})
    void theWayAwayWaitsForWarmUpCoolDownAndBudget(Action action) {
        Moment moment = new Moment();
        assertThat(check(moment, away(action))).isEqualTo(away(action));
        moment.policy = Tier.policy().actionsPerHour(3).build();
        assertPostponed(moment, away(action), Scenario.BUDGET_SPENT,
                "0 actions in the last hour, 3 with the way back are allowed");
        moment.ledger = ActionHistory.empty().plus(Moment.NOW - 9999);
        assertPostponed(moment, away(action), Scenario.COOLING_DOWN, "cooling down for 10.0s after an action");
        moment.ledger = ActionHistory.empty().plus(Moment.NOW - 19_999).withFailures(1);
        assertPostponed(moment, away(action), Scenario.NOT_APPLIED, "cooling down for 20.0s after an action");
        moment.counters = new Counters(4, Moment.NOW, 0, 0, 0);
        moment.policy = Tier.policy().warmUp(5).build();
        assertPostponed(moment, away(action), Scenario.WARMING_UP, "warming up: 4 of 5 samples since the start, "
                + moment.learning.medians().count() + " of 20 samples of normal");
    }

    @ParameterizedTest
    @EnumSource(value = Action.class, names = {"RESTORE", "UNDO", "STEP_DOWN"})
    void theWayBackWaitsForNoneOfThem(Action action) {
        Moment moment = new Moment().mitigated(2, 1);
        moment.policy = Tier.policy().actionsPerHour(0).warmUp(1000).build();
        assertThat(check(moment, restore(action))).isEqualTo(restore(action));
    }

    @Test
    void aWayBackThatFailedIsTriedAgainAfterAPause() {
        Moment moment = new Moment().mitigated(2, 19);
        moment.ledger = moment.ledger.withFailures(1);
        assertThat(check(moment, restore(Action.RESTORE))).as("the failure was on the way out")
                .isEqualTo(restore(Action.RESTORE));
        moment.backoff = Backoff.none().onWayBack(moment.ledger.last(), false);
        String later = "the last action did not take effect, the next try comes later";
        assertPostponed(moment, restore(Action.RESTORE), Scenario.NOT_APPLIED, later);
        moment.backoff = Backoff.none();
        moment.refusal = Refusal.from(moment.ledger.last(), "harm", null);
        assertPostponed(moment, restore(Action.UNDO), Scenario.NOT_APPLIED, later);
        moment.mitigated(2, 20).ledger = moment.ledger.withFailures(1);
        assertThat(check(moment, restore(Action.RESTORE))).isEqualTo(restore(Action.RESTORE));
    }

    @Test
    void otherLeversAreMovedIntoTheBounds() {
        Moment moment = new Moment();
        moment.policy = Policy.builder(Tier.BASE, new Bounds(Lever.settings(400, 5000, 50, 0),
                Lever.settings(650, 5000, 400, 1)), ByHand.detector(), Shipped.rules()).build();
        assertThat(check(moment, away(Action.MITIGATE)).desired()).isEqualTo(Lever.settings(400, 5000, 50, 1));
        moment.running = Lever.settings(400, 5000, 50, 1);
        assertPostponed(moment, away(Action.ESCALATE), Scenario.NOTHING_LEFT, "the bounds leave no room");
    }
}
