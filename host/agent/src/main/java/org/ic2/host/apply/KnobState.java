// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
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

    /** What is of this moment, where a command takes its time. */
    static final Duration FRESH = Duration.ofSeconds(2);
    /** What serves where one order follows the other: each question takes its time. */
    static final Duration LATELY = Duration.ofSeconds(5);

    private final Backend backend;
    private final GuestKnob knob;
    private final int original;
    private final Snapshot snapshot;
    private final MemoryRestoreSteps restoreSteps;
    /** What was read since our last order. */
    private OptionalInt seen = OptionalInt.empty();
    /** What was last asked for then, by whomever, where that can be told. */
    private OptionalInt asked = OptionalInt.empty();
    /** By our last order. */
    private OptionalInt ordered = OptionalInt.empty();
    /** False once an order of ours had no answer: it may be what is seen at any time. */
    private boolean answered = true;
    private boolean answeredBefore;
    /** True if nothing of our last order is on its way. */
    private boolean refused;

    /**
     * @param original the baseline value
     * @param snapshot knows what that is exactly
     */
    KnobState(Backend backend, GuestKnob knob, int original, Snapshot snapshot) {
        this.backend = backend;
        this.knob = knob;
        this.original = original;
        this.snapshot = snapshot;
        restoreSteps = new MemoryRestoreSteps(backend, knob, original, snapshot);
    }

    /** What an earlier one has seen and sent. */
    void continueFrom(KnobState earlier) {
        answered = earlier.answered;
        if (knob.target().isStill(earlier.knob.target())) {
            seen = earlier.seen;
            asked = earlier.asked;
        }
    }

    GuestKnob knob() {
        return knob;
    }

    /** What somebody else has set, of a knob that we move: it was read last, and cannot be of us. */
    OptionalInt foreign() {
        Optional<SavedKnob> saved = snapshot.of(knob);
        boolean theirs = answered && seen.isPresent() && saved.isPresent()
                && !saved.get().mayBeOurs(seen.getAsInt(), asked, backend.gradual(knob.kind()));
        return !theirs ? OptionalInt.empty() : asked.isPresent() ? asked : seen;
    }

    /** What was last asked for when it was read, by whomever, where that can be told. */
    OptionalInt asked() {
        return asked;
    }

    /** True if what was last asked for is told, and we have asked for it. */
    boolean isOrdered() {
        return asked.isPresent() && snapshot.of(knob).isPresent() && foreign().isEmpty();
    }

    /** What somebody else has set since our last order, or we have, or what runs on as nothing was ordered. */
    OptionalInt settled() {
        return refused || seen.equals(ordered) ? seen : foreign().isPresent() ? seen : OptionalInt.empty();
    }

    /** What is in force; of a balloon that an earlier agent has sent away, and that has not set out yet, where it goes. */
    int read() throws IOException, InterruptedException {
        int running = backend.get(knob);
        boolean fits = snapshot.of(knob).filter(saved -> !saved.fits(running, backend.gradual(knob.kind()))).isEmpty();
        asked = backend.asked(knob, fits ? LATELY : Duration.ZERO);
        seen = OptionalInt.of(running);
        return running == original && ordered.isEmpty() && isOrdered() ? asked.getAsInt() : running;
    }

    /** Why it may not be moved now. */
    Optional<String> refusal() throws InterruptedException {
        if (snapshot.of(knob).isEmpty()) {
            return Optional.of("nothing is moved whose baseline is not on the disk");
        }
        if (ordered.isPresent() && !seen.equals(ordered)) {
            try {
                asked = backend.asked(knob, FRESH);     // it has not come to what we asked for: perhaps somebody else has asked since
            } catch (IOException e) {
                asked = OptionalInt.empty();
            }
        }
        OptionalInt foreign = foreign();
        return foreign.isPresent() ? Optional.of("somebody else has set it to " + foreign.getAsInt() + " meanwhile") : Optional.empty();
    }

    /** An order to it is on its way. */
    void ordered(int value) {
        ordered = OptionalInt.of(value);
        refused = false;
        answeredBefore = answered;
        answered = false;
        seen = OptionalInt.empty();
    }

    /** The order was taken. */
    void taken() {
        answered = answeredBefore;
    }

    /** The order was refused. */
    void refused() {
        answered = answeredBefore;
        refused = true;
    }

    /** No order is sent. */
    void passedOver() {
        refused = true;
    }

    /** A value as the backend puts it. */
    String words(int value) {
        return value == original ? snapshot.of(knob).orElseThrow().exact() : Integer.toString(value);
    }

    /** @throws NotDoneException when it was not done, or not all of it */
    void order(int value) throws IOException, InterruptedException {
        if (value == original) {
            restoreSteps.go(words(value));
        } else {
            backend.set(knob, value);
        }
    }
}
