// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.logging.Logger;
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

    private static final Logger LOG = Logger.getLogger(KnobActuator.class.getName());

    private final Backend backend;
    private final List<KnobState> states;

    private interface Order {
        void send() throws IOException, InterruptedException;
    }

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

    /** What may not or cannot be moved does not keep back the others; that it was not, the look at what came of it shows. */
    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        List<KnobState> moving = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        for (KnobState state : states) {
            if (values.has(state.knob())) {
                Optional<String> refusal = state.refusal();
                if (refusal.isPresent()) {
                    state.passedOver();
                    refusals.add(said(state, refusal.get()));
                } else {
                    moving.add(state);
                }
            }
        }
        boolean moved = moving.size() > 1 ? orderTogether(moving, values, refusals) : orderEach(moving, values, refusals);
        if (!refusals.isEmpty() && !moved) {
            throw new NotDoneException(String.join("; ", refusals));
        }
        refusals.forEach(LOG::warning);
    }

    private String said(KnobState state, String why) {
        return states.size() == 1 ? why : state.knob().label() + ": " + why;
    }

    private boolean orderTogether(List<KnobState> moving, Settings values, List<String> refusals)
            throws IOException, InterruptedException {
        Map<GuestKnob, String> words = new LinkedHashMap<>();
        moving.forEach(state -> words.put(state.knob(), state.words(values.get(state.knob()))));
        try {
            order(moving, values, () -> backend.setTogether(words));
            return true;
        } catch (NotDoneException e) {
            return orderEach(moving, values, refusals);     // one of them may be what was refused
        }
    }

    private boolean orderEach(List<KnobState> moving, Settings values, List<String> refusals) throws IOException, InterruptedException {
        boolean moved = false;
        for (KnobState state : moving) {
            try {
                order(List.of(state), values, () -> state.order(values.get(state.knob())));
                moved = true;
            } catch (NotDoneException e) {
                refusals.add(said(state, e.getMessage()));
            }
        }
        return moved;
    }

    private static void order(List<KnobState> moving, Settings values, Order order) throws IOException, InterruptedException {
        moving.forEach(state -> state.ordered(values.get(state.knob())));
        try {
            order.send();
            moving.forEach(KnobState::taken);
        } catch (NotDoneException e) {
            moving.forEach(KnobState::refused);
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
