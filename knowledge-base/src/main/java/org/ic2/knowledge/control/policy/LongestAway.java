// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.time.Duration;

/**
 * The longest time away from the baseline once the cause is gone, as it follows from the policy: every sample can be judged, and shows
 * neither interference nor a response time above the target; every action takes effect, and no person is at work.
 *
 * <pre>
 * one hold + levels x (hold of a step + interval) + 5 intervals
 * </pre>
 *
 * <p>The hold is that of a cause that is believed to be gone, or of a level that is tried although the demand seems to need it. Three
 * intervals confirm the end, and in two an action is seen to be in force. A computed share of a server cluster comes last: one more hold,
 * and its moves of an hour.
 */
public final class LongestAway {
    private static final int CONFIRMING = 5;
    private static final Duration SHARE_PAUSE = Duration.ofHours(1);

    private LongestAway() {
    }

    /** Whatever happened before. */
    public static Duration of(Policy policy) {
        return of(policy, policy.longestHold(), policy.probing().longestStep(policy.ladder().highest(), policy.holdUnit()));
    }

    /** While no try has failed, and no level is held for a demand that is only reckoned. */
    public static Duration usual(Policy policy) {
        long first = Math.min(policy.longestHold(), Probing.BLIND_HOLD_UNITS * policy.holdUnit());
        return of(policy, Math.max(first, policy.holdUnit()), policy.holdUnit());
    }

    private static Duration of(Policy policy, long first, long step) {
        Duration interval = policy.pace().usual();
        int levels = Math.max(1, policy.ladder().highest());
        Duration ladder = Duration.ofMillis(first).plus(Duration.ofMillis(step).plus(interval).multipliedBy(levels))
                .plus(interval.multipliedBy(CONFIRMING));
        return policy.sharing() == null ? ladder : ladder.plus(Duration.ofMillis(policy.longestHold())).plus(SHARE_PAUSE);
    }
}
