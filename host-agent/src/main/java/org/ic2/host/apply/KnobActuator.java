// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** One knob of a backend as the executor moves it, so that one guest's trouble is no other's. */
final class KnobActuator implements Actuator {

    private final Backend backend;
    private final GuestKnob knob;
    private final int original;
    private final Snapshot snapshot;
    private final HomeSteps home;

    /**
     * @param original the value that leads home
     * @param snapshot knows what that is exactly
     */
    KnobActuator(Backend backend, GuestKnob knob, int original, Snapshot snapshot) {
        this.backend = backend;
        this.knob = knob;
        this.original = original;
        this.snapshot = snapshot;
        home = new HomeSteps(backend, knob, original);
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
            return Settings.of(knob, backend.get(knob));
        } catch (RuntimeException e) {
            throw new IOException("cannot make sense of what it got (" + e + ")", e);
        }
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        int value = values.get(knob);
        Optional<Saved> saved = snapshot.of(knob);
        if (saved.isEmpty()) {
            throw new NotDoneException("nothing is moved whose way home is not on the disk");
        }
        try {
            if (value == original) {
                home.go(saved.get().exact());
            } else {
                backend.set(knob, value);
            }
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
