// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What the executor is asked to bring about.
 *
 * @param id       the decision's id, or a name of our own
 * @param origin   who asks
 * @param action   in one word, for the journal
 * @param reason   in words
 * @param desired  the configuration to have
 * @param decision the whole decision, for the journal
 */
public record Order(String id, Origin origin, String action, String reason, Settings desired,
        Optional<JsonNode> decision) {

    /** The same for another configuration. */
    Order to(Settings other) {
        return new Order(id, origin, action, reason, other, decision);
    }

    /** True for what leads nearer to the baseline, though perhaps not all the way. */
    boolean leadsBack() {
        return action.equals("RESTORE") || action.equals("UNDO") || action.equals("STEP_DOWN");
    }

    /** Who asks. */
    public enum Origin {
        /** The control loop. */
        DECISION,
        /** A person, with {@code ic2 apply} or {@code ic2 restore}. */
        OPERATOR,
        /** A start after an end that restored nothing, or a journal that cannot be written. */
        RECOVERY,
        /** The agent's own end. */
        EXIT
    }
}
