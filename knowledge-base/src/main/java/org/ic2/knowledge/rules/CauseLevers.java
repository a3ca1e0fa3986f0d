// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Features;

/**
 * What helps against a cause of harm that is no neighbour.
 *
 * @param first  the level of mitigation to begin with; 0: no level helps
 * @param last   the highest one that may be used for it
 * @param wall   the level after which the wall goes up, where there is one; -1: it does not
 * @param when   what must hold before {@code moves} are made; conditions whose attribute is missing do not hold
 * @param moves  of knobs, by Algorithm 1's functions
 * @param advice in words, for whoever does not let the agent act
 */
public record CauseLevers(int first, int last, int wall, List<Condition> when, List<Move> moves, String advice) {
    public CauseLevers {
        when = List.copyOf(when);
        moves = List.copyOf(moves);
    }

    /** The causes that a rule may be for. */
    public static String keys() {
        return Arrays.stream(Cause.values()).filter(cause -> cause != Cause.NEIGHBOUR).map(Cause::key).collect(Collectors.joining(", "));
    }

    /** True if there is anything to do. */
    public boolean any() {
        return first > 0 || wall >= 0 || !moves.isEmpty();
    }

    /** True if the knobs may be moved now. */
    public boolean may(Features features) {
        return when.stream().allMatch(condition -> condition.holds(features));
    }

    /** What is done, in words; empty if there is no lever. */
    public String does() {
        String levels = Stream.of(first == 0 ? "" : "levels " + first + " to " + last,
                wall < 0 ? "" : wall == 0 ? "the wall first" : "the wall after level " + wall)
                .filter(words -> !words.isEmpty()).collect(Collectors.joining(", "));
        String knobs = moves.stream().map(Move::describe).collect(Collectors.joining(", "))
                + (moves.isEmpty() || when.isEmpty() ? "" : " when " + when.stream().map(Condition::describe)
                .collect(Collectors.joining(" and ")));
        return levels + (levels.isEmpty() || knobs.isEmpty() ? "" : ", ") + knobs;
    }

    /** For {@code ic2 explain}. */
    public String toText() {
        String does = does();
        return (does.isEmpty() ? "no lever" : does) + "; advice: " + advice;
    }
}
