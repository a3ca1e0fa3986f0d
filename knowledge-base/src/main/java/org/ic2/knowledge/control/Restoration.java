// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.runtime.knob.Settings;

/**
 * The way back to the baseline, in state NI2: all at once where the baseline is known to carry the demand; else the
 * rules' values at once, then the ladder one rung for each hold (a cool-down, doubled for each relapse); up again with a doubled hold if RT rises above the target after a step.
 */
final class Restoration {
    /** So many samples in a row above the target make a step down a mistake. */
    private static final int SLOW_SAMPLES = 2;
    /** So many cool-downs after a step towards the baseline, trouble is blamed on the step. */
    private static final int RELAPSE_WINDOW = 12;

    private Restoration() {
    }

    static long relapseWindow(Policy policy) {
        return RELAPSE_WINDOW * policy.holdUnit();
    }

    static Proposal propose(Situation situation, Policy policy) {
        Settings current = situation.current();
        Ledger ledger = situation.ledger();
        Ladder ladder = policy.ladder();
        Optional<Settings> down = ladder.down(current);
        ComputedStep home = mayGoHome(situation, policy) ? ComputedStep.home(situation, policy) : null;
        if (home != null) {
            return Proposal.act(Action.STEP_DOWN, Scenario.HOME, policy.baseline(),
                    "no interference, and the baseline carries the demand: " + current.changes(policy.baseline()))
                    .because(List.of(), List.of(home.reason()), home.numbers());
        }
        if (!ladder.othersAtBaseline(current)) {
            // Values that cannot be restored do not keep the ladder up: each further try takes a rung, too.
            Settings desired = ladder.withOthersAtBaseline(Preconditions.failedBack(situation) ? down.orElse(current)
                    : current);
            return Proposal.act(Action.RESTORE, Scenario.RESTORATION, desired,
                    "no interference confirmed: " + current.changes(desired));
        }
        if (down.isEmpty()) {
            return Proposal.hold(Scenario.STEADY, current, "no interference, the baseline is in force");
        }
        long coolDown = policy.coolDown().toMillis();
        long hold = Math.max(situation.backoff().doubled(policy.holdUnit()),
                ledger.failures() > 0 ? ledger.pauseBack(coolDown) : coolDown);
        if (ledger.since(situation.now()) < hold) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "no interference, the next rung down comes "
                    + hold / 1000 + "s after the last action");
        }
        return Proposal.act(Action.STEP_DOWN, Scenario.STEP_DOWN, down.get(),
                "no interference: " + current.changes(down.get()));
    }

    /**
     * After relapses only when the doubled hold is over, after another step back, which may have been refused, when the
     * cool-down is; what has failed is tried again step by step.
     */
    private static boolean mayGoHome(Situation situation, Policy policy) {
        Backoff backoff = situation.backoff();
        Ledger ledger = situation.ledger();
        long hold = backoff.relapses() > 0 ? backoff.doubled(policy.holdUnit())
                : backoff.lastBack() == ledger.last() ? policy.coolDown().toMillis() : 0;
        return ledger.failures() == 0 && ledger.since(situation.now()) >= hold;
    }

    /** In doubt, the baseline at once; and the context is found out anew. */
    static Proposal inDoubt(Scenario why, Policy policy, String reason) {
        return Proposal.act(Action.RESTORE, why, policy.baseline(), reason).inDoubt();
    }

    /** True if RT rose above the target soon after a rung down. */
    static boolean tooEarly(Situation situation, Policy policy) {
        return situation.features().sample().get(policy.felt()) > policy.targetResponseTime()
                && situation.counters().slow() >= SLOW_SAMPLES && situation.backoff().steppedDown()
                && situation.backoff().recent(situation.now(), relapseWindow(policy))
                && !policy.ladder().knobs().isEmpty();
    }

    /** The rung that was left too early. */
    static Proposal up(Situation situation, Policy policy) {
        Settings current = situation.current();
        ComputedStep step = ComputedStep.up(situation, policy);
        Reasoned reached = Escalation.climb(new Reasoned(current, List.of()), step, situation, policy);
        Settings desired = reached.values();
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "the ladder has no rung left");
        }
        return Proposal.act(Action.STEP_UP, Scenario.STEP_UP_AGAIN, desired, "RT rose to "
                + Rounded.of(situation.features().sample().get(policy.felt())) + "s after a step down: " + current.changes(desired))
                .because(List.of(), reached.evidence(), step == null ? Map.of() : step.numbers());
    }
}
