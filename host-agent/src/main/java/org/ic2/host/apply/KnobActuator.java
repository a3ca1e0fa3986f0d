// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * One knob of a backend as the executor moves it, so that one guest's trouble is no other's. What somebody else sets between our
 * look and our order, or between the order and the look at what came of it, is not overwritten.
 */
final class KnobActuator implements Actuator {

    private final Backend backend;
    private final GuestKnob knob;
    private final int original;
    private final Snapshot snapshot;
    private final HomeSteps home;
    /** What was read since our last order. */
    private OptionalInt seen = OptionalInt.empty();
    /** False once an order of ours had no answer: it may be what is seen at any time. */
    private boolean answered;

    /**
     * @param original the value that leads home
     * @param snapshot knows what that is exactly
     * @param answered false if an earlier order had no answer
     */
    KnobActuator(Backend backend, GuestKnob knob, int original, Snapshot snapshot, boolean answered) {
        this.backend = backend;
        this.knob = knob;
        this.original = original;
        this.snapshot = snapshot;
        this.answered = answered;
        home = new HomeSteps(backend, knob, original);
    }

    /** False once an order of ours had no answer. */
    boolean isAnswered() {
        return answered;
    }

    /** What somebody else has set, of a knob that we move: it was read last, and cannot be of us. */
    OptionalInt foreign() {
        Optional<Saved> saved = snapshot.of(knob);
        boolean theirs = answered && seen.isPresent() && saved.isPresent()
                && !saved.get().mayBeOurs(seen.getAsInt(), backend.gradual(knob.kind()));
        return theirs ? seen : OptionalInt.empty();
    }

    @Override
    public String name() {
        return knob.label();
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(knob);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        try {
            int running = backend.get(knob);
            seen = OptionalInt.of(running);
            return Settings.of(knob, running);
        } catch (RuntimeException e) {
            throw new IOException("cannot make sense of what it got (" + e + ")", e);
        }
    }

    @Override
    public Settings overruled() {
        OptionalInt foreign = foreign();
        return foreign.isPresent() ? Settings.of(knob, foreign.getAsInt()) : Settings.none();
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        int value = values.get(knob);
        Optional<Saved> saved = snapshot.of(knob);
        if (saved.isEmpty()) {
            throw new NotDoneException("nothing is moved whose way home is not on the disk");
        }
        OptionalInt foreign = foreign();
        if (foreign.isPresent()) {
            throw new NotDoneException("somebody else has set it to " + foreign.getAsInt() + " meanwhile");
        }
        boolean before = answered;
        answered = false;
        seen = OptionalInt.empty();
        try {
            if (value == original) {
                home.go(saved.get().exact());
            } else {
                backend.set(knob, value);
            }
            answered = before;
        } catch (NotDoneException e) {
            answered = before;
            throw e;
        } catch (RuntimeException e) {
            throw new IOException("cannot make sense of what it got (" + e + ")", e);
        }
    }

    @Override
    public void checkMeans() {
        // what a backend can move it says by its capabilities
    }

    @Override
    public Duration settleTime() {
        return backend.settleTime(knob.kind());
    }
}
