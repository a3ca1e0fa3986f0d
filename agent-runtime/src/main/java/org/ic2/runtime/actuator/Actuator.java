// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Sets one or more knobs of a running server. To add one, write a class and a line in the agent's registry of types,
 * or, in a jar of one's own, an {@link ActuatorProvider}; {@link ExecActuator} is the example for other servers with a thread
 * pool.
 *
 * <p>An actuator only asks and reads back. Bounds, cool-down, budget, verification, roll-back, dry run and journal are
 * the executor's, so that no actuator can skip one. Values are the knobs' integers, in their own units: KeepAliveTimeout in milliseconds.
 */
public interface Actuator extends AutoCloseable {

    /** What it sets and where, for messages. */
    String name();

    /** The knobs it can move. */
    Set<Knob> levers();

    /**
     * The values in force now. A knob is absent while nobody knows its value.
     *
     * @throws IOException when the server cannot be asked, or is not what the configuration says it is
     */
    Settings running() throws IOException, InterruptedException;

    /**
     * For {@code ic2 check}: what the server takes, of the knobs of which it tells.
     *
     * @throws IOException when the server cannot be asked
     */
    default Bounds allowed() throws IOException, InterruptedException {
        return new Bounds(Settings.none(), Settings.none());
    }

    /**
     * Asks the server for these values, all of them knobs of this actuator. Returns when the server has accepted
     * them; they may take a moment to be in force.
     *
     * @throws NotDoneException when it was not done, or not all of it, and nothing is still to be done
     * @throws IOException      when it cannot be told whether it was or will be done: no answer in time, an answer that
     *                          makes no sense; what is in force is then unknown until a later order succeeds
     */
    void apply(Settings values) throws IOException, InterruptedException;

    /**
     * What is known to run although not all is in force that was sent last, by what was read since: what somebody else has set,
     * so that there nothing that was sent is in force or still to come, and what is as it was sent. Asks nobody; by default
     * nothing is known.
     */
    default Settings settled() {
        return Settings.none();
    }

    /**
     * For {@code ic2 check}: whether what {@link #apply} needs is there. Changes nothing.
     *
     * @throws IOException when something is missing: says what, and what to do
     */
    void checkMeans() throws IOException, InterruptedException;

    /** How long {@link #apply} may take; then it is interrupted, and ends whatever it has started. */
    default Duration applyTime() {
        return Duration.ofSeconds(12);
    }

    /** How long after {@link #apply} the values must be in force at the latest. */
    Duration settleTime();

    /** How these knobs are restored without Java, on this machine; empty where only this actuator can. */
    default Optional<RestoreRoute> route() {
        return Optional.empty();
    }

    /** The least time between two changes, for servers whom a change costs something. */
    default Duration coolDown() {
        return Duration.ZERO;
    }

    @Override
    default void close() {
        // most actuators hold nothing
    }
}
