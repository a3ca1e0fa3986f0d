// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

/**
 * The rules' values did harm, or the wall did not go up, and they are not used for a while: minutes, since what harmed beside one
 * neighbour may help beside the next; twice as long for each further time that comes soon after.
 *
 * @param reason in words
 * @param until  ms on the controller's clock
 * @param since  when the harm was taken back or the wall found down, ms on the controller's clock
 */
public record Refusal(String reason, long until, long since) {
    /** What harmed for the first time is not tried again for so long, ms. */
    public static final long FIRST_DURATION = 5 * 60_000;
    /** No refusal is longer, ms. A harm so long after the end of a refusal counts as the first again. */
    static final long MAX_DURATION = 3_600_000;

    /** One that begins now, after an earlier one, which may be null. */
    public static Refusal from(long now, String reason, Refusal earlier) {
        boolean again = earlier != null && now - earlier.until < MAX_DURATION;
        return new Refusal(reason, now + (again ? Math.min(MAX_DURATION, Math.max(FIRST_DURATION, 2 * earlier.lasts()))
                : FIRST_DURATION), now);
    }

    private long lasts() {
        return until - since;
    }
}
