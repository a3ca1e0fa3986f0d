// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.policy.Policy;

/** Whether the mitigation, where the agent may move it, has a level to go to. {@code ic2 init} leaves out those that do nothing on a site. */
public final class LadderCheck {

    private LadderCheck() {
    }

    /** What is to be known of the ladder; empty when it has a level, or mitigation is no lever. */
    public static Optional<String> problem(Policy policy) {
        return policy.ladder().highest() == 0 && policy.levers().contains(Lever.MITIGATION)
                ? Optional.of("the ladder is empty: no mitigation level does anything on this site") : Optional.empty();
    }
}
