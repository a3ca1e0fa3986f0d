// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.ControllerState;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.loop.Turn;

/** The latest of everything, for those who ask: written by the loop, read by status, metrics and dashboard. */
public final class AgentStatus {

    /** Ten minutes at an interval of one second. */
    private static final int SAMPLES = 600;
    private static final int DECISIONS = 50;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private final Deque<Decision> decisions = new ArrayDeque<>();
    private final Map<Scenario, Long> scenarios = new EnumMap<>(Scenario.class);
    private final Map<String, Long> results = new TreeMap<>();
    private final LongSupplier nanoClock;
    private Tick latest;
    private long turned;

    /** @param nanoClock monotonic, ns */
    public AgentStatus(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * One turn of the loop.
     *
     * @param sampled     what was measured
     * @param decision    what was decided
     * @param state       the controller's state after it
     * @param result      how the action went, in words; empty when nothing was to be done
     * @param outcome     the same in one word: applied, refused or failed
     * @param epoch       the configuration epoch after it
     * @param actionsInLastHour what of the budget is spent
     * @param decideNanos time that the decision took
     */
    public record Tick(TenantMeasurement sampled, Decision decision, ControllerState state, Optional<String> result,
            Optional<String> outcome, long epoch, int actionsInLastHour, long decideNanos) {
    }

    /** Puts up a turn of the loop; notable decisions stay in the list. */
    synchronized void post(Turn<TenantMeasurement, TenantVerdict> turn) {
        TenantVerdict verdict = turn.verdict();
        Tick tick = new Tick(priced(turn.measurement()), verdict.decision(), verdict.state(), turn.result().map(Result::text),
                turn.result().map(Result::word), turn.epoch(), turn.actionsInLastHour(), turn.decideNanos());
        latest = tick;
        turned = nanoClock.getAsLong();
        scenarios.merge(tick.decision().scenario(), 1L, Long::sum);
        tick.outcome().ifPresent(outcome -> results.merge(outcome, 1L, Long::sum));
        if (samples.size() == SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(tick.sampled().managed());
        if (verdict.notable()) {
            if (decisions.size() == DECISIONS) {
                decisions.removeFirst();
            }
            decisions.addLast(tick.decision());
        }
    }

    /** What was measured, with what its mix of requests cost by what was known before it. */
    synchronized TenantMeasurement priced(TenantMeasurement measurement) {
        return latest == null ? measurement : measurement.priced(latest.state().learning());
    }

    /** The last turn of the loop; empty before the first. */
    public synchronized Optional<Tick> latest() {
        return Optional.ofNullable(latest);
    }

    /** Time since the end of the last turn; empty before the first. */
    public synchronized Optional<Duration> sinceTurn() {
        return latest().map(tick -> Duration.ofNanos(nanoClock.getAsLong() - turned));
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

    /** Decisions so far by situation. */
    public synchronized Map<Scenario, Long> scenarios() {
        return scenarios.isEmpty() ? Map.of() : new EnumMap<>(scenarios);
    }

    /** Actions so far by outcome: applied, refused, failed. */
    public synchronized Map<String, Long> results() {
        return new TreeMap<>(results);
    }

    /** The latest notable decisions, oldest first. */
    public synchronized List<Decision> decisions() {
        return List.copyOf(decisions);
    }
}
