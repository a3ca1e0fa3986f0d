// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.Target;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Settings;

/**
 * Puts back what the snapshot says, whoever moved it: we, or an agent that has ended without. Only where the guest is the same,
 * and the value that runs may be ours; another value is somebody else's, and stays. Not thread-safe.
 */
final class Restorer {

    private static final int TRIES = 3;

    private final Backend backend;
    private final Snapshot snapshot;
    private final ManagedKnobs managed;

    Restorer(Backend backend, Snapshot snapshot, ManagedKnobs managed) {
        this.backend = backend;
        this.snapshot = snapshot;
        this.managed = managed;
    }

    /** What is found of what was moved. */
    private final class Found {
        private final Map<GuestKnob, Integer> away = new LinkedHashMap<>();
        private final List<GuestKnob> over = new ArrayList<>();
        private final List<GuestKnob> moved = new ArrayList<>();
        private final List<SavedKnob> theirs = new ArrayList<>();
        private final List<String> foreign = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        /** Why it cannot be told who runs again with what we set. */
        private Optional<String> untold = Optional.empty();

        void add(SavedKnob saved, Set<GuestKnob> present) throws InterruptedException {
            GuestKnob knob = saved.knob();
            if (present.stream().noneMatch(saved::isOf)) {
                ended(saved, this);
            } else if (saved.foreign()) {
                foreign.add(knob.label());
            } else {
                try {
                    int running = backend.get(knob);
                    boolean fits = saved.fits(running, backend.gradual(knob.kind()));
                    OptionalInt asked = backend.asked(knob, fits ? KnobState.FRESH : Duration.ZERO);
                    boolean open = managed.executor().open().contains(knob);
                    if (open || saved.mayBeOurs(running, asked, backend.gradual(knob.kind()))
                            || asked.isEmpty() && running == saved.original()) {
                        away.put(knob, saved.original());
                    } else {
                        theirs.add(saved.asForeign());
                        foreign.add(knob.label() + " (" + asked.orElse(running) + ")");
                    }
                } catch (IOException | RuntimeException e) {
                    problems.add(knob.label() + ": " + e.getMessage());
                }
            }
        }
    }

    private static boolean isGone(SavedKnob saved, Set<GuestKnob> present) {
        return saved.knob().target().whose().isPresent() && present.stream().noneMatch(saved::isOf);
    }

    private Optional<String> lookForLaterRuns() throws IOException, InterruptedException {
        List<Guest> guests = backend.guests();
        try {
            new LaterRuns(backend, snapshot).look(guests);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Of a guest that has ended its knobs have, too, unless it sleeps with them. */
    private void ended(SavedKnob saved, Found found) throws InterruptedException {
        try {
            Optional<String> asleep = found.untold.isPresent() ? found.untold : saved.foreign() ? Optional.empty() : saved.knob().target().whose().isPresent()
                    ? backend.asleep(saved.knob().target().whose().get()) : Optional.empty();
            if (asleep.isPresent()) {
                found.problems.add(saved.knob().label() + ": " + asleep.get());
                return;
            }
            if (!saved.foreign() && saved.knob().target().whose().isPresent()) {
                backend.ended(saved.knob(), saved.exact());
            }
            found.over.add(saved.knob());
        } catch (IOException e) {
            found.problems.add(saved.knob().label() + ": " + e.getMessage());
        }
    }

    RestoreResult restore(String id, ChangeRequest.Origin origin, String why) throws InterruptedException {
        boolean moved = !snapshot.all().isEmpty();
        RestoreResult result = restore(id, origin, why, saved -> true, true);
        if (moved) {
            backend.tidy();
        }
        return result;
    }

    /** The same for some of it, tried once: the others stay as they are, and go on being moved. */
    RestoreResult restore(String id, ChangeRequest.Origin origin, String why, Predicate<SavedKnob> which) throws InterruptedException {
        return restore(id, origin, why, which, false);
    }

    private RestoreResult restore(String id, ChangeRequest.Origin origin, String why, Predicate<SavedKnob> which, boolean whole)
            throws InterruptedException {
        if (snapshot.all().stream().noneMatch(which)) {
            return new RestoreResult(List.of(), List.of(), List.of());
        }
        Optional<String> elsewhere = snapshot.elsewhere();
        if (elsewhere.isPresent()) {
            return new RestoreResult(List.of(), List.of(), List.of(elsewhere.get()));
        }
        Found found = new Found();
        List<SavedKnob> chosen = snapshot.all().stream().filter(which).toList();
        try {
            Map<GuestKnob, String> untold = new LinkedHashMap<>();
            Set<GuestKnob> present = present(chosen, untold);
            if (whole && chosen.stream().anyMatch(saved -> isGone(saved, present))) {
                found.untold = lookForLaterRuns();
                chosen = snapshot.all();
                present.addAll(present(chosen, untold));
            }
            for (SavedKnob saved : chosen) {
                if (untold.containsKey(saved.knob())) {
                    found.problems.add(saved.knob().label() + ": " + untold.get(saved.knob()));
                } else {
                    found.add(saved, present);
                }
            }
        } catch (IOException e) {
            return new RestoreResult(List.of(), List.of(), List.of("what runs cannot be told: " + e.getMessage()));
        }
        List<String> restored = restoreBaseline(id, origin, why, found, whole);
        try {
            snapshot.forget(found.over);
            if (!found.theirs.isEmpty()) {
                snapshot.note(found.theirs);
            }
        } catch (IOException e) {
            found.problems.add(e.getMessage());
        }
        return new RestoreResult(restored, found.foreign, found.problems, found.moved);
    }

    /**
     * All knobs of all that runs, of whatever kind something was noted. Nothing is asked that need not be: each question takes its time.
     *
     * @param chosen what was noted
     * @param untold gets why of a pool it cannot be told
     */
    private Set<GuestKnob> present(List<SavedKnob> chosen, Map<GuestKnob, String> untold) throws IOException, InterruptedException {
        Set<GuestKnob> present = new LinkedHashSet<>();
        List<GuestKnob> ofGuests = new ArrayList<>();
        for (SavedKnob saved : chosen) {
            if (!(saved.knob().target() instanceof Target.OfPool pool)) {
                ofGuests.add(saved.knob());
            } else {
                try {
                    if (backend.has(pool)) {
                        present.add(saved.knob());
                    }
                } catch (IOException e) {
                    untold.put(saved.knob(), e.getMessage());   // the others are restored all the same
                }
            }
        }
        List<Guest> guests = ofGuests.isEmpty() ? List.of() : backend.guests();
        for (GuestKnob knob : ofGuests) {
            String uuid = knob.target().whose().orElseThrow().uuid();
            guests.stream().filter(guest -> guest.uuid().equals(uuid)).forEach(guest ->
                    present.addAll(GuestKnob.all(knob.kind(), guest)));
        }
        return present;
    }

    private List<String> restoreBaseline(String id, ChangeRequest.Origin origin, String why, Found found, boolean whole)
            throws InterruptedException {
        List<String> restored = new ArrayList<>();
        if (found.away.isEmpty()) {
            return restored;
        }
        if (whole) {
            managed.replace(found.away);
        } else {
            managed.add(found.away);
        }
        Executor executor = managed.executor();
        Settings desired = whole ? Settings.of(found.away) : executor.believed().with(Settings.of(found.away));
        Result result = executor.execute(ChangeRequest.restore(id, origin, why, desired));
        for (int tries = 1; tries < (whole ? TRIES : 1) && !(result instanceof Result.Applied); tries++) {
            result = executor.execute(ChangeRequest.restore(id, origin, why, desired));
        }
        for (Map.Entry<GuestKnob, Integer> baseline : found.away.entrySet()) {
            Optional<String> problem = executor.unknown().contains(baseline.getKey()) ? Optional.of(result.text())
                    : executor.believed().get(baseline.getKey()) == baseline.getValue() ? Optional.empty() : Optional.of(result.text());
            if (problem.isPresent() && managed.concede(baseline.getKey())) {
                found.foreign.add(baseline.getKey().label());
            } else if (problem.isPresent()) {
                found.problems.add(baseline.getKey().label() + ": " + problem.get());
            } else {
                restored.add(baseline.getKey().label() + " to " + baseline.getValue());
                found.over.add(baseline.getKey());
                found.moved.add(baseline.getKey());
            }
        }
        return restored;
    }
}
