// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** What is remembered of a decision. */
class NextStateTest {
    private static ControllerState next(Moment moment, Action action, Settings desired) {
        return next(moment, Proposal.act(action, Scenario.MITIGATION, desired, "why"));
    }

    private static ControllerState next(Moment moment, Proposal proposal) {
        return NextState.of(moment.context(), proposal, moment.policy);
    }

    @Test
    void aHoldChangesNothingButTheClockAndTheNumberOfTheDecision() {
        Moment moment = new Moment().mitigated(2, 60, "steal_excess");
        moment.pending = new Pending(Tier.BASE, Moment.NOW - 2000);
        ControllerState before = moment.before();
        assertThat(next(moment, Action.HOLD, moment.running)).isEqualTo(new ControllerState(before.state(), 8,
                Moment.NOW, before.wall() + 1000, before.configuration(), before.learning(), before.ledger(),
                before.pending(), before.episode(), before.backoff(), before.refusal(), before.counters(), null,
                moment.gathered().next(), moment.reliefs, null, null, null));
    }

    @Test
    void aMitigationIsPendingAndBeginsATimeAwayWithItsSignals() {
        Moment moment = new Moment();
        moment.conditions = sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.1);
        moment.counters = new Counters(100, Moment.NOW, 3, 1, 0);
        Settings desired = new Moment().mitigated(1, 0).running;
        ControllerState next = next(moment, Action.MITIGATE, desired);
        assertThat(next.configuration()).isEqualTo(desired);
        assertThat(next.pending()).isEqualTo(new Pending(Tier.BASE, Moment.NOW));
        assertThat(next.ledger()).isEqualTo(ActionHistory.empty().plus(Moment.NOW));
        assertThat(next.episode())
                .isEqualTo(new Episode(Moment.NOW, Moment.NOW, Moment.NOW, List.of("steal_excess", "steal_of_demand_excess"),
                        0.1));
        assertThat(next.counters()).isEqualTo(new Counters(100, Moment.NOW, 3, 0, 0));
    }

    @Test
    void aStepAwaySoonAfterAStepBackIsARelapse() {
        Moment moment = new Moment().mitigated(1, 60);
        moment.backoff = new Backoff(1, Moment.NOW - 120_000, true);
        Settings desired = new Moment().mitigated(2, 0).running;
        assertThat(next(moment, Action.STEP_UP, desired).backoff()).isEqualTo(new Backoff(2, -1, false));
        assertThat(next(moment, Action.STEP_DOWN, Tier.BASE).backoff()).isEqualTo(new Backoff(1, Moment.NOW, true));
        assertThat(next(moment, Action.RESTORE, Tier.BASE).backoff()).isEqualTo(new Backoff(1, Moment.NOW, false));
    }

    @Test
    void harmfulValuesAreRefusedForMinutesAndLongerEachTime() {
        Moment moment = new Moment().mitigated(1, 60);
        ControllerState next = next(moment, Action.UNDO, Tier.BASE);
        assertThat(next.refusal()).isEqualTo(new Refusal("why", Moment.NOW + 300_000, Moment.NOW));
        moment.refusal = new Refusal("before", Moment.NOW - 3_599_999, Moment.NOW - 4_199_999);
        assertThat(next(moment, Action.HOLD, Tier.BASE).refusal()).as("remembered").isEqualTo(moment.refusal);
        assertThat(next(moment, Action.UNDO, Tier.BASE).refusal().until()).isEqualTo(Moment.NOW + 1_200_000);
        moment.refusal = new Refusal("the longest", Moment.NOW - 1, Moment.NOW - 3_600_001);
        assertThat(next(moment, Action.UNDO, Tier.BASE).refusal().until()).isEqualTo(Moment.NOW + 3_600_000);
        moment.refusal = new Refusal("long ago", Moment.NOW - 3_600_000, Moment.NOW - 4_200_000);
        assertThat(next(moment, Action.UNDO, Tier.BASE).refusal().until()).isEqualTo(Moment.NOW + 300_000);
        assertThat(next.backoff()).isEqualTo(moment.backoff);
    }

    @Test
    void theBaselineIsReachedWhenItIsSeenAndInAdviceAtOnce() {
        Moment moment = new Moment().mitigated(1, 60);
        assertThat(next(moment, Action.RESTORE, Tier.BASE).episode()).isEqualTo(moment.episode);
        moment.policy = moment.policy.withActing(false);
        ControllerState advised = next(moment, Action.RESTORE, Tier.BASE);
        assertThat(advised.episode()).isNull();
        assertThat(advised.pending()).isNull();
    }

    @Test
    void inDoubtTheContextIsFoundOutAnewEvenIfTheActionIsPostponed() {
        Moment moment = new Moment().mitigated(1, 60);
        Proposal doubt = ActionPlanner.inDoubt(Scenario.STALE, moment.policy, "silence");
        assertThat(next(moment, doubt).state()).isEqualTo(State.T);
        assertThat(next(moment, doubt.postponed(Scenario.NOT_APPLIED, moment.running, "later")).state())
                .isEqualTo(State.T);
    }

    @Test
    void manualModeLeavesTheValuesAsTheyRun() {
        Moment moment = new Moment().mitigated(1, 60);
        ControllerState next = next(moment, Action.ENTER_MANUAL, Tier.BASE);
        assertThat(next.configuration()).isEqualTo(moment.running);
        assertThat(next.ledger()).isEqualTo(moment.ledger);
    }
}
