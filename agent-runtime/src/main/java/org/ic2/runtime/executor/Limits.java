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
 * @param actionsPerHour the most changes of the loop in an hour; then only the way back is open
 */
public record Limits(Settings baseline, Bounds bounds, Set<Knob> levers, Duration coolDown,
        int actionsPerHour) {
}
