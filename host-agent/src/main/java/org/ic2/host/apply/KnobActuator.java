// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The knobs of a backend that one order can move together, as the executor moves them: mostly a single one, so that one guest's
 * trouble is no other's.
 */
final class KnobActuator implements Actuator {

    private final Backend backend;
    private final List<KnobState> states;

    /** @param states of one {@linkplain Backend#company company} */
    KnobActuator(Backend backend, List<KnobState> states) {
        this.backend = backend;
        this.states = List.copyOf(states);
    }

    @Override
    public String name() {
        return states.stream().map(state -> state.knob().label()).collect(Collectors.joining(" and "));
    }

    @Override
    public Set<Knob> levers() {
        return states.stream().map(KnobState::knob).collect(Collectors.toSet());
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        Settings running = Settings.none();
        try {
            for (KnobState state : states) {
                running = running.with(state.knob(), state.read());
            }
            return running;
        } catch (RuntimeException e) {
            throw new IOException("cannot make sense of what it got (" + e + ")", e);
        }
    }

    @Override
    public Settings settled() {
        Settings settled = Settings.none();
        for (KnobState state : states) {
            OptionalInt known = state.settled();
            if (known.isPresent()) {
                settled = settled.with(state.knob(), known.getAsInt());
            }
        }
        return settled;
    }

    /** What may not be moved does not keep back the others. */
    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        List<KnobState> moving = new ArrayList<>();
        StringJoiner refusals = new StringJoiner("; ");
        for (KnobState state : states) {
            if (values.has(state.knob())) {
                state.refusal().ifPresentOrElse(why -> refusals.add(states.size() == 1 ? why : state.knob().label() + ": " + why),
                        () -> moving.add(state));
            }
        }
        if (!moving.isEmpty()) {
            order(moving, values);
        }
        if (refusals.length() > 0) {
            throw new NotDoneException(refusals.toString());
        }
    }

    private void order(List<KnobState> moving, Settings values) throws IOException, InterruptedException {
        moving.forEach(state -> state.ordered(values.get(state.knob())));
        try {
            if (moving.size() == 1) {
                moving.get(0).order(values.get(moving.get(0).knob()));
            } else {
                Map<GuestKnob, String> words = new LinkedHashMap<>();
                moving.forEach(state -> words.put(state.knob(), state.words(values.get(state.knob()))));
                backend.setTogether(words);
            }
            moving.forEach(KnobState::answered);
        } catch (NotDoneException e) {
            moving.forEach(KnobState::answered);
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
        return states.stream().map(state -> backend.settleTime(state.knob().kind())).max(Comparator.naturalOrder()).orElseThrow();
    }
}
