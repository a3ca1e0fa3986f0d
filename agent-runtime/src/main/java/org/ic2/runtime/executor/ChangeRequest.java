// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What the executor is asked to bring about.
 *
 * @param id        the decision's id, or a name of our own
 * @param origin    who asks
 * @param action    in one word, for the journal
 * @param reason    in words
 * @param desired   the configuration to have
 * @param leadsBack true for what leads nearer to the baseline, though perhaps not all the way: it is never held up
 * @param decision  the whole decision, for the journal
 * @param by        the person who asks, in words; empty where none does, or none is known
 */
public record ChangeRequest(String id, Origin origin, String action, String reason, Settings desired,
        boolean leadsBack, Optional<JsonNode> decision, String by) {

    /** Nobody's. */
    public ChangeRequest(String id, Origin origin, String action, String reason, Settings desired, boolean leadsBack,
            Optional<JsonNode> decision) {
        this(id, origin, action, reason, desired, leadsBack, decision, "");
    }

    /** To put values back, on the agent's own account. */
    public static ChangeRequest restore(String id, Origin origin, String reason, Settings desired) {
        return new ChangeRequest(id, origin, "RESTORE", reason, desired, true, Optional.empty());
    }

    /** What a person wants. */
    public static ChangeRequest byHand(Settings desired, String reason, String by) {
        return new ChangeRequest("by-hand", Origin.OPERATOR, "APPLY", reason, desired, false, Optional.empty(), by);
    }

    /** The same for another configuration. */
    ChangeRequest to(Settings other) {
        return new ChangeRequest(id, origin, action, reason, other, leadsBack, decision, by);
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
