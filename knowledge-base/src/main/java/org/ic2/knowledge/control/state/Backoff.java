// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

/**
 * What was learned about going back too early: each relapse doubles the hold.
 *
 * @param relapses    how often in a row interference was back soon after a step towards the baseline
 * @param lastBack    when that step was, ms on the controller's clock; -1 if none came after the last step away
 * @param steppedDown true if the last action was one rung down
 */
public record Backoff(int relapses, long lastBack, boolean steppedDown) {
    /** No hold is doubled more often. */
    static final int MAX_RELAPSES = 10;
    /** No hold is longer, ms. */
    public static final long MAX_HOLD = 32 * 60_000L;

    /** Nothing learned. */
    public static Backoff none() {
        return new Backoff(0, -1, false);
    }

    /**
     * A step away from the baseline: a relapse if it comes within {@code window} of the last step towards it, counted
     * once; if it comes later, an incident of its own.
     */
    public Backoff onGrowth(long now, long window) {
        if (lastBack < 0) {
            return new Backoff(relapses, -1, false);
        }
        return new Backoff(recent(now, window) ? Math.min(MAX_RELAPSES, relapses + 1) : 0, -1, false);
    }

    /** After a step towards the baseline. */
    public Backoff onWayBack(long now, boolean rung) {
        return new Backoff(relapses, now, rung);
    }

    /** True if the last step towards the baseline lies within the window. */
    public boolean recent(long now, long window) {
        return lastBack >= 0 && now - lastBack <= window;
    }

    /** {@code unit}, doubled for each relapse, limited. */
    public long doubled(long unit) {
        return Math.min(MAX_HOLD, unit << relapses);
    }
}
