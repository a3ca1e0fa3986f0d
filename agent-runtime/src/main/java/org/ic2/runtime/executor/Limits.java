// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.time.Duration;
import java.util.Set;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The limits that hold for every request, whoever asks.
 *
 * @param baseline       the interference-free optimum; the way there is always open
 * @param bounds         no value outside is ever applied
 * @param levers         no other is ever moved, not even back
 * @param coolDown       the least time between two changes of the loop that lead away from the baseline
 * @param actionsPerHour the most changes of the agent in an hour; then only the way back is open
 */
public record Limits(Settings baseline, Bounds bounds, Set<Knob> levers, Duration coolDown,
        int actionsPerHour) {

    /** An agent that may do little, or nothing, must not keep people from it. */
    private static final int LEAST_BY_HAND = 60;

    /** How often people may leave the baseline in an hour: as often as the agent may act, 60 at least. */
    public int byHandPerHour() {
        return Math.max(LEAST_BY_HAND, actionsPerHour);
    }
}
