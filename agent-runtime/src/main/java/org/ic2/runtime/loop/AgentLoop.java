// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * One turn after the other: measure, decide, apply, write down. Everything that changes what the brain believes, the
 * commands of people included, comes through here one at a time.
 */
public final class AgentLoop {

    private static final Logger LOG = Logger.getLogger(AgentLoop.class.getName());

    /** Turns between two reads of those running values that no sensor shows. */
    private static final int READ_BACK_EVERY = 10;
    private static final int SAVE_EVERY = 60;
    private static final String ENDED = "the agent has ended, or has read its configuration again; try again";

    private final AgentPolicy mandate;
    private final TurnSource turnSource;
    private final Brain brain;
    private final Executor executor;
    private final Journal journal;
    private final StateStore store;
    private final Clock clock;
    private final Settings baseline;
    private final LoopLog log;
    private final PendingRestores unsettled;
    private final ControlOwner owner;
    private boolean started;
    private boolean ended;
    private long turns;
    private long lastEpoch;

    /** The loop's collaborators, gathered because there are many. */
    public record Parts(AgentPolicy mandate, TurnSource turnSource, Brain brain, Executor executor, Journal journal,
            StateStore store, Clock clock, LongSupplier nanoClock) {
    }

    public AgentLoop(Parts parts) {
        mandate = parts.mandate();
        turnSource = parts.turnSource();
        brain = parts.brain();
        executor = parts.executor();
        journal = parts.journal();
        store = parts.store();
        clock = parts.clock();
        baseline = mandate.limits().baseline();
        log = new LoopLog(journal, mandate);
        owner = new ControlOwner(brain, log, clock, parts.nanoClock());
        unsettled = new PendingRestores(executor, baseline, parts.nanoClock());
        lastEpoch = executor.epoch();
    }

    public AgentPolicy mandate() {
        return mandate;
    }

    /**
     * Finds out what runs, restores what a crashed agent left behind, and takes up what was learned.
     *
     * @param reason why it starts, where it is no agent's plain start
     */
    public synchronized void start(String reason) throws InterruptedException {
        JournalReplay told = JournalReplay.of(journal.history(), baseline);
        JournalReplay past = told.asOf(clock.instant());
        started = past.manual().isEmpty();      // an end that comes in the middle of it restores, too
        Settings running = readRunning();
        log.started(running, reason);
        if (past.leftBehind().isPresent() && recover(past, past.leftBehind().get())) {
            running = executor.believed();
        }
        store.load(brain);
        boolean advised = past.mode().filter(mode -> !mode.equals(Mode.ACT.toString())).isPresent();
        owner.restart(running, mandate.acts() && advised);
        if (owner.begin(told, past, running)) {
            store.save(brain);
        }
        unsettled.tell(brain);
        lastEpoch = executor.epoch();
        started = true;
    }

    /** What an earlier agent left behind, if nobody wants it so. */
    public Optional<String> left() {
        JournalReplay past = JournalReplay.of(journal.history(), baseline).asOf(clock.instant());
        return past.leftBehind().filter(left -> (mandate.acts() || past.mode().equals(Optional.of(Mode.ACT.toString())))
                && past.manual().isEmpty() && mandate.restoreOnExit());
    }

    /** Why the last thing that was done is not in the journal; empty when it is. */
    public Optional<String> unwritten() {
        return Optional.ofNullable(journal.failure());
    }

    /** Puts back what an earlier agent left behind, or says why not; true when that was tried. */
    private boolean recover(JournalReplay past, String leftBehind) throws InterruptedException {
        boolean restored = mandate.acts() && past.manual().isEmpty() && mandate.restoreOnExit();
        log.leftBehind(past, leftBehind, restored);
        if (restored) {
            unsettled.restoreBaseline(executor.levers(), leftBehind);
        }
        return restored;
    }

    /** Continues with a new configuration, after SIGHUP: what was learned stays, the context is found out anew. */
    public synchronized void continueFrom(AgentLoop earlier) throws InterruptedException {
        String learned = earlier.handOver();    // first: an order after it would be lost, so it is refused
        executor.continueFrom(earlier.executor);
        unsettled.continueFrom(earlier.unsettled);
        owner.continueFrom(earlier.owner, learned);
        owner.restart(readRunning(), mandate.acts() && !earlier.mandate.acts());
        unsettled.tell(brain);
        log.started(executor.believed(), "the configuration was read again");
        lastEpoch = executor.epoch();
        started = true;
    }

    private synchronized String handOver() {
        ended = true;
        return brain.write();
    }

    /**
     * Before a new configuration takes over: restores what it could not restore.
     *
     * @return why the new one must not take over; empty when it may
     */
    public synchronized Optional<String> prepareFor(AgentPolicy fresh) throws InterruptedException {
        if (!mandate.acts()) {
            return Optional.empty();
        }
        Optional<String> stranded = new ReloadCheck(mandate, fresh).stranded(readRunning(), executor.open());
        if (stranded.isEmpty()) {
            return Optional.empty();
        }
        if (brain.manual().isPresent()) {
            return Optional.of(stranded.get() + ", as a person wanted; run \"ic2 restore\" first");
        }
        LOG.info(() -> "restoring the baseline before the configuration changes: " + stranded.get());
        Result result = executor.execute(ChangeRequest.restore("reload", ChangeRequest.Origin.RECOVERY,
                "the configuration changes: " + stranded.get(), baseline));
        brain.restarted(executor.believed());
        return result instanceof Result.Applied ? Optional.empty()
                : Optional.of(stranded.get() + ", and the baseline could not be restored: " + result.text());
    }

    /** True if the next turn is wanted sooner than usual. */
    public synchronized boolean suspicious() {
        return brain.suspicious();
    }

    /** One turn. */
    public synchronized void tick() throws InterruptedException {
        if (owner.isOver()) {
            owner.handBackInTime(readRunning());
            store.save(brain);
        }
        if (!brain.between(clock.instant()) && ++turns % READ_BACK_EVERY == 0) {
            readRunning();
        }
        settle();
        Instant time = clock.instant();
        boolean between = brain.between(time);
        long epoch = executor.epoch();
        Turn turn = turnSource.measure(new TurnInterval(time, lastEpoch, epoch, executor.believed(), between));
        executor.seen(turn.running(executor.believed()));
        lastEpoch = epoch;
        Verdict verdict = turn.decide(mandate.acts() ? unsettled.unsure() : Set.of());
        Optional<Result> result = carryOut(verdict);
        turn.ended(new TurnOutcome(result, executor.epoch(), executor.budget(), owner.until()));
        boolean executed = mandate.acts() && verdict.step() == Verdict.Step.APPLY;  // the executor has written it down
        if (verdict.notable() && !executed) {
            log.decided(verdict);
        }
        keepSafeWithoutJournal();
        if (!between && turns % SAVE_EVERY == 0 || verdict.step() != Verdict.Step.HOLD) {
            store.save(brain);
        }
    }

    /** Restores what is due, and what was sent and has no outcome: nothing that is seen meanwhile can be trusted. */
    private void settle() throws InterruptedException {
        boolean charged = mandate.acts() && brain.manual().isEmpty();
        boolean failed = charged && unsettled.dueWithoutOutcome();
        if (unsettled.areDue() && unsettled.tryAgain() instanceof Result.Applied) {
            if (failed) {
                brain.undone(executor.believed());
            } else {
                brain.restarted(executor.believed());
            }
        }
        unsettled.tell(brain);
    }

    private Optional<Result> carryOut(Verdict verdict) throws InterruptedException {
        if (verdict.step() == Verdict.Step.ENTER_MANUAL) {
            return enterManual(verdict);
        }
        if (!mandate.acts() || verdict.step() == Verdict.Step.HOLD) {
            return Optional.empty();
        }
        store.save(brain);
        Result result = executor.execute(new ChangeRequest(verdict.id(), ChangeRequest.Origin.DECISION, verdict.action(),
                verdict.reason(), verdict.desired(), verdict.leadsBack(), Optional.of(verdict.json())));
        LOG.info(() -> verdict.id() + " " + verdict.action() + ": " + verdict.reason() + " -> " + result.text());
        return Optional.of(result);
    }

    /** Manual mode from now on; values of our own that nobody wants now go back. */
    private Optional<Result> enterManual(Verdict verdict) throws InterruptedException {
        unsettled.leave();
        owner.enteredManual(verdict.reason());
        Settings running = readRunning();
        Set<Knob> ours = Knob.set(Set.of());
        executor.levers().stream().filter(lever -> !verdict.desired().same(verdict.current(), lever)
                && running.same(verdict.current(), lever)).forEach(ours::add);
        Optional<Result> result = ours.isEmpty() ? Optional.empty()
                : Optional.of(unsettled.restoreBaseline(ours, verdict.reason()));
        unsettled.tell(brain);
        return result;
    }

    /** Changed values that no journal knows of would survive a crash: without a journal only the baseline is safe. */
    private void keepSafeWithoutJournal() throws InterruptedException {
        if (!mandate.acts() || journal.failure() == null || brain.manual().isPresent()
                || executor.believed().equals(baseline)) {
            return;
        }
        if (!unsettled.due()) {
            LOG.severe("restoring the baseline: " + journal.failure());
            unsettled.restoreBaseline(executor.levers(), journal.failure());
            brain.restarted(executor.believed());
        }
    }

    private Settings readRunning() throws InterruptedException {
        try {
            return executor.readRunning();
        } catch (IOException e) {
            LOG.log(Level.FINE, "running values cannot be read: {0}", e.getMessage());
            return executor.believed();
        }
    }

    /** Applies what a person wants and enters manual mode. */
    public synchronized Result applyByHand(Settings desired, String reason, OperatorRequest asked) throws InterruptedException {
        if (ended) {
            return new Result.Refused(ENDED);
        }
        Result result = executor.execute(ChangeRequest.byHand(desired, reason, asked.by()));
        if (result instanceof Result.Applied) {
            unsettled.leave();
            owner.take(reason, asked);
            unsettled.tell(brain);
            store.save(brain);
        }
        return result;
    }

    /** Enters manual mode and leaves everything as it is, but what is due back at the baseline: that is brought there all the same. */
    public synchronized CommandOutcome pause(String reason, OperatorRequest asked) {
        if (ended) {
            return CommandOutcome.not(ENDED);
        }
        owner.take(reason, asked);
        unsettled.tell(brain);
        store.save(brain);
        return CommandOutcome.done("the agent leaves everything as it is, with " + executor.believed().describe() + " in force");
    }

    /** Takes over again. */
    public synchronized CommandOutcome resume(String by) throws InterruptedException {
        if (ended) {
            return CommandOutcome.not(ENDED);
        }
        if (brain.manual().isEmpty()) {
            return CommandOutcome.done("the agent was not in manual mode");
        }
        unsettled.leave();
        owner.handBack(readRunning(), "a person handed back", by);
        unsettled.tell(brain);
        store.save(brain);
        return CommandOutcome.done("manual mode is over, with " + executor.believed().describe() + " in force");
    }

    /**
     * Ends: restores the baseline where that is wanted, and writes down how it was left. A loop that never started does
     * not know whether manual mode is on, so it leaves everything as it is.
     */
    public synchronized void stop(String reason) throws InterruptedException {
        ended = true;
        if (!started) {
            return;
        }
        if (mandate.acts() && mandate.restoreOnExit() && brain.manual().isEmpty()) {
            unsettled.restoreAtTheEnd(reason);
        }
        log.stopped(reason, executor.believed());
        store.save(brain);
    }
}
