// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.runtime.host.NotDoneException;

/**
 * What is known of one knob between our looks and our orders. What somebody else sets between our look and our order, or between
 * the order and the look at what came of it, is not overwritten.
 */
final class KnobState {

    private final Backend backend;
    private final GuestKnob knob;
    private final int original;
    private final Snapshot snapshot;
    private final HomeSteps home;
    /** What was read since our last order. */
    private OptionalInt seen = OptionalInt.empty();
    /** By our last order. */
    private OptionalInt ordered = OptionalInt.empty();
    /** False once an order of ours had no answer: it may be what is seen at any time. */
    private boolean answered;
    private boolean answeredBefore;

    /**
     * @param original the value that leads home
     * @param snapshot knows what that is exactly
     * @param answered false if an earlier order had no answer
     */
    KnobState(Backend backend, GuestKnob knob, int original, Snapshot snapshot, boolean answered) {
        this.backend = backend;
        this.knob = knob;
        this.original = original;
        this.snapshot = snapshot;
        this.answered = answered;
        home = new HomeSteps(backend, knob, original);
    }

    GuestKnob knob() {
        return knob;
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

    /** What somebody else has set since our last order, or what we have. */
    OptionalInt settled() {
        return seen.equals(ordered) ? seen : foreign();
    }

    /** What is in force. */
    int read() throws IOException, InterruptedException {
        int running = backend.get(knob);
        seen = OptionalInt.of(running);
        return running;
    }

    /** Why it may not be moved now. */
    Optional<String> refusal() {
        if (snapshot.of(knob).isEmpty()) {
            return Optional.of("nothing is moved whose way home is not on the disk");
        }
        OptionalInt foreign = foreign();
        return foreign.isPresent() ? Optional.of("somebody else has set it to " + foreign.getAsInt() + " meanwhile") : Optional.empty();
    }

    /** An order to it is on its way. */
    void ordered(int value) {
        ordered = OptionalInt.of(value);
        answeredBefore = answered;
        answered = false;
        seen = OptionalInt.empty();
    }

    /** The order was taken or refused. */
    void answered() {
        answered = answeredBefore;
    }

    /** A value as the backend puts it. */
    String words(int value) {
        return value == original ? snapshot.of(knob).orElseThrow().exact() : Integer.toString(value);
    }

    /** @throws NotDoneException when it was not done, or not all of it */
    void order(int value) throws IOException, InterruptedException {
        if (value == original) {
            home.go(words(value));
        } else {
            backend.set(knob, value);
        }
    }
}
