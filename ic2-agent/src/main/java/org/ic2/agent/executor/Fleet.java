// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.ic2.agent.actuator.Actuator;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;

/** The actuators of the managed tier together: who moves which lever, what runs, and the waiting for it. */
final class Fleet {

    private static final int POLL_MILLIS = 25;

    private final Map<String, Actuator> actuators;
    private final Set<Lever> allowed;
    private final LongSupplier nanoClock;
    private final Map<String, Long> changedNanos = new LinkedHashMap<>();

    /**
     * @param actuators by their label in the configuration; of two that move one lever the first does
     * @param allowed   the levers that may move; what else an actuator could move is not looked at
     */
    Fleet(Map<String, Actuator> actuators, Set<Lever> allowed, LongSupplier nanoClock) {
        this.allowed = Set.copyOf(allowed);
        this.actuators = new LinkedHashMap<>(actuators);
        this.nanoClock = nanoClock;
    }

    Set<Lever> levers() {
        EnumSet<Lever> levers = EnumSet.noneOf(Lever.class);
        actuators.values().forEach(actuator -> levers.addAll(actuator.levers()));
        levers.retainAll(allowed);
        return levers;
    }

    /** What runs, of some levers of one actuator; a lever whose value it does not know is absent. */
    Map<Lever, Integer> running(String label, Set<Lever> levers) throws IOException, InterruptedException {
        Actuator actuator = actuators.get(label);
        try {
            Map<Lever, Integer> values = new EnumMap<>(Lever.class);
            actuator.running().forEach((lever, value) -> {
                if (levers.contains(lever)) {
                    values.put(lever, value);
                }
            });
            return values;
        } catch (IOException e) {
            throw new IOException(actuator.name() + ": " + e.getMessage(), e);
        }
    }

    /** The levers by the actuator that moves them. */
    Map<String, Set<Lever>> parts(Set<Lever> levers) {
        Map<String, Set<Lever>> parts = new LinkedHashMap<>();
        EnumSet<Lever> open = EnumSet.noneOf(Lever.class);
        open.addAll(levers);
        open.retainAll(allowed);
        actuators.forEach((label, actuator) -> {
            EnumSet<Lever> mine = EnumSet.copyOf(actuator.levers());
            mine.retainAll(open);
            if (!mine.isEmpty()) {
                parts.put(label, mine);
                open.removeAll(mine);
            }
        });
        return parts;
    }

    /** What rested under an earlier configuration goes on resting. */
    void continueFrom(Fleet earlier) {
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

    /** Asks one actuator for its part of a configuration. */
    void apply(String label, Set<Lever> levers, Configuration configuration) throws IOException, InterruptedException {
        Map<Lever, Integer> values = new EnumMap<>(Lever.class);
        levers.forEach(lever -> values.put(lever, configuration.get(lever)));
        changedNanos.put(label, nanoClock.getAsLong());
        Actuator actuator = actuators.get(label);
        try {
            actuator.apply(values);
        } catch (IOException e) {
            throw new IOException(actuator.name() + ": " + e.getMessage(), e);
        }
    }

    /** Waits until an actuator's part of a configuration is in force; says what differs when it is not in time. */
    Optional<String> awaitRunning(String label, Set<Lever> levers, Configuration configuration)
            throws InterruptedException {
        Actuator actuator = actuators.get(label);
        long end = System.nanoTime() + actuator.settleTime().toNanos();
        String difference;
        do {
            difference = difference(actuator, levers, configuration);
            if (difference == null) {
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } while (System.nanoTime() < end);
        return Optional.of(difference);
    }

    private static String difference(Actuator actuator, Set<Lever> levers, Configuration wanted)
            throws InterruptedException {
        try {
            Map<Lever, Integer> running = actuator.running();
            for (Lever lever : levers) {
                Integer value = running.get(lever);
                if (value == null || value != wanted.get(lever)) {
                    return actuator.name() + ": " + lever.key() + " should be " + lever.format(wanted.get(lever))
                            + " and is " + (value == null ? "unknown" : lever.format(value));
                }
            }
            return null;
        } catch (IOException e) {
            return actuator.name() + ": cannot be read back: " + e.getMessage();
        }
    }

    void close() {
        actuators.values().forEach(Actuator::close);
    }
}
