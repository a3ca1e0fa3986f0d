// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.util.Optional;

/**
 * Whether the controllers rest, since the budget of changes is spent: a knob that nobody moves any more may have left its guest with
 * too little. From when it is spent all is at the baseline until a quarter of it is free again. Not thread-safe.
 */
final class BudgetPause {

    /** What is not restored is asked again after so many turns. */
    private static final int ASKED_AGAIN = 20;

    private final int budget;
    private int turns;

    BudgetPause(int budget) {
        this.budget = budget;
    }

    /** Why nothing is moved, given the changes of the last hour; empty where all goes on. */
    Optional<String> reason(int changes) {
        turns = changes >= budget || turns > 0 && changes > awake() ? turns + 1 : 0;
        return turns > 0 ? Optional.of(changes + " changes in the last hour, and safety.actions-per-hour is " + budget
                + ": nothing but a restore is done until no more than " + awake() + " are left of them") : Optional.empty();
    }

    /** True in the turns of a rest in which all is restored. */
    boolean restores() {
        return turns % ASKED_AGAIN == 1;
    }

    private int awake() {
        return budget * 3 / 4;
    }
}
