// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Scenario;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;

/**
 * What to do with one sample, before it is written down as a decision.
 *
 * @param action   what to do
 * @param scenario the situation
 * @param desired  the configuration to have
 * @param reason   in words
 * @param rules    rows of the knowledge base behind it
 * @param evidence what chose them
 * @param numbers  the terms of the formulas
 * @param anew     true if the operating context is in doubt and is found out anew
 */
public record Proposal(Action action, Scenario scenario, Settings desired, String reason, List<String> rules,
        List<String> evidence, Map<String, Double> numbers, boolean anew) {
    static Proposal hold(Scenario scenario, Settings current, String reason) {
        return act(Action.HOLD, scenario, current, reason);
    }

    static Proposal act(Action action, Scenario scenario, Settings desired, String reason) {
        return new Proposal(action, scenario, desired, reason, List.of(), List.of(), Map.of(), false);
    }

    /**
     * An action whose reason ends with what it changes.
     *
     * @param why the words before that
     */
    static Proposal move(Action action, Scenario scenario, Settings current, Settings desired, String why) {
        return act(action, scenario, desired, why + current.changes(desired));
    }

    /** The same with what is behind it. */
    Proposal because(List<String> rows, List<String> conditions, Map<String, Double> terms) {
        return new Proposal(action, scenario, desired, reason, rows, conditions, terms, anew);
    }

    /** The same with a further reason, if there is one. */
    Proposal noting(String further) {
        return further.isEmpty() ? this : new Proposal(action, scenario, desired, reason + "; " + further, rules, evidence, numbers, anew);
    }

    /** The same with another configuration to have. */
    Proposal to(Settings other) {
        return new Proposal(action, scenario, other, reason, rules, evidence, numbers, anew);
    }

    /** The same, carried out now or not, with the context in doubt. */
    Proposal inDoubt() {
        return new Proposal(action, scenario, desired, reason, rules, evidence, numbers, true);
    }

    /** The same within the bounds, which may have changed since the present values were set. */
    Proposal within(Bounds bounds, Settings current) {
        if (!action.applies()) {
            return this;
        }
        Settings allowed = bounds.clamp(desired);
        if (allowed.equals(desired)) {
            return this;
        }
        return allowed.equals(current) ? postponed(Scenario.NOTHING_LEFT, current, "the bounds leave no room")
                : new Proposal(action, scenario, allowed, reason, rules, evidence, numbers, anew);
    }

    /** The same action, not now. */
    Proposal postponed(Scenario why, Settings current, String because) {
        return new Proposal(Action.HOLD, why, current, because + "; due: " + reason, rules, evidence, numbers, anew);
    }
}
