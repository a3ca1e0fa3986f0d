// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import com.fasterxml.jackson.databind.JsonNode;
import org.ic2.runtime.knob.Settings;

/** What was decided on one measurement, as far as the loop must know. */
public interface Verdict {

    /** What there is to do. */
    enum Step {
        /** Nothing. */
        HOLD,
        /** Bring {@link #desired} about. */
        APPLY,
        /** Manual mode from now on; values of our own that nobody wants now go back. */
        ENTER_MANUAL
    }

    Step step();

    /** Its name, unique in this brain's life. */
    String id();

    /** What there is to do in one word of the brain's, for the journal. */
    String action();

    /** Why, in words. */
    String reason();

    /** What the brain makes of the situation in one word, for the log. */
    String context();

    /** True if it leads nearer to the baseline, though perhaps not all the way: then it is never held up. */
    boolean leadsBack();

    /** What is in force, as far as known. */
    Settings current();

    /** What is to be in force; equals {@link #current} when there is nothing to do. */
    Settings desired();

    /** True if people want to hear of it though nothing is applied. */
    boolean notable();

    /** All of it, for the journal. */
    JsonNode json();
}
