// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Lever;

/**
 * How the agent takes part in a run.
 *
 * @param act        false: it only measures and records; true: it reconfigures the web tier
 * @param classifier the tree that it decides with; empty: the shipped one
 * @param levers     what it may move
 * @param actuator   {@code httpd-online} or {@code httpd-basic}
 */
public record AgentArm(boolean act, Optional<Path> classifier, List<Lever> levers, String actuator) {
    /** What acting agents may move unless someone says otherwise: PHP gains nothing above the knee. */
    public static final List<Lever> LEVERS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
            Lever.MITIGATION);

    public AgentArm {
        levers = List.copyOf(levers);
        if (!actuator.equals("httpd-online") && !actuator.equals("httpd-basic")) {
            throw new IllegalArgumentException("agent: expected httpd-online or httpd-basic, got '" + actuator + "'");
        }
    }

    /** Only measures. */
    public static AgentArm observer() {
        return new AgentArm(false, Optional.empty(), LEVERS, "httpd-online");
    }

    /** Decides with this tree, all usual levers. */
    public static AgentArm acting(Path classifier) {
        return new AgentArm(true, Optional.of(classifier), LEVERS, "httpd-online");
    }
}
