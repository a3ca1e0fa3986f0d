// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.loop.TurnOutcome;

/** The latest of everything, for those who ask: written by the loop, read by status, metrics and dashboard. */
public final class AgentStatus {

    /** Ten minutes at an interval of one second. */
    private static final int SAMPLES = 600;
    private static final int DECISIONS = 50;
    /** The state in manual mode. */
    public static final String MANUAL = "MANUAL";

    private final Deque<Judged> samples = new ArrayDeque<>();
    private final Deque<Decision> decisions = new ArrayDeque<>();
    private final Tally.Builder tally = new Tally.Builder();
    private final LongSupplier nanoClock;
    private Tick latest;
    private Optional<Instant> manualUntil = Optional.empty();
    private long turned;
    private long posted;
    private volatile Runnable listener = () -> { };
    private Instant stateSince;

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
     * @param level       of the ladder, that was in force
     * @param result      how the action went; empty when nothing was to be done
     * @param epoch       the configuration epoch after it
     * @param budget      what of the budgets of actions is used
     * @param decideNanos time that the decision took
     */
    public record Tick(TenantMeasurement sampled, Decision decision, ControllerState state, int level, Optional<Result> result,
            long epoch, BudgetUse budget, long decideNanos) {

        /** The agent's actions in the last hour. */
        public int actionsInLastHour() {
            return budget.actions();
        }

        /** True while the budget keeps the agent from an action that it wants, or allows none. */
        public boolean heldBack() {
            return budget.spent() || decision.scenario() == Scenario.BUDGET_SPENT
                    || result.filter(Result.Refused.class::isInstance).filter(refused -> refused.text().startsWith(BudgetUse.HELD_BACK)).isPresent();
        }

        /** The state in one word; MANUAL in manual mode. */
        public String stateName() {
            return state.manualReason().isPresent() ? MANUAL : decision.state().name();
        }
    }

    /**
     * A sample of the managed tier and what was made of it.
     *
     * @param state    the state in one word, as {@link Tick#stateName}
     * @param label    the label that moved the state machine, if one did
     * @param level    of the ladder, that was in force
     * @param decision the id of the decision on it, as the journal has it; empty when it was not worth a line
     */
    public record Judged(Sample sample, String state, Optional<Label> label, int level, Optional<String> decision) {
        static Judged of(Tick tick, boolean notable) {
            boolean written = notable || tick.decision().applies() && tick.result().isPresent();
            return new Judged(tick.sampled().managed(), tick.stateName(), tick.decision().believed(), tick.level(),
                    written ? Optional.of(tick.decision().id()) : Optional.empty());
        }

        private boolean isAfter(long millis) {
            return sample.time().toEpochMilli() > millis;
        }
    }

    /** Puts up a turn of the loop; notable decisions stay in the list. */
    void post(TenantMeasurement measurement, TenantVerdict verdict, TurnOutcome outcome, long decideNanos) {
        add(measurement, verdict, outcome, decideNanos);
        listener.run();
    }

    private synchronized void add(TenantMeasurement measurement, TenantVerdict verdict, TurnOutcome outcome, long decideNanos) {
        Tick tick = new Tick(priced(measurement), verdict.decision(), verdict.state(), verdict.level(), outcome.result(),
                outcome.epoch(), outcome.budget(), decideNanos);
        long now = nanoClock.getAsLong();
        tally.add(Optional.ofNullable(latest), Duration.ofNanos(latest == null ? 0 : now - turned), tick);
        verdict.ended().ifPresent(tally::add);
        if (latest == null || !latest.stateName().equals(tick.stateName())) {
            stateSince = tick.sampled().managed().time();
        }
        latest = tick;
        manualUntil = outcome.manualUntil();
        turned = now;
        if (samples.size() == SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(Judged.of(tick, verdict.notable()));
        posted++;
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

    /** Until when manual mode lasts; empty when that is not said, or it is off. */
    public synchronized Optional<Instant> manualUntil() {
        return manualUntil;
    }

    /** Time since the end of the last turn; empty before the first. */
    public synchronized Optional<Duration> sinceTurn() {
        return latest().map(tick -> Duration.ofNanos(nanoClock.getAsLong() - turned));
    }

    /** The time of the first sample in the state of now; empty before the first. */
    public synchronized Optional<Instant> stateSince() {
        return Optional.ofNullable(stateSince);
    }

    /** The managed tier's samples later than a time (epoch milliseconds), oldest first. */
    public synchronized List<Judged> samplesSince(long millis) {
        return samples.stream().filter(sample -> sample.isAfter(millis)).toList();
    }

    /**
     * The latest samples that came after so many, oldest first.
     *
     * @param number of {@link #count}, as it was
     */
    public synchronized List<Judged> samplesAfter(long number) {
        return samples.stream().skip(samples.size() - Math.min(samples.size(), posted - number)).toList();
    }

    /** How many turns were put up. */
    public synchronized long count() {
        return posted;
    }

    /** Who wants to know that a turn was put up, and is quick: it is called by the loop. */
    public void listen(Runnable quick) {
        listener = quick;
    }

    /** What has added up since the agent started. */
    public synchronized Tally tally() {
        return tally.build();
    }

    /** The latest notable decisions, oldest first. */
    public synchronized List<Decision> decisions() {
        return List.copyOf(decisions);
    }
}
