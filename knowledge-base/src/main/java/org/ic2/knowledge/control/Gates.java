// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Scenario;
import org.ic2.runtime.knob.Settings;

/**
 * What may postpone an action that leads away from the baseline. The way back passes none of them, but an action that
 * was to lead back and did not take effect is repeated only after a pause, which doubles up to half a minute.
 */
final class Gates {
    private Gates() {
    }

    static Proposal check(Proposal proposal, Draft draft, Policy policy) {
        Settings current = draft.configuration;
        long coolDown = policy.coolDown().toMillis();
        if (draft.usable < policy.warmUp() || !draft.learning.ready()) {
            return proposal.postponed(Scenario.WARMING_UP, current, "warming up: " + draft.usable + " of "
                    + policy.warmUp() + " samples since the start, " + draft.learning.medians().count() + " of "
                    + Learning.ENOUGH + " samples of normal");
        }
        if (draft.ledger.since(draft.now) < draft.ledger.pause(coolDown)) {
            return proposal.postponed(draft.ledger.failures() > 0 ? Scenario.NOT_APPLIED : Scenario.COOLING_DOWN,
                    current, "cooling down for " + draft.ledger.pause(coolDown) / 1000.0 + "s after an action");
        }
        if (!draft.ledger.affords(draft.now, policy.actionsPerHour(), proposal.desired(), policy.ladder())) {
            return proposal.postponed(Scenario.BUDGET_SPENT, current, draft.ledger.inLastHour(draft.now)
                    + " actions in the last hour, " + policy.actionsPerHour() + " with the way back are allowed");
        }
        return proposal;
    }

    /** True if the last action was to lead back and did not take effect. */
    static boolean failedBack(Draft draft) {
        long last = draft.ledger.last();
        boolean undone = draft.refusal != null && draft.refusal.until() == last + Controller.REFUSED_FOR;
        return draft.ledger.failures() > 0 && (draft.backoff.lastBack() == last || undone);
    }

    /** For the way back. */
    static Proposal repeated(Proposal proposal, Draft draft, Policy policy) {
        boolean early = failedBack(draft)
                && draft.ledger.since(draft.now) < draft.ledger.pauseBack(policy.coolDown().toMillis());
        return early ? proposal.postponed(Scenario.NOT_APPLIED, draft.configuration,
                "the last action did not take effect, the next try comes later") : proposal;
    }
}
