// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;

/**
 * The way back to the baseline, in state NI2: the paper's values at once, then the ladder one rung for each hold
 * (a cool-down, doubled for each relapse); up again with a doubled hold if RT rises above the target after a step.
 */
final class Back {
    /** So many samples in a row above the target make a step down a mistake. */
    private static final int SLOW_SAMPLES = 2;
    /** So many cool-downs after a step towards the baseline, trouble is blamed on the step. */
    private static final int RELAPSE_WINDOW = 12;

    private Back() {
    }

    static long relapseWindow(Policy policy) {
        return RELAPSE_WINDOW * Judge.unit(policy);
    }

    static Proposal propose(Draft draft, Policy policy) {
        Configuration current = draft.configuration;
        Configuration baseline = policy.baseline();
        if (!current.samePaperValues(baseline)) {
            // Values that cannot be restored do not keep the ladder up: each further try takes a rung, too.
            boolean again = Gates.failedBack(draft) && current.mitigation() > baseline.mitigation();
            Configuration desired = current.withPaperValuesOf(baseline)
                    .with(Lever.MITIGATION, again ? current.mitigation() - 1 : current.mitigation());
            return Gates.repeated(Proposal.act(Action.RESTORE, Scenario.RESTORATION, desired,
                    "no interference confirmed: " + Away.change(current, desired)), draft, policy);
        }
        if (current.mitigation() <= baseline.mitigation()) {
            return Proposal.hold(Scenario.STEADY, current, "no interference, the baseline is in force");
        }
        long coolDown = policy.coolDown().toMillis();
        long hold = Math.max(draft.backoff.doubled(Judge.unit(policy)),
                draft.ledger.failures() > 0 ? draft.ledger.pauseBack(coolDown) : coolDown);
        if (draft.ledger.since(draft.now) < hold) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "no interference, the next rung down comes "
                    + hold / 1000 + "s after the last action");
        }
        Configuration desired = current.with(Lever.MITIGATION, current.mitigation() - 1);
        return Proposal.act(Action.STEP_DOWN, Scenario.STEP_DOWN, desired,
                "no interference: " + Away.change(current, desired));
    }

    /** True if RT rose above the target soon after a rung down. */
    static boolean tooEarly(Draft draft, Features features, Policy policy) {
        return features.responseTime() > policy.targetResponseTime() && draft.slow >= SLOW_SAMPLES
                && draft.backoff.steppedDown() && draft.backoff.recent(draft.now, relapseWindow(policy))
                && policy.levers().contains(Lever.MITIGATION);
    }

    /** The rung that was left too early. */
    static Proposal up(Draft draft, Features features, Policy policy) {
        Configuration current = draft.configuration;
        int rung = policy.bounds().clamp(Lever.MITIGATION, current.mitigation() + 1);
        Configuration desired = current.with(Lever.MITIGATION, rung);
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "the ladder has no rung left");
        }
        return Gates.check(Proposal.act(Action.STEP_UP, Scenario.STEP_UP_AGAIN, desired, "RT rose to "
                + Rounded.of(features.responseTime()) + "s after a step down: " + Away.change(current, desired)),
                draft, policy);
    }
}
