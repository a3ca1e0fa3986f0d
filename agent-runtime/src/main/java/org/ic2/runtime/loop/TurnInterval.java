// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Instant;
import org.ic2.runtime.knob.Settings;

/**
 * The interval that is to be measured.
 *
 * @param time       the measurement's time
 * @param firstEpoch the configuration epoch at its beginning; another than the last when a reconfiguration fell into it
 * @param lastEpoch  the configuration epoch at its end
 * @param believed   the configuration that is taken to be in force; a value that a sensor sees goes before
 * @param between    true in the middle of an interval: only what can be measured in a fraction of it
 */
public record TurnInterval(Instant time, long firstEpoch, long lastEpoch, Settings believed, boolean between) {
}
