// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.contract.Contract;
import org.ic2.host.fleet.FleetExchange;
import org.ic2.host.loop.ControllerScheduler.ControlResult;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.ProposalJson;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Mode;

/**
 * Turns: measures, asks the controllers whose time has come and, in mode act, moves what they propose. What cannot be read or
 * understood stops the controllers for this turn. Commands of people come through here, one at a time.
 */
public final class HostLoop {

    private static final Logger LOG = Logger.getLogger(HostLoop.class.getName());

    /** Turns between two looks at the pools. */
    private static final int POOLS_EVERY = 20;

    /** Share of a value that was advised by which another must differ to be said. */
    private static final double NEWS = 0.1;

    private final HostConfig config;
    private final Backend backend;
    private final Applier applier;
    private final ControllerScheduler council;
    private final Journal journal;
    private final Clock clock;
    private final Optional<HostRecorder> recorder;
    private final Optional<Contract> contract;
    private final String intensity;
    private final FleetExchange outlook;
    private final BudgetPause rest;
    private final OomWatch kills;
    private final RefusedGuests refused = new RefusedGuests();
    private List<Pool> pools = List.of();
    private Map<String, String> homes = Map.of();
    private long memory;
    private long turns;
    private boolean ended;
    private Optional<String> manual = Optional.empty();
    private String fault = "";
    private Map<GuestKnob, Integer> advised = Map.of();
    private volatile Optional<HostTurn> last = Optional.empty();

    /**
     * What it works with.
     *
     * @param intensity what measures memory intensity, for tenants
     * @param outlook   on what its guests need and where they should live
     */
    public record Parts(HostConfig config, Backend backend, Applier applier, ControllerScheduler council, Journal journal, Clock clock,
            Optional<HostRecorder> recorder, Optional<Contract> contract, String intensity, FleetExchange outlook) {
    }

    public HostLoop(Parts parts) {
        config = parts.config();
        backend = parts.backend();
        applier = parts.applier();
        council = parts.council();
        journal = parts.journal();
        clock = parts.clock();
        recorder = parts.recorder();
        contract = parts.contract();
        intensity = parts.intensity();
        outlook = parts.outlook();
        rest = new BudgetPause(config.actionsPerHour());
        kills = new OomWatch(config.mode(), applier, journal::note);
    }

    public HostConfig config() {
        return config;
    }

    private boolean acts() {
        return config.mode() == Mode.ACT;
    }

    /** Between two turns. */
    public Duration period() {
        return council.period();
    }

    /**
     * Puts back what is left of an earlier agent, whatever the mode: it is the restore. Then {@link #begin}.
     *
     * @param reason why it starts, where it is no plain start
     */
    public synchronized void start(String reason) throws InterruptedException {
        begin(reason);
        StartupRestore.log(applier.restore("start", ChangeRequest.Origin.RECOVERY, StartupRestore.LEFT));
    }

    /** Finds out whether manual mode is on. */
    synchronized void begin(String reason) {
        List<Line> history = journal.history();
        manual = JournalReplay.of(history, Settings.none()).asOf(clock.instant()).manual();
        kills.recall(history);
        journal.note(new Entry.Start(clock.instant(), config.mode().toString(), config.backend().type(), Optional.empty(),
                Optional.empty(), reason));
        manual.ifPresent(why -> LOG.info("manual mode (" + why + "); \"ic2-host resume\" hands back"));
    }

    /** One turn. */
    public synchronized void turn() throws InterruptedException {
        if (ended) {
            return;
        }
        Optional<HostSample> measured = measured();
        if (measured.isEmpty()) {
            return;
        }
        HostSample sample = contract.isPresent() ? contract.get().heard(measured.get()) : measured.get();
        applier.observe(sample.guests(), pools);
        kills.look(sample, "turn-" + turns, clock.instant());
        HostView view = view(config, sample, pools, homes, memory, applier.inForce());
        long start = System.nanoTime();
        ControlResult decided = decide(sample, view);
        long nanos = System.nanoTime() - start;
        recorder.ifPresent(to -> to.record(sample, view, decided, turns == 1, asks()));
        Applier.Report report = new Applier.Report(List.of(), List.of(), List.of());
        if (acts() && manual.isEmpty()) {
            report = act(sample, decided);
            tell(sample, "turn-" + turns, report.moved());
        } else if (config.mode() == Mode.ADVISE) {
            advise(decided, view);
        }
        last = Optional.of(new HostTurn(sample, view, decided, report, applier.inForce(), Map.copyOf(applier.givenUp()),
                applier.actionsInLastHour(), nanos,
                outlook.turn("turn-" + turns, sample, memory, view.cpus(), config.mode(), manual.isPresent())));
    }

    private Optional<HostSample> measured() throws InterruptedException {
        try {
            HostSample measured = config.merged(backend.read(clock.instant(), council.wanted()));
            kills.count(measured);
            refused.look(backend.refused());
            if (turns % POOLS_EVERY == 0) {
                memory = backend.memory();
                pools = backend.pools();
            }
            homes = Placements.homes(config, backend, pools);
            turns++;    // what could not be read is read in the next turn
            fault("");
            return Optional.of(measured);
        } catch (ClosedByInterruptException e) {
            throw new InterruptedException("told to stop while the host was measured");
        } catch (IOException | RuntimeException e) {
            fault("nothing is decided: the host cannot be measured: " + (e instanceof IOException ? e.getMessage() : e.toString()));
            return Optional.empty();
        }
    }

    OomWatch kills() {
        return kills;
    }

    /** Who runs and cannot be a guest, and why. */
    List<String> refused() {
        return refused.lines();
    }

    private Applier.Report act(HostSample sample, ControlResult decided) throws InterruptedException {
        Optional<String> rests = rest.reason(applier.actionsInLastHour());
        if (rests.isPresent()) {
            return rest(rests.get());
        }
        Applier.Report report = applier.apply("turn-" + turns, decided.proposals(), free(config, sample));
        report.done().forEach(done -> LOG.info("set " + done));
        return report;
    }

    /** What rests is at the baseline. */
    private Applier.Report rest(String why) throws InterruptedException {
        List<GuestKnob> moved = List.of();
        if (rest.restores()) {
            RestoreResult result = applier.restore("turn-" + turns, ChangeRequest.Origin.DECISION, why);
            LOG.log(result.isAtBaseline() ? Level.WARNING : Level.SEVERE, why + "; " + result.text());
            moved = result.moved();
        }
        return new Applier.Report(List.of(), List.of(why), moved);
    }

    /** Only an agent that acts tells anything: the others write nothing. */
    private void tell(HostSample sample, String id, List<GuestKnob> moved) throws InterruptedException {
        if (contract.isPresent()) {
            contract.get().tell(sample, id, moved, intensity);
        }
    }

    private boolean asks() {
        return config.mode() != Mode.OBSERVE && manual.isEmpty();
    }

    private ControlResult decide(HostSample sample, HostView view) {
        if (!asks()) {
            return ControlResult.none();
        }
        try {
            return council.deliberate(sample, view);
        } catch (RuntimeException e) {
            LOG.log(Level.SEVERE, "a controller failed; nothing is moved in this turn", e);
            return ControlResult.none();
        }
    }

    /** Memory that nobody has, without the host's reserve, bytes; NaN if that is unknown. */
    private static double free(HostConfig config, HostSample sample) {
        return sample.get(HostMetric.MEM_FREE) - config.reserveMemory();
    }

    /** What controllers may know, of a turn or of its recording. */
    static HostView view(HostConfig config, HostSample sample, List<Pool> pools, Map<String, String> homes, long memory, Settings inForce) {
        double free = free(config, sample);
        double cpus = pools.stream().mapToInt(pool -> pool.cpus().size()).sum() - config.reserveCpus();
        return new HostView(sample.guests(), pools, homes, Math.max(0, memory - config.reserveMemory()),
                Double.isNaN(free) ? 0 : (long) Math.max(0, free), Math.max(0, cpus), inForce);
    }

    /** Said once, until it is over or another. */
    private void fault(String text) {
        if (!text.equals(fault)) {
            LOG.log(text.isEmpty() ? Level.INFO : Level.SEVERE, text.isEmpty() ? "the host can be measured again" : text);
            fault = text;
        }
    }

    /** What it would do is written down when it is of other knobs, or their values have moved on by a tenth. */
    private void advise(ControlResult decided, HostView view) {
        Map<GuestKnob, Integer> wanted = new LinkedHashMap<>();
        StringJoiner words = new StringJoiner(", ");
        List<KnobProposal> others = decided.proposals().stream().filter(proposal ->
                !view.value(proposal.knob()).equals(Optional.of(proposal.value()))).toList();
        others.forEach(proposal -> wanted.put(proposal.knob(), proposal.value()));
        if (isNews(wanted)) {
            for (KnobProposal proposal : others) {
                words.add(proposal.knob().label() + " " + view.value(proposal.knob()).map(Object::toString).orElse("?") + " -> "
                        + proposal.value());
            }
            ObjectNode decision = ProposalJson.decision(others);
            journal.note(new Entry.Decided(clock.instant(), "turn-" + turns, config.mode().toString(), "ADVISE", words.toString(),
                    Optional.of(decision)));
            advised = wanted;
        }
    }

    private boolean isNews(Map<GuestKnob, Integer> wanted) {
        return wanted.entrySet().stream().anyMatch(one -> !advised.containsKey(one.getKey())
                || Math.abs(one.getValue() - advised.get(one.getKey())) > NEWS * advised.get(one.getKey()));
    }

    /** Puts everything back and enters manual mode until {@link #resume}. */
    public synchronized RestoreResult restore(String by) throws InterruptedException {
        RestoreResult result = applier.restore("by-hand", ChangeRequest.Origin.OPERATOR, "restored by hand");
        if (last.isPresent() && !result.moved().isEmpty()) {
            tell(last.get().sample(), "by-hand", result.moved());
        }
        manual = Optional.of("restored by hand");
        journal.note(new Entry.Manual(clock.instant(), "restored by hand", Optional.empty(), by));
        return result;
    }

    /** Takes over again, also what was given up. */
    public synchronized String resume(String by) throws IOException {
        List<String> taken = new ArrayList<>(applier.givenUp().values());
        applier.resume();
        outlook.resume();
        kills.resume();
        boolean was = manual.isPresent();
        manual = Optional.empty();
        journal.note(new Entry.Resume(clock.instant(), "a person handed back", by));
        return (was ? "manual mode is over" : "the agent was not in manual mode")
                + (taken.isEmpty() ? "" : "; it takes over again " + taken.size() + " knobs that it had given up");
    }

    /** Ends: puts everything back, and writes down how it was left. */
    public synchronized RestoreResult stop(String reason) throws InterruptedException {
        ended = true;
        RestoreResult result = applier.restore("exit", ChangeRequest.Origin.EXIT, reason);
        if (contract.isPresent()) {
            contract.get().close();
        }
        outlook.close();
        journal.note(new Entry.Stop(clock.instant(), reason, Optional.empty()));
        LOG.log(result.isAtBaseline() ? Level.INFO : Level.SEVERE, result.text());
        return result;
    }

    /** Interrupts what is being done. */
    void interrupt() {
        applier.interrupt();
    }

    /** The latest turn; none before the first. */
    Optional<HostTurn> last() {
        return last;
    }

    /** Why manual mode is on; empty when it is off. */
    synchronized Optional<String> manual() {
        return manual;
    }

    /** Why nothing is decided; empty when all is well. */
    synchronized String fault() {
        return fault;
    }

    Optional<String> journalFailure() {
        return Optional.ofNullable(journal.failure());
    }
}
