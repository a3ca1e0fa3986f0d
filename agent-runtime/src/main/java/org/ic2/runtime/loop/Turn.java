// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Set;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** One turn, from its measurement on. The loop calls each of these once, in this order. */
public interface Turn {

    /** The running values that were seen, and those of {@code otherwise} where none was. */
    Settings running(Settings otherwise);

    /**
     * Decides on what was measured. The loop applies what it can; the next measurements show what came of it.
     *
     * @param unsure knobs whose running values are missing for this turn, so that they are neither judged nor foreign
     */
    Verdict decide(Set<Knob> unsure);

    /** The turn has ended; publishes it. Called from the loop's thread, so it must be quick. */
    void ended(TurnOutcome outcome);
}
