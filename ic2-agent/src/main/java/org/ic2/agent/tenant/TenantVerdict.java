// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumSet;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Verdict;

/**
 * A decision of the controller, in the loop's words.
 *
 * @param decision what was decided and why
 * @param state    what the controller remembers after it
 * @param notable  true if people want to hear of it
 * @param rung     of the ladder, that was in force
 * @param form     its form in the journal
 */
public record TenantVerdict(Decision decision, ControllerState state, boolean notable, int rung, ControlJson form)
        implements Verdict {

    private static final Set<Action> BACK = EnumSet.of(Action.RESTORE, Action.UNDO, Action.STEP_DOWN);

    @Override
    public Step step() {
        return decision.applies() ? Step.APPLY : decision.action() == Action.STEP_ASIDE ? Step.STEP_ASIDE : Step.HOLD;
    }

    @Override
    public String id() {
        return decision.id();
    }

    @Override
    public String action() {
        return decision.action().name();
    }

    @Override
    public String reason() {
        return decision.reason();
    }

    @Override
    public String context() {
        return decision.state().name();
    }

    @Override
    public boolean leadsBack() {
        return BACK.contains(decision.action());
    }

    @Override
    public Settings current() {
        return decision.current();
    }

    @Override
    public Settings desired() {
        return decision.desired();
    }

    @Override
    public JsonNode json() {
        return form.tree(decision);
    }
}
