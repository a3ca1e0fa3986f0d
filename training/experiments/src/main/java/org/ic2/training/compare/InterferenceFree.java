// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A phase of one run without interference, after the time in which queues of the episode before still drain.
 *
 * @param slot             the run
 * @param number           of the phase in its run, from 1
 * @param begin            seconds from the run's begin
 * @param seconds          how long it is
 * @param figures          what client and tier did
 * @param away             share of it in which something else than the baseline was in force
 * @param reconfigurations in it
 * @param mitigations      those of them that lead away from the baseline: wrong ones
 * @param agentCpu         CPU seconds of the agent for each second; NaN without one
 * @param agentMemory      MiB; NaN without one
 */
record InterferenceFree(PlannedRun slot, int number, double begin, double seconds, Map<String, Double> figures, double away,
        int reconfigurations, int mitigations, double agentCpu, double agentMemory) {
    private static final Duration MIN_LENGTH = Duration.ofSeconds(5);

    /** All such phases of a run; without a neighbour they are as long as its rests would be. */
    static List<InterferenceFree> of(Recording recording, ComparePlan plan) {
        List<InterferenceFree> found = new ArrayList<>();
        if (plan.loadOnly()) {
            for (Instant begin = recording.from(); !begin.plus(plan.off()).isAfter(recording.to()); begin = begin.plus(plan.off())) {
                found.add(one(recording, found.size() + 1, begin, begin.plus(plan.off())));
            }
            return found;
        }
        int number = 0;
        for (Recording.Phase phase : recording.phases()) {
            if (!phase.interference()) {
                number++;
                Instant begin = number == 1 ? phase.from() : phase.from().plus(plan.settle());
                if (!begin.plus(MIN_LENGTH).isAfter(phase.to())) {
                    found.add(one(recording, number, begin, phase.to()));
                }
            }
        }
        return found;
    }

    private static InterferenceFree one(Recording recording, int number, Instant begin, Instant end) {
        List<Event> changes = recording.reconfigurations(begin, end);
        int mitigations = (int) changes.stream().filter(event -> event.action().equals("MITIGATE")
                || event.action().equals("ESCALATE")).count();
        return new InterferenceFree(recording.slot(), number, recording.seconds(begin), Duration.between(begin, end).toMillis() / 1000.0,
                recording.figures(begin, end), recording.away(begin, end), changes.size(), mitigations,
                Usage.agentShare(recording.used(begin, end)), recording.agentMemory(begin, end));
    }

    /** True if both are the same phase of the same round beside the same neighbour. */
    boolean pairs(InterferenceFree other) {
        return slot.round() == other.slot().round() && slot.neighbour().equals(other.slot().neighbour())
                && number == other.number();
    }
}
