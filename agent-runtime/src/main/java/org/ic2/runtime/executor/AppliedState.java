// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What runs on the managed tier, as far as it is known. Everything that is sent and everything that is read passes here: of
 * a knob to which something was sent it is unknown what runs until an order is known to be in force or refused, whatever a
 * server shows. Not thread-safe.
 */
final class AppliedState {

    private final ActuatorSet actuators;
    private final InFlightChanges open;
    private final Set<Knob> unread;
    private Settings believed;

    /**
     * @param ran  what is taken to run, until it is read
     * @param sent what an earlier agent sent and has no outcome
     */
    AppliedState(ActuatorSet actuators, Settings ran, List<Settings> sent, LongSupplier nanoClock) {
        this.actuators = actuators;
        open = new InFlightChanges(nanoClock);
        unread = Knob.set(actuators.levers());
        believed = ran;
        sent.forEach(values -> open.begin(values.only(unread)));
    }

    /** Takes over what was known under an earlier configuration of the knobs that both have. */
    void continueFrom(AppliedState earlier) {
        actuators.continueFrom(earlier.actuators);
        open.continueFrom(earlier.open, actuators.levers());
        Settings common = earlier.believed.only(earlier.actuators.levers()).only(actuators.levers());
        believed = believed.with(common);
        unread.removeIf(knob -> common.has(knob) && !earlier.unread.contains(knob));
    }

    /** What was in force when it was last read or set. */
    Settings believed() {
        return believed;
    }

    /** The knobs that were neither read nor set since the start. */
    Set<Knob> unread() {
        return Knob.set(unread);
    }

    /** The knobs to which something was sent that has no outcome: it may be in force, or come into force at any time. */
    Set<Knob> open() {
        return open.knobs();
    }

    /** What runs; empty while something is open. */
    Optional<Settings> known() {
        return open.isEmpty() ? Optional.of(believed) : Optional.empty();
    }

    /** Takes note of what somebody saw in force. */
    void seen(Settings running) {
        open.seen(running.only(actuators.levers()), believed);
    }

    /** Believes what the actuators of these knobs say; why some could not be read, by their label. */
    Map<String, String> read(Set<Knob> knobs) throws InterruptedException {
        Map<String, String> problems = new LinkedHashMap<>();
        for (Map.Entry<String, Set<Knob>> part : actuators.parts(knobs).entrySet()) {
            try {
                Settings running = actuators.running(part.getKey(), part.getValue());
                open.seen(running, believed);
                believed = believed.with(running);
                unread.removeAll(part.getValue());
            } catch (IOException e) {
                problems.put(part.getKey(), e.getMessage());
            }
        }
        return problems;
    }

    /** The same of parts by the label of their actuator. */
    Map<String, String> readAll(Map<String, Set<Knob>> parts) throws InterruptedException {
        Set<Knob> all = Knob.set(Set.of());
        parts.values().forEach(all::addAll);
        return read(all);
    }

    /** Asks each actuator for its part of what ran before; true when all of it is in force. */
    boolean rollBack(Map<String, Set<Knob>> parts, Settings before) throws InterruptedException {
        boolean complete = true;
        for (Map.Entry<String, Set<Knob>> part : parts.entrySet()) {
            complete &= order(part.getKey(), part.getValue(), before).problem().isEmpty();
        }
        return complete;
    }

    /** Asks one actuator for its part of a configuration, and waits until it is in force. */
    Outcome order(String label, Set<Knob> knobs, Settings desired) throws InterruptedException {
        Outcome sent = send(label, knobs, desired);
        return sent.problem().isEmpty() ? await(label, knobs, desired) : sent;
    }

    /** Asks one actuator for its part of a configuration. What came of an order that it has taken, {@link #await} tells. */
    Outcome send(String label, Set<Knob> knobs, Settings desired) throws InterruptedException {
        Settings sent = desired.only(knobs);
        open.begin(sent);
        try {
            actuators.apply(label, knobs, desired);
        } catch (NotDoneException e) {
            open.refused(sent);
            return new Outcome(Optional.of(e.getMessage()), true);
        } catch (IOException e) {
            takeOutWhatIsSettled(label, knobs);
            return new Outcome(Optional.of(e.getMessage()), false);
        } catch (InterruptedException e) {
            takeOutWhatIsSettled(label, knobs);
            throw e;
        }
        return new Outcome(Optional.empty(), true);
    }

    /** Of an order without an outcome: what was not even sent. */
    private void takeOutWhatIsSettled(String label, Set<Knob> knobs) {
        Settings settled = actuators.settled(label, knobs);
        open.refused(settled);
        believed = believed.with(settled);
    }

    /** Waits until what was sent to an actuator is in force. */
    Outcome await(String label, Set<Knob> knobs, Settings desired) throws InterruptedException {
        Settings sent = desired.only(knobs);
        Optional<String> difference = actuators.awaitRunning(label, knobs, desired);
        if (difference.isEmpty()) {
            open.inForce(sent);
            unread.removeAll(knobs);
            believed = believed.with(sent);
        } else {
            Settings settled = actuators.settled(label, knobs);
            open.inForce(settled);
            unread.removeAll(settled.knobs());
            believed = believed.with(settled);
        }
        return new Outcome(difference, true);
    }

    /**
     * What came of an order.
     *
     * @param problem  why it is not in force, if so
     * @param answered false when it was not even heard whether the order was taken
     */
    record Outcome(Optional<String> problem, boolean answered) {
    }
}
