// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.List;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;

/**
 * What a sample means.
 *
 * @param detected what the detector says, null if the sample could not be judged
 * @param believed what moves the state machine, null likewise
 * @param scenario NOT_JUDGED, NOT_NORMAL, HIDDEN or HOLDING where that is the case, else null
 * @param note     why, in words; empty if plain
 * @param late     what the detector waits for: metrics of which too few samples are known yet
 */
public record Judgement(Label detected, Label believed, Scenario scenario, String note, List<Metric> late) {
    /** The sample could not be judged. */
    public static Judgement none(String note) {
        return new Judgement(null, null, Scenario.NOT_JUDGED, note, List.of());
    }

    /** The detector's label is believed. */
    public static Judgement plain(Label label, String note) {
        return new Judgement(label, label, null, note, List.of());
    }

    /** Another label than the detector's is believed. */
    public static Judgement instead(Label detected, Label believed, Scenario scenario, String note) {
        return new Judgement(detected, believed, scenario, note, List.of());
    }

    /** The scenario, where there is one, with the note. */
    public String describe() {
        return scenario.description() + ": " + note;
    }

    /** True if the sample could be judged. */
    public boolean judged() {
        return believed != null;
    }
}
