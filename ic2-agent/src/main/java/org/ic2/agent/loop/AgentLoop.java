// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.io.IOException;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.Mode;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Result;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.ControllerState;
import org.ic2.knowledge.control.Outcome;
import org.ic2.knowledge.control.Policy;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.Recovered;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * One turn after the other: measure, decide, apply, write down. Holds the controller's state; everything that changes
 * it, the commands of people included, comes through here one at a time.
 */
public final class AgentLoop {

    private static final Logger LOG = Logger.getLogger(AgentLoop.class.getName());

    /** Turns between two reads of those running values that no sensor shows. */
    private static final int READ_BACK_EVERY = 10;
    private static final int SAVE_EVERY = 60;
    private static final Set<Action> BACK = Set.of(Action.RESTORE, Action.UNDO, Action.STEP_DOWN);

    private final AgentConfig config;
    private final SampleSource source;
    private final Executor executor;
    private final Journal journal;
    private final StateStore store;
    private final StatusBoard board;
    private final Optional<Recorder> recorder;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final Policy policy;
    private final ControlJson json = new ControlJson();
    private final Notability notability = new Notability();
    private final LooseEnds looseEnds;
    private ControllerState state;
    private long turns;
    private long lastEpoch;

    /** The loop's collaborators, gathered because there are many. */
    public record Parts(AgentConfig config, SampleSource source, Executor executor, Journal journal, StateStore store,
            StatusBoard board, Optional<Recorder> recorder, Clock clock, LongSupplier nanoClock) {
    }

    public AgentLoop(Parts parts) {
        config = parts.config();
        source = parts.source();
        executor = parts.executor();
        journal = parts.journal();
        store = parts.store();
        board = parts.board();
        recorder = parts.recorder();
        clock = parts.clock();
        nanoClock = parts.nanoClock();
        policy = config.policyFor(acting());
        looseEnds = new LooseEnds(executor, policy.baseline());
        lastEpoch = executor.epoch();
    }

    /** Finds out what runs, restores what a crashed agent left behind, and takes up what was learned. */
    public synchronized void start() throws InterruptedException {
        Recovered past = Recovered.of(journal.history(), policy.baseline());
        Settings running = readRunning();
        write(startEntry(running, ""));
        if (acting() && past.manual().isEmpty() && past.leftBehind().isPresent()) {
            if (config.restoreOnExit()) {
                LOG.warning(past.leftBehind().get() + "; restoring the baseline");
                looseEnds.bringHome(executor.levers(), past.leftBehind().get());
                running = executor.believed();
            } else {
                LOG.warning(past.leftBehind().get() + "; kept, as on-exit says");
            }
        } else if (past.leftBehind().isPresent()) {
            LOG.warning(past.leftBehind().get() + (past.manual().isPresent() ? "; kept, a person is in charge"
                    : "; nothing is changed in mode " + config.mode() + ": run \"ic2 restore\""));
        }
        warnOfLeversOutOfReach(past);
        Settings inForce = running;
        boolean advised = past.mode().filter(mode -> !mode.equals(Mode.ACT.toString())).isPresent();
        state = store.load(config.vocabulary()).map(stored -> done(stored, !advised).restarted(inForce)).orElseGet(() ->
                ControllerState.initial(inForce));
        past.manual().ifPresent(reason -> state = state.steppedAside(reason));
        state = looseEnds.found(state);
        lastEpoch = executor.epoch();
    }

    /** The state with the actions that were done: in mode act none that were only advised before. */
    private ControllerState done(ControllerState earlier, boolean acted) {
        return acting() && !acted ? earlier.withoutAdvice() : earlier;
    }

    private void warnOfLeversOutOfReach(Recovered past) {
        past.moved().stream().filter(lever -> past.leftBehind().isPresent() && !policy.levers().contains(lever))
                .forEach(lever -> LOG.severe("an earlier agent changed " + lever.key() + ", which is no lever any more:"
                        + " put it back by hand, or allow the lever again and restart"));
    }

    /** Continues with a new configuration, after SIGHUP: what was learned stays, the context is found out anew. */
    public synchronized void continueFrom(AgentLoop earlier) throws InterruptedException {
        executor.continueFrom(earlier.executor);
        looseEnds.continueFrom(earlier.looseEnds);
        state = looseEnds.found(done(earlier.state(), earlier.acting()).restarted(readRunning()));
        write(startEntry(executor.believed(), "the configuration was read again"));
        lastEpoch = executor.epoch();
    }

    /**
     * Before a new configuration takes over: restores what it could not restore.
     *
     * @return why the new one must not take over; empty when it may
     */
    public synchronized Optional<String> prepareFor(AgentConfig fresh) throws InterruptedException {
        if (!acting()) {
            return Optional.empty();
        }
        Optional<String> stranded = Handover.stranded(config, fresh, readRunning());
        if (stranded.isEmpty()) {
            return Optional.empty();
        }
        if (state.manualReason().isPresent()) {
            return Optional.of(stranded.get() + ", as a person wanted; run \"ic2 restore\" first");
        }
        LOG.info(() -> "restoring the baseline before the configuration changes: " + stranded.get());
        Result result = executor.execute(ChangeRequest.restore("reload", ChangeRequest.Origin.RECOVERY,
                "the configuration changes: " + stranded.get(), policy.baseline()));
        state = state.restarted(executor.believed());
        return result instanceof Result.Applied ? Optional.empty()
                : Optional.of(stranded.get() + ", and the baseline could not be restored: " + result.text());
    }

    private Entry startEntry(Settings running, String reason) {
        return new Entry.Start(journal.now(), config.mode().toString(), config.application(), Optional.of(running),
                Optional.of(policy.baseline()), reason);
    }

    /** One turn. */
    public synchronized void tick() throws InterruptedException {
        turns++;
        if (turns % READ_BACK_EVERY == 0) {
            tieUp();
        }
        long epoch = executor.epoch();
        Sampled measured = source.sample(clock.instant(), new SampleSource.Epochs(lastEpoch, epoch),
                executor.believed());
        Sampled sampled = acting() ? looseEnds.without(measured) : measured;
        lastEpoch = epoch;
        recorder.ifPresent(file -> {
            file.record(sampled.managed());
            sampled.others().forEach(file::record);
        });
        long start = nanoClock.getAsLong();
        Outcome outcome = Controller.decide(state, sampled.managed(), policy);
        long nanos = nanoClock.getAsLong() - start;
        state = outcome.state();
        Optional<Result> result = carryOut(outcome.decision());
        boolean notable = notability.isNotable(outcome.decision());
        board.post(new StatusBoard.Tick(sampled, outcome.decision(), state, result.map(Result::text),
                result.map(Result::word), executor.epoch(), executor.actionsInLastHour(), nanos), notable);
        if (notable && config.mode() != Mode.OBSERVE) {
            note(outcome.decision());
        }
        keepSafeWithoutJournal();
        if (turns % SAVE_EVERY == 0 || outcome.decision().action() != Action.HOLD) {
            store.save(state);
        }
    }

    /** Reads what no sensor shows, after another try to bring home what is due. */
    private void tieUp() throws InterruptedException {
        if (looseEnds.areDue() && looseEnds.tryAgain() instanceof Result.Applied) {
            state = state.restarted(executor.believed());
        }
        readRunning();
        state = looseEnds.found(state);
    }

    private Optional<Result> carryOut(Decision decision) throws InterruptedException {
        if (decision.action() == Action.STEP_ASIDE) {
            return stepAside(decision);
        }
        if (!acting() || !decision.applies()) {
            return Optional.empty();
        }
        store.save(state);
        Result result = executor.execute(new ChangeRequest(decision.id(), ChangeRequest.Origin.DECISION,
                decision.action().name(), decision.reason(), decision.desired(), BACK.contains(decision.action()),
                Optional.of(json.tree(decision))));
        LOG.info(() -> decision.id() + " " + decision.action() + ": " + decision.reason() + " -> " + result.text());
        return Optional.of(result);
    }

    /** Someone else is in charge from now on; values of our own that nobody wants now go back. */
    private Optional<Result> stepAside(Decision decision) throws InterruptedException {
        looseEnds.leave();
        write(new Entry.Manual(journal.now(), decision.reason()));
        Settings running = readRunning();
        Set<Knob> ours = Knob.set(Set.of());
        executor.levers().stream().filter(lever -> !decision.desired().same(decision.current(), lever)
                && running.same(decision.current(), lever)).forEach(ours::add);
        Optional<Result> result = ours.isEmpty() ? Optional.empty()
                : Optional.of(looseEnds.bringHome(ours, decision.reason()));
        state = looseEnds.found(state);
        return result;
    }

    private void note(Decision decision) {
        if (acting() && decision.applies()) {
            return;     // the executor has written intent and outcome
        }
        String advice = decision.applies() ? "would " + decision.action() + " to " + decision.desired().describe() + ": "
                : "";
        LOG.info(() -> decision.id() + " " + decision.state() + ": " + advice + decision.reason());
        write(new Entry.Decided(journal.now(), decision.id(), config.mode().toString(), decision.action().name(),
                decision.reason(), Optional.of(json.tree(decision))));
    }

    /** Changed values that no journal knows of would survive a crash: without a journal only the baseline is safe. */
    private void keepSafeWithoutJournal() throws InterruptedException {
        if (!acting() || journal.failure() == null || state.manualReason().isPresent()
                || executor.believed().equals(policy.baseline())) {
            return;
        }
        LOG.severe("restoring the baseline: " + journal.failure());
        executor.execute(ChangeRequest.restore("no-journal", ChangeRequest.Origin.RECOVERY, journal.failure(),
                policy.baseline()));
        state = state.restarted(executor.believed());
    }

    private Settings readRunning() throws InterruptedException {
        try {
            return executor.readRunning();
        } catch (IOException e) {
            LOG.log(Level.FINE, "running values cannot be read: {0}", e.getMessage());
            return executor.believed();
        }
    }

    /** Applies what a person wants and steps aside. */
    public synchronized Result applyByHand(Settings desired, String reason) throws InterruptedException {
        Result result = executor.execute(ChangeRequest.byHand(desired, reason));
        if (result instanceof Result.Applied) {
            looseEnds.leave();
            state = looseEnds.found(state.steppedAside(reason));
            write(new Entry.Manual(journal.now(), reason));
            store.save(state);
        }
        return result;
    }

    /** Takes over again. */
    public synchronized String resume() throws InterruptedException {
        if (state.manualReason().isEmpty()) {
            return "the agent was in charge already";
        }
        looseEnds.leave();
        state = looseEnds.found(state.resumed(readRunning()));
        write(new Entry.Resume(journal.now(), "a person handed back"));
        store.save(state);
        return "the agent is in charge again, with " + executor.believed().describe() + " in force";
    }

    /**
     * Ends: restores the baseline where that is wanted, and writes down how it was left. A loop that never started does
     * not know who is in charge, so it leaves everything as it is.
     */
    public synchronized void stop(String reason) throws InterruptedException {
        if (state == null) {
            return;
        }
        if (acting() && config.restoreOnExit() && state.manualReason().isEmpty()) {
            readRunning();
            Result result = executor.execute(ChangeRequest.restore("exit", ChangeRequest.Origin.EXIT, reason,
                    policy.baseline()));
            if (!(result instanceof Result.Applied)) {
                LOG.severe("the baseline could not be restored at the end; the next start tries again: "
                        + result.text());
            }
        }
        write(new Entry.Stop(journal.now(), reason, Optional.of(executor.believed())));
        store.save(state);
    }

    public synchronized ControllerState state() {
        return state;
    }

    private boolean acting() {
        return config.mode() == Mode.ACT;
    }

    private void write(Entry entry) {
        try {
            journal.append(entry);
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }
}
