// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;

/**
 * Tells the decisions that people want to hear of from the steady rest: actions, a confirmed change of context, and
 * the first of a row of reasons not to act; of a harm, each cause. An hour of samples that flicker between two labels writes nothing, and of
 * reasons that take turns each is told once a minute. A confirmed context is always told, because when an interference
 * was noticed is read from the journal; three samples in a row confirm one, so it cannot change every second.
 */
final class JournalFilter {

    /** Why nothing is done although something could be: worth a word when it begins. */
    private static final Set<Scenario> REASONS = EnumSet.of(Scenario.NOT_NORMAL, Scenario.BELOW_TARGET,
            Scenario.BUDGET_SPENT, Scenario.NOTHING_LEFT, Scenario.HIDDEN, Scenario.HOLDING, Scenario.SHARE_HELD, Scenario.NOT_APPLIED,
            Scenario.FOREIGN_CHANGE, Scenario.SLOW, Scenario.QUICK_AGAIN, Scenario.ONLY_ADVISED);

    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Map<Object, Instant> told = new HashMap<>();
    private State confirmed;
    private Object reason;

    /** True if people want to hear of it; it remembers what they have heard. */
    boolean passes(Decision decision) {
        State state = decision.state();
        Scenario scenario = decision.scenario();
        if (decision.action() != Action.HOLD) {
            told.clear();
            reason = null;
            confirmed = isConfirmed(state) ? state : confirmed;
            return true;
        }
        boolean newContext = isConfirmed(state) && state != confirmed;
        Object why = scenario == Scenario.SLOW ? decision.harm().<Object>map(harm -> harm.finding().cause()).orElse(scenario) : scenario;
        boolean newReason = REASONS.contains(scenario) && why != reason && isDue(why, decision.time());
        if (!newContext && !newReason) {
            return false;
        }
        confirmed = newContext ? state : confirmed;
        reason = why;
        told.put(why, decision.time());
        return true;
    }

    /** Also after a step of the clock, in either direction. */
    private boolean isDue(Object what, Instant now) {
        Instant last = told.get(what);
        return last == null || Duration.between(last, now).abs().compareTo(PAUSE) >= 0;
    }

    private static boolean isConfirmed(State state) {
        return state == State.I2 || state == State.NI2;
    }
}
