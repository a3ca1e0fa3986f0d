// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.ic2.knowledge.State.I1;
import static org.ic2.knowledge.State.I2;
import static org.ic2.knowledge.State.NI1;
import static org.ic2.knowledge.State.NI2;
import static org.ic2.knowledge.State.T;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.Transition.Trigger;

/**
 * The paper's five states (figure 8) as one table. A label of the other side leads through T, so that an isolated
 * wrong label never reconfigures: NI2 -> T -> I1 -> I2 takes three.
 *
 * <pre>
 *            NO_INTERFERENCE   TRANSIENT   INTERFERENCE
 *   NI1      NI2 (restore)     T           T
 *   NI2      NI2               T           T
 *   T        NI1               T           I1
 *   I1       T                 T           I2 (mitigate)
 *   I2       T                 T           I2
 * </pre>
 */
public final class FiveStates {
    private FiveStates() {
    }

    /** The step of one label. */
    public static Transition step(State state, Label label) {
        return switch (label) {
            case TRANSIENT -> Transition.silent(T);
            case NO_INTERFERENCE -> switch (state) {
                case NI1 -> new Transition(NI2, Trigger.RESTORE);
                case NI2 -> Transition.silent(NI2);
                case T -> Transition.silent(NI1);
                case I1, I2 -> Transition.silent(T);
            };
            case INTERFERENCE -> switch (state) {
                case NI1, NI2 -> Transition.silent(T);
                case T -> Transition.silent(I1);
                case I1 -> new Transition(I2, Trigger.MITIGATE);
                case I2 -> Transition.silent(I2);
            };
        };
    }
}
