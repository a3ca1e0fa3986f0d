// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/** What a {@link Decision} asks the executor to do. */
public enum Action {
    /** Nothing. */
    HOLD(false),
    /** Leave the baseline: the rules' values, and the level that the demand asks for. */
    MITIGATE(true),
    /** One level up, because the label stays INTERFERENCE and RT is above the target. */
    ESCALATE(true),
    /** Back towards the baseline: the rules' values at once. */
    RESTORE(true),
    /** One level down, in NI2; or all of them where the baseline is known to carry the demand. */
    STEP_DOWN(true),
    /** One level up again, because RT rose above the target after a step down. */
    STEP_UP(true),
    /** Take back an action that made requests wait in the accept queue. */
    UNDO(true),
    /** Put back what is one's own and touch nothing more until the administrator says so. */
    ENTER_MANUAL(false);

    private final boolean applies;

    Action(boolean applies) {
        this.applies = applies;
    }

    /** True if the executor has a configuration to apply. */
    public boolean applies() {
        return applies;
    }
}
