// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

import java.time.Instant;

/**
 * A time away from the baseline that is over.
 *
 * @param begin the time of the decision that began it
 * @param end   that of the sample that shows the baseline, or begins manual mode
 * @param cause what it was for: keys of causes, in the order in which they were acted on
 * @param level the highest level of mitigation that was in force
 * @param worth what it was worth
 */
public record EndedEpisode(Instant begin, Instant end, String cause, int level, EpisodeWorth worth) {
    /** For people, without its times. */
    public String describe() {
        return "cause " + cause + ", level " + level + " at most; " + worth.describe();
    }
}
