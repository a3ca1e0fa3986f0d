// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.time.Duration;

/**
 * A question about the testbed.
 *
 * @param name     of the experiment
 * @param title    of its plot
 * @param axis     what the settings are
 * @param slots    the settings and neighbours, in turn
 * @param interval of the load's statistics; window and time to settle are multiples of it
 * @param rampUp   of the load; the neighbours touch their memory meanwhile
 */
public record Experiment(String name, String title, String axis, Slots slots, Duration interval, Duration rampUp) {
    /** The same with more or fewer rounds. */
    public Experiment rounds(int rounds) {
        return new Experiment(name, title, axis, new Slots(slots.tunings(), slots.neighbours(), rounds, slots.settle(),
                slots.window()), interval, rampUp);
    }
}
