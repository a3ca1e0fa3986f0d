// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

/**
 * What was learned about going back too early: each relapse doubles the hold.
 *
 * @param relapses    how often in a row interference was back soon after a step towards the baseline
 * @param lastBack    when that step was, ms on the controller's clock; -1 if none came after the last step away
 * @param steppedDown true if the last action was one level down
 * @param probe       what users have paid for that, or null
 */
public record Backoff(int relapses, long lastBack, boolean steppedDown, Probe probe) {
    /** No hold is doubled more often. */
    static final int MAX_RELAPSES = 10;

    /** After a level down for which nothing was paid yet, or none. */
    public Backoff(int relapses, long lastBack, boolean steppedDown) {
        this(relapses, lastBack, steppedDown, steppedDown ? Probe.at(lastBack) : null);
    }

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
    public Backoff onWayBack(long now, boolean level) {
        return new Backoff(relapses, now, level);
    }

    /**
     * After a sample that tells: what users have paid for a level down within the window.
     *
     * @param above     true for a response time above the target
     * @param completed requests
     */
    public Backoff judged(long now, long window, boolean above, double completed) {
        return probe == null || !recent(now, window) ? this
                : new Backoff(relapses, lastBack, steppedDown, probe.plus(now, above, completed));
    }

    /** True if the last step towards the baseline lies within the window. */
    public boolean recent(long now, long window) {
        return lastBack >= 0 && now - lastBack <= window;
    }

    /** {@code unit}, doubled for each relapse, up to the longest. */
    public long doubled(long unit, long longest) {
        return Math.min(longest, unit << Math.max(0, Math.min(relapses, MAX_RELAPSES)));
    }
}
