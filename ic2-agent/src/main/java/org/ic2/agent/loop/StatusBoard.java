// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.ControllerState;

/** The latest of everything, for those who ask: written by the loop, read by status, metrics and dashboard. */
public final class StatusBoard {

    /** Ten minutes at an interval of one second. */
    private static final int SAMPLES = 600;
    private static final int DECISIONS = 50;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private final Deque<Decision> decisions = new ArrayDeque<>();
    private Tick latest;

    /**
     * One turn of the loop.
     *
     * @param sampled     what was measured
     * @param decision    what was decided
     * @param state       the controller's state after it
     * @param result      how the action went, in words; empty when nothing was to be done
     * @param epoch       the configuration epoch after it
     * @param actionsInLastHour what of the budget is spent
     * @param decideNanos time that the decision took
     */
    public record Tick(Sampled sampled, Decision decision, ControllerState state, Optional<String> result, long epoch,
            int actionsInLastHour, long decideNanos) {
    }

    /** Puts up a turn of the loop; {@code notable} decisions stay in the list. */
    synchronized void post(Tick tick, boolean notable) {
        latest = tick;
        if (samples.size() == SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(tick.sampled().managed());
        if (notable) {
            if (decisions.size() == DECISIONS) {
                decisions.removeFirst();
            }
            decisions.addLast(tick.decision());
        }
    }

    /** The last turn of the loop; empty before the first. */
    public synchronized Optional<Tick> latest() {
        return Optional.ofNullable(latest);
    }

    /** The managed tier's samples later than a time (epoch milliseconds), oldest first. */
    public synchronized List<Sample> samplesSince(long millis) {
        List<Sample> later = new ArrayList<>();
        for (Sample sample : samples) {
            if (sample.time().toEpochMilli() > millis) {
                later.add(sample);
            }
        }
        return later;
    }

    /** The latest notable decisions, oldest first. */
    public synchronized List<Decision> decisions() {
        return List.copyOf(decisions);
    }
}
