// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Scenario;

/**
 * What may postpone an action that leads away from the baseline. The way back passes none of them, but an action that
 * was to lead back and did not take effect is repeated only after a pause, which doubles up to half a minute.
 */
final class Preconditions {
    private Preconditions() {
    }

    /** The proposal, within the bounds, if it may be carried out now; else to hold, and why. */
    static Proposal check(Proposal proposal, Situation situation, Policy policy) {
        Proposal due = switch (proposal.action()) {
            case MITIGATE, ESCALATE, STEP_UP -> away(proposal, situation, policy);
            case RESTORE, UNDO -> repeated(proposal, situation, policy);
            case HOLD, STEP_DOWN, STEP_ASIDE -> proposal;
        };
        return due.within(policy.bounds(), situation.current());
    }

    private static Proposal away(Proposal proposal, Situation situation, Policy policy) {
        Ledger ledger = situation.ledger();
        Learning learning = situation.before().learning();
        long coolDown = policy.coolDown().toMillis();
        if (situation.counters().usable() < policy.warmUp() || !learning.ready()) {
            return proposal.postponed(Scenario.WARMING_UP, situation.current(), "warming up: "
                    + situation.counters().usable() + " of " + policy.warmUp() + " samples since the start, "
                    + learning.medians().count() + " of " + MedianWindow.ENOUGH + " samples of normal");
        }
        boolean retried = proposal.scenario() == Scenario.SHARE_CUT && ledger.failures() == 0
                && situation.backoff().lastBack() == ledger.last();
        if (!retried && ledger.since(situation.now()) < ledger.pause(coolDown)) {
            return proposal.postponed(ledger.failures() > 0 ? Scenario.NOT_APPLIED : Scenario.COOLING_DOWN,
                    situation.current(), "cooling down for " + ledger.pause(coolDown) / 1000.0 + "s after an action");
        }
        if (!ledger.affords(situation.now(), policy.actionsPerHour(), proposal.desired(), policy.ladder())) {
            return proposal.postponed(Scenario.BUDGET_SPENT, situation.current(), ledger.inLastHour(situation.now())
                    + " actions in the last hour, " + policy.actionsPerHour() + " with the way back are allowed");
        }
        return proposal;
    }

    private static Proposal repeated(Proposal proposal, Situation situation, Policy policy) {
        boolean early = failedBack(situation) && situation.ledger().since(situation.now())
                < situation.ledger().pauseBack(policy.coolDown().toMillis());
        return early ? proposal.postponed(Scenario.NOT_APPLIED, situation.current(),
                "the last action did not take effect, the next try comes later") : proposal;
    }

    /** True if the last action was to lead back and did not take effect. */
    static boolean failedBack(Situation situation) {
        long last = situation.ledger().last();
        boolean undone = situation.refusal() != null && situation.refusal().since() == last;
        return situation.ledger().failures() > 0 && (situation.backoff().lastBack() == last || undone);
    }
}
