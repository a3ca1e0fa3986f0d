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
 * @param context    one more for each sample that shows the context of a rule that acts by its own evidence, one less for
 *                   each that does not, from 0 to 2
 */
public record Counters(int usable, long lastUsable, int slow, int waiting, int foreign, int context) {
    /** So many samples confirm a context. */
    public static final int CONFIRMED = 2;

    /** Where no rule acts by its own evidence. */
    public Counters(int usable, long lastUsable, int slow, int waiting, int foreign) {
        this(usable, lastUsable, slow, waiting, foreign, 0);
    }

    /** At a start. */
    static Counters at(long now) {
        return new Counters(0, now, 0, 0, 0);
    }

    /** The count of {@link #context} after a judged sample that shows one, or none. */
    public int context(boolean shown) {
        return shown ? Math.min(CONFIRMED, context + 1) : Math.max(0, context - 1);
    }

    /** After an action: what waited before it does not count against it. */
    public Counters withoutWaiting() {
        return new Counters(usable, lastUsable, slow, 0, foreign, context);
    }
}
