// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.ic2.knowledge.Features;

/**
 * One row of the knowledge base: of the paper's Table 3, or one's own.
 *
 * @param id         its name
 * @param row        its number in the paper, from 1; empty if it is not of the paper
 * @param context    the context change in words
 * @param every      true: every condition must hold; false: one is enough
 * @param conditions the context as questions to a sample; none: confirmed interference alone is the context
 * @param always     true: acts by its own evidence, also without interference; false: in interference only
 * @param moves      what to do, each knob at most once
 * @param reason     why that helps, in words
 */
public record Rule(String id, OptionalInt row, String context, boolean every, List<Condition> conditions, boolean always, List<Move> moves,
        String reason) {
    public Rule {
        conditions = List.copyOf(conditions);
        moves = List.copyOf(moves);
    }

    /** True if the sample shows this row's context. */
    public boolean applies(Features features) {
        for (Condition condition : conditions) {
            if (condition.holds(features) != every) {
                return !every;
            }
        }
        return every;
    }

    /** The conditions that hold, with their values. */
    public List<String> evidence(Features features) {
        List<String> evidence = new ArrayList<>();
        for (Condition condition : conditions) {
            if (condition.holds(features)) {
                evidence.add(id + ": " + condition.describe(features));
            }
        }
        if (conditions.isEmpty()) {
            evidence.add(id + ": interference is confirmed");
        }
        return evidence;
    }

    /** The row as text, for {@code ic2 explain}. */
    public String toText() {
        return id + (row.isPresent() ? " (row " + row.getAsInt() + ")" : "") + ": " + context + "\n    when "
                + (conditions.isEmpty() ? "interference is confirmed" : conditions.stream().map(Condition::describe)
                .collect(Collectors.joining(every ? " and " : " or "))) + (always ? ", also without interference" : "")
                + "\n    then " + moves.stream().map(Move::describe).collect(Collectors.joining(", "))
                + "\n    because " + reason + "\n";
    }
}
