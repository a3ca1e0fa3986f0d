// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.SettingsJson;
import org.ic2.runtime.loop.AgentLoop;

/**
 * What people may ask of the running agent, from the control socket or, with a token, over HTTP. A request is an object
 * with a {@code verb}; the answer has {@code ok} and {@code text}.
 */
public final class Commands {

    private static final String VERB = "verb";

    private final JsonMapper mapper = new JsonMapper();
    private final Supplier<AgentLoop<?, ?>> loop;
    private final Supplier<ObjectNode> status;
    private final Supplier<Settings> inForce;

    /**
     * @param loop    the loop at the time; another after the configuration was read again
     * @param status  the agent at a glance, as it is at the time
     * @param inForce what is in force at the time, of every knob
     */
    public Commands(Supplier<AgentLoop<?, ?>> loop, Supplier<ObjectNode> status, Supplier<Settings> inForce) {
        this.loop = loop;
        this.status = status;
        this.inForce = inForce;
    }

    /** Carries out a request of somebody who may look and not change anything. */
    ObjectNode look(JsonNode request) throws InterruptedException {
        return request.path(VERB).asText().equals("status") ? handle(request)
                : answer(false, "this socket only answers \"status\"; to operate the agent takes its other one");
    }

    /** Carries out one request. */
    public ObjectNode handle(JsonNode request) throws InterruptedException {
        return switch (request.path(VERB).asText()) {
            case "status" -> answer(true, "").set("status", status.get());
            case "apply" -> apply(request);
            case "restore" -> result(loop.get().applyByHand(loop.get().mandate().limits().baseline(),
                    "the baseline was restored by hand"));
            case "resume" -> answer(true, loop.get().resume());
            default -> answer(false, "expected a verb: status, apply, restore or resume");
        };
    }

    private ObjectNode apply(JsonNode request) throws InterruptedException {
        Settings desired = inForce.get();
        StringBuilder changes = new StringBuilder();
        for (Map.Entry<String, JsonNode> field : request.properties()) {
            String name = field.getKey();
            if (name.equals(VERB)) {
                continue;
            }
            try {
                Knob lever = lever(name);
                int value = lever.parse(field.getValue().asText());
                desired = desired.with(lever, value);
                changes.append(changes.isEmpty() ? "" : ", ").append(lever.key()).append(' ').append(lever.format(value));
            } catch (IllegalArgumentException e) {
                return answer(false, name + ": " + e.getMessage());
            }
        }
        if (changes.isEmpty()) {
            return answer(false, "expected at least one of " + names());
        }
        return result(loop.get().applyByHand(desired, changes + " set by hand"));
    }

    /** A knob by its key, or by its column in samples. */
    private Knob lever(String name) {
        return inForce.get().knobs().stream()
                .filter(knob -> knob.key().equals(name) || knob.column().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("expected one of " + names()));
    }

    private String names() {
        return inForce.get().knobs().stream().map(Knob::column).collect(Collectors.joining(", "));
    }

    private ObjectNode result(Result result) {
        ObjectNode answer = answer(result instanceof Result.Applied, result.text());
        loop.get().unwritten().ifPresent(problem -> answer.put("warning", problem));
        SettingsJson.put(answer.putObject("running"), inForce.get());
        return answer;
    }

    private ObjectNode answer(boolean ok, String text) {
        return mapper.createObjectNode().put("ok", ok).put("text", text);
    }
}
