// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.Locale;
import org.ic2.training.evaluate.Estimate;

/** What a measured change allows to say of an arm. */
enum Effect {
    /** Nothing was changed in any of the windows, so a difference is not the arm's doing. */
    NO_ACTION,
    /** Nothing could be compared. */
    NOT_MEASURED,
    /** One run has no interval. */
    ONE_RUN,
    /** The interval over the runs holds zero, or there is none. */
    NOT_TOLD,
    LESS,
    MORE;

    static Effect of(Estimate change, boolean acted) {
        if (!acted) {
            return NO_ACTION;
        }
        if (!Double.isFinite(change.value())) {
            return NOT_MEASURED;
        }
        return change.runs() == 1 ? ONE_RUN : change.less() ? LESS : change.more() ? MORE : NOT_TOLD;
    }

    /** Its name in files. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
