// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Instant;

/**
 * A confirmed harm to users, as a decision tells it.
 *
 * @param felt    what they suffer, in words
 * @param finding why
 * @param advice  what helps, in words
 * @param since   the time of the sample that confirmed it
 */
public record UserHarm(String felt, CauseFinding finding, String advice, Instant since) {
    /** The line for people. */
    public String describe() {
        return "slow: " + felt + "; cause: " + finding.describe() + "; advice: " + advice;
    }
}
