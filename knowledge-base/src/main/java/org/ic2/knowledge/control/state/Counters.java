// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

/**
 * Small counts that several samples add up to.
 *
 * @param usable     usable samples since the start
 * @param lastUsable when the last one came, ms on the controller's clock
 * @param slow       samples in a row with RT above the target
 * @param waiting    samples in a row in which the accept queue waits longer than before the action
 * @param foreign    samples in a row whose running values nobody here set
 */
public record Counters(int usable, long lastUsable, int slow, int waiting, int foreign) {
    /** At a start. */
    static Counters at(long now) {
        return new Counters(0, now, 0, 0, 0);
    }

    /** After an action: what waited before it does not count against it. */
    public Counters withoutWaiting() {
        return new Counters(usable, lastUsable, slow, 0, foreign);
    }
}
