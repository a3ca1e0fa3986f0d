// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.budget;

import java.time.Instant;
import java.util.Optional;

/**
 * What of the budget of actions is used. The agent's actions and those of people are counted apart: what a person tries
 * does not keep the agent from acting.
 *
 * @param actions  the agent's in the last hour, with those that led back
 * @param byHand   how often people left the baseline in the last hour
 * @param limit    of the agent's actions in an hour
 * @param nextFree when the oldest of the agent's actions is an hour old; empty when there is none
 */
public record BudgetUse(int actions, int byHand, int limit, Optional<Instant> nextFree) {

    /** How the words begin that say that a budget holds something back. */
    public static final String HELD_BACK = "budget: ";

    /** Nothing used, of a budget of 0. */
    public static BudgetUse none() {
        return new BudgetUse(0, 0, 0, Optional.empty());
    }

    /** True if not even one action more is allowed. */
    public boolean spent() {
        return actions >= limit;
    }
}
