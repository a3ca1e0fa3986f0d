// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** The actuators of the managed tier together: who moves which lever, what runs, and the waiting for it. */
final class ActuatorSet {

    private static final Logger LOG = Logger.getLogger(ActuatorSet.class.getName());
    private static final int POLL_MILLIS = 25;

    private final Map<String, Actuator> actuators;
    private final Set<Knob> allowed;
    private final LongSupplier nanoClock;
    private final Map<String, Long> changedNanos = new LinkedHashMap<>();
    private final Map<String, Long> sentNanos = new HashMap<>();

    /**
     * @param actuators by their label in the configuration; of two that move one lever the first does
     * @param allowed   the levers that may move; what else an actuator could move is not looked at
     */
    ActuatorSet(Map<String, Actuator> actuators, Set<Knob> allowed, LongSupplier nanoClock) {
        this.allowed = Set.copyOf(allowed);
        this.actuators = new LinkedHashMap<>(actuators);
        this.nanoClock = nanoClock;
    }

    Set<Knob> levers() {
        Set<Knob> levers = Knob.set(Set.of());
        actuators.values().forEach(actuator -> levers.addAll(actuator.levers()));
        levers.retainAll(allowed);
        return levers;
    }

    /** What runs, of some levers of one actuator; a lever whose value it does not know is absent. */
    Settings running(String label, Set<Knob> levers) throws IOException, InterruptedException {
        Actuator actuator = actuators.get(label);
        try {
            return actuator.running().only(levers);
        } catch (IOException e) {
            throw new IOException(actuator.name() + ": " + e.getMessage(), e);
        }
    }

    /** The levers by the actuator that moves them. */
    Map<String, Set<Knob>> parts(Set<Knob> levers) {
        Map<String, Set<Knob>> parts = new LinkedHashMap<>();
        Set<Knob> open = Knob.set(levers);
        open.retainAll(allowed);
        actuators.forEach((label, actuator) -> {
            Set<Knob> mine = Knob.set(actuator.levers());
            mine.retainAll(open);
            if (!mine.isEmpty()) {
                parts.put(label, mine);
                open.removeAll(mine);
            }
        });
        return parts;
    }

    /** What rested under an earlier configuration goes on resting. */
    void continueFrom(ActuatorSet earlier) {
        changedNanos.putAll(earlier.changedNanos);
        changedNanos.keySet().retainAll(actuators.keySet());
    }

    /** Why an actuator's own cool-down forbids a change now; empty when it does not. */
    Optional<String> coolingDown(String label) {
        Actuator actuator = actuators.get(label);
        Long changed = changedNanos.get(label);
        if (changed == null || nanoClock.getAsLong() - changed >= actuator.coolDown().toNanos()) {
            return Optional.empty();
        }
        return Optional.of(actuator.name() + " was changed " + (nanoClock.getAsLong() - changed) / 1_000_000_000
                + " s ago; a change costs it something, so it rests for " + actuator.coolDown().toSeconds() + " s");
    }

    /**
     * Asks one actuator for its part of a configuration.
     *
     * @throws NotDoneException when nothing of it was done
     * @throws IOException      when that is open
     */
    void apply(String label, Set<Knob> levers, Settings configuration) throws IOException, InterruptedException {
        changedNanos.put(label, nanoClock.getAsLong());
        Actuator actuator = actuators.get(label);
        try {
            actuator.apply(configuration.only(levers));
            sentNanos.put(label, System.nanoTime());
        } catch (NotDoneException e) {
            throw new NotDoneException(actuator.name() + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(actuator.name() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Waits until an actuator's part of a configuration is in force; says what differs when it is not in time, which it has from
     * the order on.
     */
    Optional<String> awaitRunning(String label, Set<Knob> levers, Settings configuration)
            throws InterruptedException {
        Actuator actuator = actuators.get(label);
        long end = sentNanos.get(label) + actuator.settleTime().toNanos();
        String difference;
        do {
            difference = difference(actuator, levers, configuration);
            if (difference == null) {
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } while (System.nanoTime() - end < 0);
        return Optional.of(difference);
    }

    /** What is known to run of some levers of one actuator although not all is in force that was sent last. */
    Settings settled(String label, Set<Knob> levers) {
        return actuators.get(label).settled().only(levers);
    }

    private static String difference(Actuator actuator, Set<Knob> levers, Settings wanted)
            throws InterruptedException {
        try {
            Settings running = actuator.running();
            for (Knob lever : levers) {
                if (!running.same(wanted, lever)) {
                    return actuator.name() + ": " + lever.key() + " should be " + lever.format(wanted.get(lever))
                            + " and is " + (running.has(lever) ? lever.format(running.get(lever)) : "unknown");
                }
            }
            return null;
        } catch (IOException e) {
            return actuator.name() + ": cannot be read back: " + e.getMessage();
        }
    }

    /** What of some settings the servers do not take, as far as they tell; empty when they take all. */
    Optional<String> refused(Settings settings) throws InterruptedException {
        StringJoiner refused = new StringJoiner("; ");
        for (Map.Entry<String, Set<Knob>> part : parts(settings.knobs()).entrySet()) {
            Actuator actuator = actuators.get(part.getKey());
            try {
                Bounds takes = actuator.allowed();
                for (Knob lever : part.getValue()) {
                    if (takes.lowest().has(lever) && takes.clamp(lever, settings.get(lever)) != settings.get(lever)) {
                        refused.add(lever.key() + " " + lever.format(settings.get(lever)) + " is outside what " + actuator.name()
                                + " takes, " + lever.format(takes.lowest().get(lever)) + " to " + lever.format(takes.highest().get(lever)));
                    }
                }
            } catch (IOException e) {
                LOG.fine(() -> actuator.name() + " does not say what it takes: " + e.getMessage());   // it may come later
            }
        }
        return refused.length() == 0 ? Optional.empty() : Optional.of(refused.toString());
    }

    void close() {
        actuators.values().forEach(Actuator::close);
    }
}
