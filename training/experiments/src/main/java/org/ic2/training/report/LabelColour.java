// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.State;

/** What is the case, as all pictures colour it: light, so that dark words can be read on it by day and by night. */
public final class LabelColour {
    private LabelColour() {
    }

    /** The colour of a label. */
    public static String of(Label label) {
        return switch (label) {
            case NO_INTERFERENCE -> "#cdebd0";
            case TRANSIENT -> "#fdf0c4";
            case INTERFERENCE -> "#f6c9c5";
        };
    }

    /** The colour of a state, that of the label that it stands for. */
    public static String of(State state) {
        return switch (state) {
            case NI1, NI2 -> of(Label.NO_INTERFERENCE);
            case T -> of(Label.TRANSIENT);
            case I1, I2 -> of(Label.INTERFERENCE);
        };
    }
}
