// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.NotDoneException;

/**
 * The restore of memory that shrinks: by a quarter at most at a time, each step in force before the next, and never below what
 * the guest needs to live as it runs. Everything else is restored at once. The steps follow from where they begin, so that of a value
 * on this way it can be told that it is ours.
 */
final class MemoryRestoreSteps {

    /** For one guest; with the fourth step it has a third of what it had. */
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    /** For so long nobody who has stopped is asked again. */
    private static final Duration REST = Duration.ofSeconds(10);
    private static final int POLL_MILLIS = 25;
    private static final long MEBIBYTE = 1 << 20;

    private final Backend backend;
    private final GuestKnob knob;
    private final int baseline;
    private final Snapshot snapshot;
    private Optional<NotDoneException> stopped = Optional.empty();
    private long stoppedNanos;

    MemoryRestoreSteps(Backend backend, GuestKnob knob, int baseline, Snapshot snapshot) {
        this.backend = backend;
        this.knob = knob;
        this.baseline = baseline;
        this.snapshot = snapshot;
    }

    /** The values on the way from one to another, which is the last of them. */
    static List<Integer> of(KnobKind kind, int from, int baseline) {
        List<Integer> steps = new ArrayList<>();
        if (kind == KnobKind.MEMORY && baseline > 0) {      // 0 is no limit
            for (int now = next(from, baseline); now > baseline; now = next(now, baseline)) {
                steps.add(now);
            }
        }
        steps.add(baseline);
        return steps;
    }

    private static int next(int from, int baseline) {
        return Math.max(baseline, Math.min(from - 1, RateLimits.least(KnobKind.MEMORY, from)));
    }

    /**
     * Restores.
     *
     * @param exact what that is, in the backend's own words
     * @throws NotDoneException when it stops on the way; what it reached is in force
     */
    void go(String exact) throws IOException, InterruptedException {
        if (stopped.isPresent() && System.nanoTime() - stoppedNanos < REST.toNanos()) {
            throw stopped.get();
        }
        stopped = Optional.empty();
        int running = knob.kind() == KnobKind.MEMORY && baseline > 0 ? backend.get(knob) : baseline;
        long end = System.nanoTime() + DEADLINE.toNanos();
        int from = running;
        for (int step : of(knob.kind(), snapshot.of(knob).map(saved -> saved.restoreStart(from)).orElse(from), baseline)) {
            if (step >= from && step > baseline) {
                continue;
            }
            if (running > baseline) {
                requireEnough(running, step);
            }
            if (step == baseline) {
                backend.putBack(knob, exact);
                return;
            }
            backend.set(knob, step);
            running = await(step, end);
        }
    }

    private void requireEnough(int running, int step) throws IOException, InterruptedException {
        OptionalLong needed;
        try {
            needed = backend.indispensable((Target.OfGuest) knob.target());
        } catch (IOException e) {
            needed = OptionalLong.empty();  // who does not tell is restored by small steps all the same
        }
        if (needed.isPresent() && step * MEBIBYTE < needed.getAsLong()) {
            throw stopped(running, "its guest lives on " + (needed.getAsLong() + MEBIBYTE - 1) / MEBIBYTE + " MiB now");
        }
    }

    /** Waits until a step is in force; what is in force then. A guest that does not follow is not pressed. */
    private int await(int step, long end) throws IOException, InterruptedException {
        int running = backend.get(knob);
        long settled = System.nanoTime() + backend.settleTime(knob.kind()).toNanos();
        while (running > step) {
            if (System.nanoTime() - Math.min(settled, end) >= 0) {
                requireOurs();
                if (isNoted(running)) {
                    backend.set(knob, running);
                }
                throw stopped(running, "it has not come to " + step + " MiB in time");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            running = backend.get(knob);
        }
        if (running < step - 1) {    // a guest may show one less than was asked for
            requireOurs();
        }
        return running;
    }

    /** A balloon that goes elsewhere may follow somebody else. */
    private void requireOurs() throws IOException, InterruptedException {
        OptionalInt asked = backend.asked(knob, Duration.ZERO);
        if (asked.isPresent() && snapshot.of(knob).filter(saved -> !saved.isOrder(asked.getAsInt())).isPresent()) {
            throw new NotDoneException("somebody else has set it to " + asked.getAsInt() + " meanwhile");
        }
    }

    /** Where a balloon is stopped is no step of the way, so it is told to who comes after us; false if it cannot be. */
    private boolean isNoted(int running) {
        Optional<SavedKnob> saved = snapshot.of(knob).filter(one -> !one.isOrder(running));
        try {
            if (saved.isPresent()) {
                List<Integer> ours = new ArrayList<>(saved.get().ours());
                ours.add(running);
                snapshot.note(List.of(saved.get().withOurs(ours)));
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private NotDoneException stopped(int running, String why) {
        NotDoneException problem = new NotDoneException(knob.label() + " stays at " + running + " MiB while it is restored to " + baseline + " MiB: " + why
                + "; \"ic2-host restore\" tries again");
        stopped = Optional.of(problem);
        stoppedNanos = System.nanoTime();
        return problem;
    }
}
