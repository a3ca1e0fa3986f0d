// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.time.Duration;

/**
 * How the baseline is restored where nothing but a try tells whether it would do: one level down, at a price, and later if users
 * suffered from the last try.
 *
 * @param time        response times above the target for so long since a level down are the most that users pay for it
 * @param requests    so many requests in that time are the most
 * @param longestHold no hold before a try is longer, however often one failed
 */
public record Probing(Duration time, long requests, Duration longestHold) {
    /** Where nobody says otherwise. */
    public static final Probing USUAL = new Probing(Duration.ofSeconds(10), 3000, Duration.ofMinutes(32));
    /** The hold without an independent signal before the first level down, in hold units, while no try has failed. */
    public static final int BLIND_HOLD_UNITS = 3;

    public Probing {
        require(time.toMillis() > 0, "safety.probe-time", "more than 0 s", time);
        require(requests >= 1, "safety.probe-requests", "1 or more", requests);
        require(longestHold.toMillis() > 0, "safety.longest-hold", "more than 0 s", longestHold);
    }

    private static void require(boolean holds, String key, String expected, Object got) {
        if (!holds) {
            throw new IllegalArgumentException(key + ": expected " + expected + ", got " + got);
        }
    }

    /**
     * The most that a hold before the next level down may last, once one level down was no mistake: all levels together wait no longer
     * than one {@link #longestHold}, or a cool-down each.
     *
     * @param levels of the ladder
     * @param unit   the hold unit, ms
     * @return ms
     */
    public long longestStep(int levels, long unit) {
        return Math.max(unit, longestHold.toMillis() / Math.max(1, levels));
    }
}
