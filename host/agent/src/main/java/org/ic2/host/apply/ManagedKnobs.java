// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Limits;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The knobs that are ours to move at the moment, and the executor that moves them. Guests come and go, and their knobs with
 * them; a knob that somebody else has set is given up until a person says {@code resume}. Each new set of knobs gets a new
 * executor, which goes on with what the one before knew. Not thread-safe.
 */
final class ManagedKnobs {

    private static final Logger LOG = Logger.getLogger(ManagedKnobs.class.getName());

    /** A balloon may stay so far beside its target. */
    private static final int BESIDE_MIB = 8;

    private final Backend backend;
    private final Journal journal;
    private final Snapshot snapshot;
    private final Ownership ownership;
    private final KnobLimits floors;
    private final int actionsPerHour;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final Map<GuestKnob, String> givenUp = new LinkedHashMap<>();
    private Map<GuestKnob, Integer> baselines = Map.of();
    private Map<GuestKnob, KnobState> states = Map.of();
    private Map<String, Guest> guests = Map.of();
    private List<Guest> seenGuests = List.of();
    private List<Pool> seenPools = List.of();
    private boolean stale = true;
    private Executor executor;

    ManagedKnobs(ApplierParts parts) {
        backend = parts.backend();
        journal = parts.journal();
        snapshot = parts.snapshot();
        ownership = parts.ownership();
        floors = parts.floors();
        actionsPerHour = parts.actionsPerHour();
        clock = parts.clock();
        nanoClock = parts.nanoClock();
        replace(Map.of());
    }

    Executor executor() {
        return executor;
    }

    Set<GuestKnob> knobs() {
        return baselines.keySet();
    }

    /** The guest of a knob; none of a pool's. */
    Optional<Guest> guest(GuestKnob knob) {
        return knob.target().whose().map(target -> guests.get(target.uuid()));
    }

    int lowest(GuestKnob knob) {
        return guest(knob).map(guest -> floors.lowest(knob.kind(), guest)).orElseGet(() -> floors.lowest(knob.kind()));
    }

    int highest(GuestKnob knob) {
        return guest(knob).map(guest -> floors.highest(knob.kind(), guest)).orElseGet(() -> floors.highest(knob.kind()));
    }

    /** Why knobs are left alone. */
    Map<GuestKnob, String> givenUp() {
        return Collections.unmodifiableMap(givenUp);
    }

    /** Takes note of who runs now. */
    void refresh(List<Guest> running, List<Pool> pools) throws InterruptedException {
        if (!stale && running.equals(seenGuests) && pools.equals(seenPools) && baselines.keySet().stream().allMatch(backend::has)) {
            return;
        }
        stale = false;
        seenGuests = List.copyOf(running);
        seenPools = List.copyOf(pools);
        Map<String, Guest> byUuid = new LinkedHashMap<>();
        running.forEach(guest -> byUuid.put(guest.uuid(), guest));
        guests = byUuid;
        Map<GuestKnob, Integer> next = new LinkedHashMap<>();
        Map<GuestKnob, Integer> staying = new LinkedHashMap<>();
        Map<GuestKnob, GuestKnob> ours = new HashMap<>();
        baselines.keySet().forEach(knob -> ours.put(knob, knob));
        for (GuestKnob knob : ownership.knobs(running, pools)) {
            if (!floors.ranges().containsKey(knob.kind()) || !backend.has(knob) || isGivenUp(knob)) {
                continue;
            }
            Optional<GuestKnob> known = Optional.ofNullable(ours.get(knob)).filter(other -> isSame(other, knob));
            if (known.isPresent()) {
                staying.put(known.get(), baselines.get(known.get()));
                next.put(known.get(), baselines.get(known.get()));
            } else {
                baseline(knob).ifPresent(value -> next.put(knob, value));
            }
        }
        if (staying.size() < baselines.size()) {
            replace(staying);   // what was known of a guest that is gone is not true of one that was started anew
        }
        if (next.size() > staying.size()) {
            replace(next);
            read();
        }
    }

    private static boolean isSame(GuestKnob one, GuestKnob other) {
        return one.equals(other) && one.target().isStill(other.target());
    }

    private boolean isGivenUp(GuestKnob knob) {
        givenUp.keySet().removeIf(other -> other.equals(knob) && !isSame(other, knob));
        if (!givenUp.containsKey(knob) && snapshot.of(knob).filter(SavedKnob::foreign).isPresent()) {
            givenUp.put(knob, knob.label() + " was set by somebody else; \"ic2-host resume\" takes it over again");
        }
        return givenUp.containsKey(knob);
    }

    private Optional<Integer> baseline(GuestKnob knob) throws InterruptedException {
        try {
            new LaterRuns(backend, snapshot).look(knob);
            int running = backend.get(knob);
            return Optional.of(snapshot.of(knob).map(SavedKnob::original).orElse(running));
        } catch (IOException | RuntimeException e) {
            LOG.warning(() -> knob.label() + " cannot be read, so it is not moved: " + e.getMessage());
            stale = true;
            return Optional.empty();
        }
    }

    /** From now on these are the knobs, with the baseline values. */
    void replace(Map<GuestKnob, Integer> wanted) {
        baselines = Collections.unmodifiableMap(new LinkedHashMap<>(wanted));
        stale = true;
        journal.know(Knob.set(baselines.keySet()));
        Map<Knob, Integer> lowest = new TreeMap<>(Knob.ORDER);
        Map<Knob, Integer> highest = new TreeMap<>(Knob.ORDER);
        Map<Object, List<KnobState>> companies = new LinkedHashMap<>();
        Map<GuestKnob, KnobState> fresh = new LinkedHashMap<>();
        baselines.keySet().stream().sorted(Comparator.comparing(this::rank).thenComparing(GuestKnob::kind)).forEach(knob -> {
            boolean ranges = floors.ranges().containsKey(knob.kind());     // without, it can only be restored
            int baseline = baselines.get(knob);
            boolean steps = baseline > 0 && (knob.kind() == KnobKind.CAP || knob.kind() == KnobKind.MEMORY);  // into its range from outside
            lowest.put(knob, !ranges ? baseline : steps ? Math.min(baseline, lowest(knob)) : lowest(knob));
            highest.put(knob, !ranges ? baseline : steps ? Math.max(baseline, highest(knob)) : highest(knob));
            fresh.put(knob, state(knob));
            companies.computeIfAbsent(backend.company(knob), any -> new ArrayList<>()).add(fresh.get(knob));
        });
        states = fresh;
        Map<String, Actuator> actuators = new LinkedHashMap<>();
        companies.values().forEach(together -> actuators.put(together.get(0).knob().key(), new KnobActuator(backend, together)));
        Limits limits = new Limits(Settings.of(baselines), new Bounds(Settings.of(lowest), Settings.of(highest)),
                Knob.set(baselines.keySet()), Duration.ZERO, actionsPerHour);
        Executor next = Executor.ofIndependent(actuators, limits, journal, clock, nanoClock);
        if (executor != null) {
            next.continueFrom(executor);
        }
        executor = next;
    }

    /**
     * When its turn is on a restore. A rate limit may not be above the time slice: down it goes before the slice, and up after it,
     * in turns of its own. A balloon is asked first, as it takes its time meanwhile. Whatever else memory needs comes last, as all
     * that came after it would have to wait: a limit's reclaim, the steps of a balloon that takes several, and what grows only
     * after what shrinks.
     */
    private int rank(GuestKnob knob) {
        return switch (knob.kind()) {
            case MEMORY -> rankOfMemory(snapshot.of(knob));
            case RATELIMIT -> 1;
            default -> 2;
        };
    }

    private int rankOfMemory(Optional<SavedKnob> saved) {
        boolean grows = saved.isPresent() && saved.get().growsOnRestore();
        boolean first = backend.gradual(KnobKind.MEMORY) && saved.isPresent() && saved.get().restoreOrders() == 1
                && (!grows || snapshot.all().stream().allMatch(one -> one.knob().kind() != KnobKind.MEMORY || one.growsOnRestore()));
        return first ? 0 : grows ? 4 : 3;
    }

    /** These are among the knobs until it is looked again whose they are, with what they are now. */
    void add(Map<GuestKnob, Integer> wanted) throws InterruptedException {
        Map<GuestKnob, Integer> next = new LinkedHashMap<>(baselines);
        next.putAll(wanted);
        replace(next);
        read();
    }

    /** True if it is of a guest that runs and has no such knob any more. */
    boolean isLost(GuestKnob knob) {
        return guest(knob).isPresent() && !backend.has(knob);
    }

    /** It goes on with what the one before has seen and sent. */
    private KnobState state(GuestKnob knob) {
        KnobState state = new KnobState(backend, knob, baselines.get(knob), snapshot);
        Optional.ofNullable(states.get(knob)).ifPresent(state::continueFrom);
        return state;
    }

    /** Reads all values; gives up what somebody else has moved since we did, and takes for the baseline what we have not moved yet. */
    void observe() throws InterruptedException {
        Settings before = executor.believed();
        Set<Knob> unsure = executor.unknown();
        read();
        unsure.addAll(executor.open());
        Settings now = executor.believed();
        Map<GuestKnob, Integer> next = new LinkedHashMap<>(baselines);
        List<SavedKnob> theirs = new ArrayList<>();
        for (GuestKnob knob : baselines.keySet()) {
            OptionalInt foreign = states.get(knob).foreign();
            if (unsure.contains(knob) || foreign.isEmpty() && (now.same(before, knob) || states.get(knob).isOrdered())) {
                continue;
            }
            Optional<SavedKnob> saved = snapshot.of(knob);
            if (saved.isPresent()) {
                theirs.add(saved.get().asForeign());
                next.remove(knob);
                leave(knob, theirs(knob, foreign.orElse(now.get(knob)), ", from " + before.get(knob)));
            } else {
                next.put(knob, now.get(knob));
            }
        }
        note(theirs);
        if (!next.equals(baselines)) {
            replace(next);
        }
    }

    private static String theirs(GuestKnob knob, int value, String when) {
        return knob.label() + " was set to " + value + " by somebody else" + when
                + "; it stays so, and \"ic2-host resume\" takes it over again";
    }

    /** Why what a knob is now is not what it was to be: somebody has sent it elsewhere, and we have not moved it yet. */
    Optional<String> onItsWay(GuestKnob knob, int running) {
        OptionalInt asked = snapshot.of(knob).isPresent() ? OptionalInt.empty() : states.get(knob).asked();
        return asked.isPresent() && Math.abs(asked.getAsInt() - running) > BESIDE_MIB
                ? Optional.of(knob.label() + " is at " + running + ", and was sent to " + asked.getAsInt() + " by somebody else: it is not moved before it is there")
                : Optional.empty();
    }

    /** Gives up a knob that somebody else has set while we moved it; false where nobody has. */
    boolean concede(GuestKnob knob) {
        OptionalInt foreign = states.get(knob).foreign();
        foreign.ifPresent(value -> {
            note(snapshot.of(knob).stream().map(SavedKnob::asForeign).toList());
            giveUp(knob, theirs(knob, value, " while it was moved"));
        });
        return foreign.isPresent();
    }

    private void note(List<SavedKnob> theirs) {
        try {
            if (!theirs.isEmpty()) {
                snapshot.note(theirs);
            }
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }

    private void read() throws InterruptedException {
        try {
            executor.readRunning();
        } catch (IOException e) {
            LOG.fine(() -> "not everything can be read: " + e.getMessage());
        }
    }

    /** Leaves a knob alone from now on, as it is. */
    void giveUp(GuestKnob knob, String why) {
        leave(knob, why);
        Map<GuestKnob, Integer> next = new LinkedHashMap<>(baselines);
        next.remove(knob);
        replace(next);
    }

    private void leave(GuestKnob knob, String why) {
        if (why.equals(givenUp.put(knob, why))) {
            return;     // it was said
        }
        LOG.warning(why);
        try {
            journal.append(new Entry.Decided(journal.now(), knob.key(), "", "LEFT_ALONE", why, Optional.empty()));
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }

    /** Takes over again what was given up: what somebody else has set is the baseline from now on. */
    void takeOver() throws IOException {
        List<GuestKnob> theirs = snapshot.all().stream().filter(SavedKnob::foreign).map(SavedKnob::knob).toList();
        snapshot.forget(theirs);
        givenUp.clear();
        stale = true;
    }
}
