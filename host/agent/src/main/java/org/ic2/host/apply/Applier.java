// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Vetoes;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.ProposalJson;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Brings about what controllers propose, as far as it is safe: each knob has one owner, a floor, a largest step and a pause; what
 * shrinks goes before what grows, and memory grows only into what is free; what a knob was is on the disk before it is
 * moved. A knob that misses its goal twice, or that somebody else sets meanwhile, is left alone. Not thread-safe.
 */
public final class Applier {

    private static final int MISSES = 2;
    /** What is not restored in so many turns is tried once a minute, since each try is an order. */
    private static final int QUICK_TRIES = 3;
    private static final long SLOW_NANOS = 60_000_000_000L;

    private final Backend backend;
    private final Snapshot snapshot;
    private final Ownership ownership;
    private final KnobLimits floors;
    private final boolean paced;
    private final LongSupplier nanoClock;
    private final ManagedKnobs managed;
    private final Restorer restorer;
    private final MemoryGrowth growth;
    private final RateLimits rates = new RateLimits();
    private final Map<GuestKnob, Integer> misses = new HashMap<>();
    /** Of knobs that were not restored. */
    private final Map<GuestKnob, Tried> tried = new HashMap<>();

    /** How often in vain, and when last. */
    private record Tried(int times, long nanos) {
    }

    /**
     * What came of proposals.
     *
     * @param done     what was moved, in words
     * @param held     what was not, and why
     * @param moved    what was moved
     * @param objected what of {@code held} is the backend's objection
     */
    public record Report(List<String> done, List<String> held, List<GuestKnob> moved, List<String> objected) {
        /** Where nobody objects. */
        public Report(List<String> done, List<String> held, List<GuestKnob> moved) {
            this(done, held, moved, List.of());
        }
    }

    public Applier(ApplierParts parts) {
        backend = parts.backend();
        snapshot = parts.snapshot();
        ownership = parts.ownership();
        floors = parts.floors();
        paced = parts.paced();
        nanoClock = parts.nanoClock();
        managed = new ManagedKnobs(parts);
        restorer = new Restorer(backend, snapshot, managed);
        growth = new MemoryGrowth(backend, snapshot, managed, floors);
    }

    /** Takes note of who runs and of what is in force; call it each turn, before {@link #apply}. Changes nothing. */
    public void observe(List<Guest> guests, List<Pool> pools) throws InterruptedException {
        managed.refresh(guests, pools);
        managed.observe();
        rates.keepOnly(managed.knobs());
        misses.keySet().retainAll(managed.knobs());
    }

    /** The values in force of the knobs that are ours to move, as far as they are known. */
    public Settings inForce() {
        return managed.executor().believed().without(managed.executor().unknown());
    }

    /** Why knobs are left alone. */
    public Map<GuestKnob, String> givenUp() {
        return managed.givenUp();
    }

    /** Changes of the last hour. */
    public int actionsInLastHour() {
        return managed.executor().actionsInLastHour();
    }

    /** Takes over again what was given up; what somebody else has set is the baseline from now on. */
    public void resume() throws IOException {
        misses.clear();
        managed.takeOver();
    }

    /** Puts back whatever was moved, and is still as we left it. */
    public RestoreResult restore(String id, ChangeRequest.Origin origin, String why) throws InterruptedException {
        return restorer.restore(id, origin, why);
    }

    /**
     * Brings what was moved of a guest to the baseline, also what was given up or is no knob of its any more, and leaves all of
     * its knobs alone from now on. What is not restored then is tried again by the next calls; what is costs nothing.
     *
     * @param why for the journal
     */
    public RestoreResult leave(String id, Guest guest, String why) throws InterruptedException {
        RestoreResult result = restoreSome(id, why, knob -> isOf(knob, guest));
        managed.knobs().stream().filter(knob -> isOf(knob, guest)).toList()
                .forEach(knob -> managed.giveUp(knob, knob.label() + " is left alone: " + why));
        return result;
    }

    private RestoreResult restoreSome(String id, String why, Predicate<GuestKnob> which) throws InterruptedException {
        long now = nanoClock.getAsLong();
        List<GuestKnob> due = snapshot.all().stream().filter(saved -> !saved.foreign()).map(SavedKnob::knob).filter(which)
                .filter(knob -> !tried.containsKey(knob) || tried.get(knob).times() < QUICK_TRIES || now - tried.get(knob).nanos() >= SLOW_NANOS).toList();
        RestoreResult result = restorer.restore(id, ChangeRequest.Origin.RECOVERY, why, saved -> due.contains(saved.knob()));
        due.forEach(knob -> tried.merge(knob, new Tried(1, now), (before, one) -> new Tried(before.times() + 1, now)));
        tried.keySet().removeIf(knob -> snapshot.of(knob).isEmpty());
        return result;
    }

    private static boolean isOf(GuestKnob knob, Guest guest) {
        return knob.target().whose().filter(of -> of.uuid().equals(guest.uuid())).isPresent();
    }

    /** Interrupts what is being done; what it has sent has no outcome then. */
    public void interrupt() {
        managed.executor().interrupt();
    }

    /**
     * Moves what may be moved.
     *
     * @param id         of the turn, for the journal
     * @param memoryFree memory that nobody has, without the host's reserve, bytes; NaN if that is unknown: then none grows
     */
    public Report apply(String id, List<KnobProposal> proposals, double memoryFree) throws InterruptedException {
        List<KnobMove> done = new ArrayList<>();
        List<String> held = new ArrayList<>();
        List<KnobMove> moves = new ArrayList<>();
        restoreWhatIsOpen(id, held);
        Settings inForce = inForce();
        for (KnobProposal proposal : proposals) {
            move(proposal, inForce, held).ifPresent(moves::add);
        }
        List<String> objected = new ArrayList<>();
        List<KnobMove> possible = wholly(moves, objected);
        long freed = 0;
        for (int stage = 0; stage <= 2; stage++) {
            int now = stage;
            List<KnobMove> these = possible.stream().filter(move -> move.stage() == now).toList();
            List<KnobMove> allowed = allowed(stage == 2 ? growth.fitting(these, memoryFree, freed, held) : these, objected);
            if (!allowed.isEmpty()) {
                freed += carryOut(id, allowed, done, held);
            }
        }
        held.addAll(objected);
        RestoreResult lost = restoreSome(id, "it may be moved no more", managed::isLost);
        held.addAll(lost.restored().stream().map(knob -> "restored " + knob + ", as it may be moved no more").toList());
        held.addAll(lost.problems());
        return new Report(done.stream().map(KnobMove::text).toList(), List.copyOf(held),
                Stream.concat(done.stream().map(KnobMove::knob), lost.moved().stream()).toList(), List.copyOf(objected));
    }

    /** The baseline comes first where it is unknown what runs. */
    private void restoreWhatIsOpen(String id, List<String> held) throws InterruptedException {
        Executor executor = managed.executor();
        if (executor.open().isEmpty()) {
            return;
        }
        Map<GuestKnob, Integer> baselines = new HashMap<>();
        snapshot.all().stream().filter(saved -> executor.open().contains(saved.knob()))
                .forEach(saved -> baselines.put(saved.knob(), saved.original()));
        Result result = executor.execute(ChangeRequest.restore(id, ChangeRequest.Origin.RECOVERY,
                "what was sent has no outcome, so what runs is unknown", executor.believed().with(Settings.of(baselines))));
        if (!(result instanceof Result.Applied)) {
            held.add(result.text());
            baselines.keySet().stream().filter(knob -> executor.open().contains(knob)).forEach(this::missed);
        }
    }

    /** What of a proposal may be done now; nothing where it is so already. */
    private Optional<KnobMove> move(KnobProposal proposal, Settings inForce, List<String> held) {
        GuestKnob knob = proposal.knob();
        Optional<String> owner = managed.guest(knob).map(guest -> ownership.owner(knob.kind(), guest))
                .orElseGet(() -> knob.kind().ofPool() ? ownership.owner(knob.kind()) : Optional.empty());
        if (!owner.equals(Optional.of(proposal.controller()))) {
            held.add(knob.label() + ": " + proposal.controller() + " does not own it"
                    + owner.map(other -> ", " + other + " does").orElse(""));
            return Optional.empty();
        }
        if (!managed.knobs().contains(knob) || !inForce.has(knob)) {
            held.add(Optional.ofNullable(managed.givenUp().get(knob)).orElse("what runs of " + knob.label() + " is unknown"));
            return Optional.empty();
        }
        int before = inForce.get(knob);
        int lowest = managed.lowest(knob);
        int highest = managed.highest(knob);
        int value = floors.step(knob.kind(), before, proposal.value(), lowest, highest);
        if (value == before) {
            return Optional.empty();
        }
        if (knob.kind().namesCpus() && (value < lowest || value > highest)) {
            held.add(knob.label() + ": expected " + lowest + " to " + highest + ", got " + value);
            return Optional.empty();
        }
        Optional<String> resting = (paced ? rates.resting(knob, nanoClock.getAsLong()) : Optional.<String>empty())
                .or(() -> managed.onItsWay(knob, before));
        resting.ifPresent(held::add);
        return resting.isPresent() ? Optional.empty() : Optional.of(new KnobMove(proposal, before, value));
    }

    /** Without weights that may not all be moved: those that sink, which go first, would be without those that rise. */
    private List<KnobMove> wholly(List<KnobMove> moves, List<String> objected) throws InterruptedException {
        if (moves.stream().noneMatch(move -> move.is(KnobKind.WEIGHT))) {
            return moves;
        }
        Map<GuestKnob, String> against = against(moves.stream().filter(move -> move.is(KnobKind.WEIGHT) || move.stage() == 0).toList());
        against.keySet().removeIf(knob -> knob.kind() != KnobKind.WEIGHT);
        objected.addAll(against.values());
        return moves.stream().filter(move -> !against.containsKey(move.knob())).toList();
    }

    private Map<GuestKnob, String> against(List<KnobMove> moves) throws InterruptedException {
        Map<GuestKnob, Integer> wanted = new LinkedHashMap<>();
        moves.forEach(move -> wanted.put(move.knob(), move.value()));
        return new LinkedHashMap<>(Vetoes.of(backend, wanted));
    }

    /** What the backend has nothing against if it is done together now. */
    private List<KnobMove> allowed(List<KnobMove> moves, List<String> objected) throws InterruptedException {
        Map<GuestKnob, String> against = against(moves);
        objected.addAll(against.values());
        return moves.stream().filter(move -> !against.containsKey(move.knob())).toList();
    }

    /** Does these together; the memory that was freed, MiB. */
    private long carryOut(String id, List<KnobMove> moves, List<KnobMove> done, List<String> held) throws InterruptedException {
        Executor executor = managed.executor();
        try {
            note(moves);
        } catch (IOException e) {
            held.add("nothing is moved that could not be restored: " + e.getMessage());
            return 0;
        }
        Settings desired = executor.believed();
        StringJoiner reason = new StringJoiner(", ");
        for (KnobMove move : moves) {
            desired = desired.with(move.knob(), move.value());
            reason.add(move.text());
        }
        ObjectNode decision = ProposalJson.decision(moves.stream().map(KnobMove::proposal).toList());
        Result result = executor.execute(new ChangeRequest(id, ChangeRequest.Origin.DECISION, "APPLY", reason.toString(), desired,
                false, Optional.of(decision)));
        if (result instanceof Result.Refused) {
            held.add(result.text());
            return 0;
        }
        return conclude(moves, result, done, held);
    }

    private long conclude(List<KnobMove> moves, Result result, List<KnobMove> done, List<String> held) {
        Executor executor = managed.executor();
        long freed = 0;
        List<GuestKnob> failed = new ArrayList<>();
        Set<Knob> open = executor.open();
        for (KnobMove move : moves) {
            rates.changed(move.knob(), nanoClock.getAsLong());
            if (!open.contains(move.knob()) && executor.believed().get(move.knob()) == move.value()) {
                done.add(move);
                misses.remove(move.knob());
                freed += isBalloon(move) && move.before() > move.value() ? move.before() - move.value() : 0;
            } else {
                failed.add(move.knob());
            }
        }
        if (!failed.isEmpty()) {
            held.add(result.text());
            failed.forEach(this::missed);
        }
        return freed;
    }

    /** Of a balloon what it gave back is free; below a limit that was lowered there may have been nothing. */
    private boolean isBalloon(KnobMove move) {
        return move.is(KnobKind.MEMORY) && backend.gradual(KnobKind.MEMORY);
    }

    private void missed(GuestKnob knob) {
        if (managed.concede(knob)) {
            misses.remove(knob);
        } else if (misses.merge(knob, 1, Integer::sum) >= MISSES) {
            managed.giveUp(knob, knob.label() + " missed its goal " + MISSES + " times and is left alone; \"ic2-host resume\" tries again");
            misses.remove(knob);
        }
    }

    /** On the disk before the first command: what the knobs were, and what they may be from now on. */
    private void note(List<KnobMove> moves) throws IOException, InterruptedException {
        List<SavedKnob> notes = new ArrayList<>();
        for (KnobMove move : moves) {
            Optional<SavedKnob> saved = snapshot.of(move.knob());
            SavedKnob known = saved.isPresent() ? saved.get()
                    : new SavedKnob(move.knob(), move.before(), backend.exact(move.knob()), List.of(), false);
            notes.add(known.moving(move.before(), move.value(), backend.asked(move.knob(), KnobState.LATELY)));
        }
        snapshot.note(notes);
    }
}
