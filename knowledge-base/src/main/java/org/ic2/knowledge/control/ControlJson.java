// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.UserHarm;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Terms;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.StateJson;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.SettingsJson;
import org.ic2.runtime.knob.Vocabulary;

/**
 * The one JSON form of a {@link Decision} and of a {@link ControllerState}: journal, HTTP interface and replay use
 * it, so that equal decisions are equal byte for byte.
 */
public final class ControlJson {
    private final Vocabulary vocabulary;

    /** For states of the knobs that IC2 ships. */
    public ControlJson() {
        this(Terms.shipped());
    }

    /**
     * @param vocabulary the knobs that a state may name
     */
    public ControlJson(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** The decision as one line of JSON; KAT in seconds, as in samples. */
    public String write(Decision decision) {
        return Json.text(tree(decision));
    }

    /** The decision as a tree, to be put into a larger document. */
    public ObjectNode tree(Decision decision) {
        ObjectNode node = Json.object();
        node.put("id", decision.id()).put("time", decision.time().toString())
                .put("action", decision.action().name())
                .put("scenario", decision.scenario().id()).put("situation", decision.scenario().description())
                .put("reason", decision.reason())
                .put("before", decision.before().name()).put("state", decision.state().name())
                .put("tree", decision.tree().map(Label::name).orElse(null))
                .put("believed", decision.believed().map(Label::name).orElse(null));
        SettingsJson.put(node.putObject("current"), decision.current());
        SettingsJson.put(node.putObject("desired"), decision.desired());
        ArrayNode rules = node.putArray("rules");
        decision.rules().forEach(rules::add);
        ArrayNode evidence = node.putArray("evidence");
        decision.evidence().forEach(evidence::add);
        ObjectNode numbers = node.putObject("numbers");
        decision.numbers().forEach(numbers::put);
        // of a neighbour, situation and evidence say all
        decision.harm().filter(harm -> harm.finding().cause() != Cause.NEIGHBOUR).ifPresent(harm -> node.set("harm", tree(harm)));
        return node;
    }

    /** A confirmed harm as a tree. */
    public static ObjectNode tree(UserHarm harm) {
        ObjectNode node = Json.object().put("cause", harm.finding().cause().key()).put("confidence", harm.finding().confidence().word())
                .put("felt", harm.felt()).put("since", harm.since().toString());
        ArrayNode evidence = node.putArray("evidence");
        harm.finding().evidence().forEach(evidence::add);
        return node.put("advice", harm.advice());
    }

    /** The state as one line of JSON. */
    public String write(ControllerState state) {
        return Json.text(StateJson.tree(state));
    }

    /**
     * The state that {@link #write(ControllerState)} wrote.
     *
     * @param source the file's name, for error messages
     * @throws FormatException if the text is not such a state; what to do then: start from
     *                         {@link ControllerState#initial}
     */
    public ControllerState readState(String source, String text) {
        try {
            return StateJson.state(Json.readStrictly(text), vocabulary);
        } catch (JsonProcessingException e) {
            throw new FormatException(source, "state", "not a controller's state: " + e.getOriginalMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new FormatException(source, "state", "not a controller's state: " + e.getMessage(), e);
        }
    }
}
