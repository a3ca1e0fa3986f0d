// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.util.Set;
import org.ic2.agent.host.Host;
import org.ic2.knowledge.Lever;

/** An actuator whose settings have been checked and that has not been opened yet. */
public interface ActuatorPlan {

    /** The levers it will be able to move. */
    Set<Lever> levers();

    /** Opens it on a machine; touches nothing. */
    Actuator open(Host host);
}
