// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

/**
 * The rules' values did harm and are not used for a while.
 *
 * @param reason in words
 * @param until  ms on the controller's clock
 */
public record Refusal(String reason, long until) {
    /** What harmed is not tried again for so long, ms. */
    static final long LASTS = 3_600_000;

    static Refusal from(long now, String reason) {
        return new Refusal(reason, now + LASTS);
    }

    /** When the harm was taken back, ms on the controller's clock. */
    long since() {
        return until - LASTS;
    }
}
