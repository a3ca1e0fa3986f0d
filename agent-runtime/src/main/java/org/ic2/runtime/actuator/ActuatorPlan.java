// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.util.Set;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;

/** An actuator whose settings have been checked and that has not been opened yet. */
public interface ActuatorPlan {

    /** The knobs it will be able to move; the configuration has those that IC2 ships and these. */
    Set<Knob> levers();

    /**
     * What it will change, for the lock that keeps a second agent away: an address, a file, a command, in words that are the
     * same for whoever changes the same. By default all of its settings.
     */
    default Set<String> servers() {
        return Set.of();
    }

    /**
     * Refuses limits within which it could not set what will be wanted.
     *
     * @param baseline what is restored
     * @param bounds   lowest and highest value of each knob
     * @param levers   the knobs that may move
     * @throws ConfigException naming file, line and key of the setting that does not fit
     */
    default void fit(Settings baseline, Bounds bounds, Set<Knob> levers) throws ConfigException {
        // most actuators can set any value within the bounds
    }

    /** Opens it on a machine; touches nothing. */
    Actuator open(Host host);
}
