// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.util.Set;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.knowledge.control.Policy;

/** An actuator whose settings have been checked and that has not been opened yet. */
public interface ActuatorPlan {

    /** The knobs it will be able to move; the configuration has those that IC2 ships and these. */
    Set<Knob> levers();

    /**
     * Refuses a policy that it could not carry out.
     *
     * @throws ConfigException naming file, line and key of the setting that does not fit
     */
    default void fit(Policy policy) throws ConfigException {
        // most actuators can set any value within the bounds
    }

    /** Opens it on a machine; touches nothing. */
    Actuator open(Host host);
}
