// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.knowledge.control.worth.WorthJson;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Verdict;

/**
 * A decision of the controller, in the loop's words.
 *
 * @param decision what was decided and why
 * @param state    what the controller remembers after it
 * @param told     true if people want to hear of the decision
 * @param level    of the ladder, that was in force
 * @param form     its form in the journal
 * @param ended    the time away from the baseline that is over with it
 */
public record TenantVerdict(Decision decision, ControllerState state, boolean told, int level, ControlJson form,
        Optional<EndedEpisode> ended) implements Verdict {

    private static final Set<Action> BACK = EnumSet.of(Action.RESTORE, Action.UNDO, Action.STEP_DOWN);

    @Override
    public Step step() {
        return decision.applies() ? Step.APPLY : decision.action() == Action.ENTER_MANUAL ? Step.ENTER_MANUAL : Step.HOLD;
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
        // why manual mode is on is kept, and shown for as long
        return decision.reason() + ended.filter(episode -> step() != Step.ENTER_MANUAL)
                .map(episode -> "; episode over: " + episode.describe()).orElse("");
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
        ObjectNode node = form.tree(decision);
        ended.ifPresent(episode -> node.set("episode", WorthJson.tree(episode)));
        return node;
    }

    @Override
    public boolean notable() {
        return told || ended.isPresent();
    }
}
