// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.Scenario;

/**
 * What a sample means.
 *
 * @param detected what the detector says, null if the sample could not be judged
 * @param believed what moves the state machine, null likewise
 * @param scenario NOT_JUDGED, HIDDEN or HOLDING where that is the case, else null
 * @param note     why, in words; empty if plain
 */
record Judgement(Label detected, Label believed, Scenario scenario, String note) {
    static Judgement none(String note) {
        return new Judgement(null, null, Scenario.NOT_JUDGED, note);
    }

    static Judgement plain(Label label, String note) {
        return new Judgement(label, label, null, note);
    }

    boolean judged() {
        return believed != null;
    }
}
