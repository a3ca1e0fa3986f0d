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
final class WayHome {

    private static final int TRIES = 3;

    private final Backend backend;
    private final Snapshot snapshot;
    private final ManagedKnobs managed;

    WayHome(Backend backend, Snapshot snapshot, ManagedKnobs managed) {
        this.backend = backend;
        this.snapshot = snapshot;
        this.managed = managed;
    }

    /** What is found of what was moved. */
    private final class Found {
        private final Map<GuestKnob, Integer> away = new LinkedHashMap<>();
        private final List<GuestKnob> over = new ArrayList<>();
        private final List<GuestKnob> moved = new ArrayList<>();
        private final List<Saved> theirs = new ArrayList<>();
        private final List<String> foreign = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();

        void add(Saved saved, Set<GuestKnob> present) throws InterruptedException {
            GuestKnob knob = saved.knob();
            if (present.stream().noneMatch(saved::isOf)) {
                over.add(knob);     // its guest has ended, and its knobs with it
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

    Homecoming restore(String id, ChangeRequest.Origin origin, String why) throws InterruptedException {
        return restore(id, origin, why, saved -> true, true);
    }

    /** The same for some of it, tried once: the others stay as they are, and go on being moved. */
    Homecoming restore(String id, ChangeRequest.Origin origin, String why, Predicate<Saved> which) throws InterruptedException {
        return restore(id, origin, why, which, false);
    }

    private Homecoming restore(String id, ChangeRequest.Origin origin, String why, Predicate<Saved> which, boolean whole)
            throws InterruptedException {
        List<Saved> chosen = snapshot.all().stream().filter(which).toList();
        if (chosen.isEmpty()) {
            return new Homecoming(List.of(), List.of(), List.of());
        }
        Optional<String> elsewhere = snapshot.elsewhere();
        if (elsewhere.isPresent()) {
            return new Homecoming(List.of(), List.of(), List.of(elsewhere.get()));
        }
        Found found = new Found();
        try {
            Map<GuestKnob, String> untold = new LinkedHashMap<>();
            Set<GuestKnob> present = present(chosen, untold);
            for (Saved saved : chosen) {
                if (untold.containsKey(saved.knob())) {
                    found.problems.add(saved.knob().label() + ": " + untold.get(saved.knob()));
                } else {
                    found.add(saved, present);
                }
            }
        } catch (IOException e) {
            return new Homecoming(List.of(), List.of(), List.of("what runs cannot be told: " + e.getMessage()));
        }
        List<String> restored = bringHome(id, origin, why, found, whole);
        try {
            snapshot.forget(found.over);
            if (!found.theirs.isEmpty()) {
                snapshot.note(found.theirs);
            }
        } catch (IOException e) {
            found.problems.add(e.getMessage());
        }
        return new Homecoming(restored, found.foreign, found.problems, found.moved);
    }

    /**
     * All knobs of all that runs, of whatever kind something was noted. Nothing is asked that need not be: each question takes its time.
     *
     * @param chosen what was noted
     * @param untold gets why of a pool it cannot be told
     */
    private Set<GuestKnob> present(List<Saved> chosen, Map<GuestKnob, String> untold) throws IOException, InterruptedException {
        Set<GuestKnob> present = new LinkedHashSet<>();
        List<GuestKnob> ofGuests = new ArrayList<>();
        for (Saved saved : chosen) {
            if (!(saved.knob().target() instanceof Target.OfPool pool)) {
                ofGuests.add(saved.knob());
            } else {
                try {
                    if (backend.has(pool)) {
                        present.add(saved.knob());
                    }
                } catch (IOException e) {
                    untold.put(saved.knob(), e.getMessage());   // the others go home all the same
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

    private List<String> bringHome(String id, ChangeRequest.Origin origin, String why, Found found, boolean whole)
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
        for (Map.Entry<GuestKnob, Integer> home : found.away.entrySet()) {
            Optional<String> problem = executor.unknown().contains(home.getKey()) ? Optional.of(result.text())
                    : executor.believed().get(home.getKey()) == home.getValue() ? Optional.empty() : Optional.of(result.text());
            if (problem.isPresent() && managed.concede(home.getKey())) {
                found.foreign.add(home.getKey().label());
            } else if (problem.isPresent()) {
                found.problems.add(home.getKey().label() + ": " + problem.get());
            } else {
                restored.add(home.getKey().label() + " to " + home.getValue());
                found.over.add(home.getKey());
                found.moved.add(home.getKey());
            }
        }
        return restored;
    }
}
