// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.util.Map;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Sample;

/**
 * One turn of the loop, as the history keeps it.
 *
 * @param sample  of the managed tier
 * @param extras  numbers that no rule looks at, by {@code label.name}
 * @param medians without interference
 * @param target  response time below which nothing is done, s
 * @param state   in one word, as {@link History#STATES} has it
 * @param level   of the ladder, that was in force
 */
public record HistoryMoment(Sample sample, Map<String, Double> extras, Medians medians, double target, String state, int level) {
}
