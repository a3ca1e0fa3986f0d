// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.runtime.knob.Settings;

/**
 * The way back to the baseline, in state NI2: the rules' values at once, then the ladder one rung for each hold
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
        Settings current = draft.configuration;
        Ladder ladder = policy.ladder();
        Optional<Settings> down = ladder.down(current);
        if (!ladder.othersAtBaseline(current)) {
            // Values that cannot be restored do not keep the ladder up: each further try takes a rung, too.
            Settings desired = ladder.withOthersAtBaseline(Gates.failedBack(draft) ? down.orElse(current) : current);
            return Gates.repeated(Proposal.act(Action.RESTORE, Scenario.RESTORATION, desired,
                    "no interference confirmed: " + current.changes(desired)), draft, policy);
        }
        if (down.isEmpty()) {
            return Proposal.hold(Scenario.STEADY, current, "no interference, the baseline is in force");
        }
        long coolDown = policy.coolDown().toMillis();
        long hold = Math.max(draft.backoff.doubled(Judge.unit(policy)),
                draft.ledger.failures() > 0 ? draft.ledger.pauseBack(coolDown) : coolDown);
        if (draft.ledger.since(draft.now) < hold) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "no interference, the next rung down comes "
                    + hold / 1000 + "s after the last action");
        }
        return Proposal.act(Action.STEP_DOWN, Scenario.STEP_DOWN, down.get(),
                "no interference: " + current.changes(down.get()));
    }

    /** True if RT rose above the target soon after a rung down. */
    static boolean tooEarly(Draft draft, Features features, Policy policy) {
        return features.responseTime() > policy.targetResponseTime() && draft.slow >= SLOW_SAMPLES
                && draft.backoff.steppedDown() && draft.backoff.recent(draft.now, relapseWindow(policy))
                && !policy.ladder().knobs().isEmpty();
    }

    /** The rung that was left too early. */
    static Proposal up(Draft draft, Features features, Policy policy) {
        Settings current = draft.configuration;
        List<String> evidence = new ArrayList<>();
        Settings desired = Away.climb(current, draft, features, policy, evidence);
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "the ladder has no rung left");
        }
        String reason = "RT rose to " + Rounded.of(features.responseTime()) + "s after a step down: "
                + current.changes(desired);
        return Gates.check(new Proposal(Action.STEP_UP, Scenario.STEP_UP_AGAIN, desired, reason, List.of(), evidence,
                Map.of()), draft, policy);
    }
}
