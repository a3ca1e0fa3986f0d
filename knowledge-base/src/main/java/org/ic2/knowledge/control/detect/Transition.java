// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import org.ic2.knowledge.State;

/**
 * One step of a state machine.
 *
 * @param to      the next state
 * @param trigger what fires on the way
 */
public record Transition(State to, Trigger trigger) {
    /** What a step fires. */
    public enum Trigger {
        /** Nothing. */
        NONE,
        /** Entering I2: mitigate. */
        MITIGATE,
        /** Entering NI2: restore. */
        RESTORE
    }

    static Transition silent(State to) {
        return new Transition(to, Trigger.NONE);
    }
}
