// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

/**
 * How often a host is measured to be what cannot be normal. Where that is nearly always so, waiting for quiet would be waiting for
 * ever, and users would have no help meanwhile.
 *
 * @param doubtful samples that could not be normal less those that could, 0 at least, before anything was learned or once the host
 *                 counts as never quiet
 * @param always   true if there were so many that the host counts as never quiet
 */
public record Unrest(int doubtful, boolean always) {
    /** So many samples that cannot be normal, more than others, before 20 were learned: five minutes, a sample a second. */
    public static final int NEVER_QUIET = 300;
    /** So many samples that can be normal, more than others, and the host is quiet after all. */
    private static final int QUIET = 20;

    /** A quiet host, as far as is known. */
    public static Unrest none() {
        return new Unrest(0, false);
    }

    /** The same after a sample. Once what is normal is known, only a host that is never quiet is watched on. */
    Unrest after(boolean now, boolean learned) {
        if (always) {
            int left = now ? Math.min(QUIET, doubtful + 1) : doubtful - 1;
            return left == doubtful ? this : left > 0 ? new Unrest(left, true) : none();
        }
        if (learned || !now) {
            return doubtful == 0 ? this : learned || doubtful < 2 ? none() : new Unrest(doubtful - 1, false);
        }
        return doubtful + 1 < NEVER_QUIET ? new Unrest(doubtful + 1, false) : new Unrest(QUIET, true);
    }
}
