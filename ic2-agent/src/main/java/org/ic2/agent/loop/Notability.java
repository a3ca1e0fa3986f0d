// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.util.EnumSet;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;

/**
 * Tells the decisions that people want to hear of from the steady rest: actions, a confirmed change of context, and
 * the first of a row of reasons not to act. An hour of samples that flicker between two labels writes nothing.
 */
final class Notability {

    /** Why nothing is done although something could be: worth a word when it begins. */
    private static final Set<Scenario> REASONS = EnumSet.of(Scenario.BELOW_TARGET, Scenario.BUDGET_SPENT,
            Scenario.NOTHING_LEFT, Scenario.HIDDEN, Scenario.HOLDING, Scenario.NOT_APPLIED, Scenario.FOREIGN_CHANGE);

    private State confirmed;
    private Scenario reason;

    boolean isNotable(Decision decision) {
        if (decision.action() != Action.HOLD) {
            reason = null;
            confirmed = isConfirmed(decision.state()) ? decision.state() : confirmed;
            return true;
        }
        if (isConfirmed(decision.state()) && decision.state() != confirmed) {
            confirmed = decision.state();
            reason = decision.scenario();
            return true;
        }
        if (REASONS.contains(decision.scenario()) && decision.scenario() != reason) {
            reason = decision.scenario();
            return true;
        }
        return false;
    }

    private static boolean isConfirmed(State state) {
        return state == State.I2 || state == State.NI2;
    }
}
