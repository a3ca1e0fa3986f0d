// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.function.Supplier;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.journal.ConfigurationJson;
import org.ic2.agent.executor.Result;
import org.ic2.agent.loop.AgentLoop;
import org.ic2.runtime.yaml.Durations;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;

/**
 * What people may ask of the running agent, from the control socket or, with a token, over HTTP. A request is an object
 * with a {@code verb}; the answer has {@code ok} and {@code text}.
 */
public final class Commands {

    private static final String VERB = "verb";

    private final JsonMapper mapper = new JsonMapper();
    private final Supplier<AgentLoop> loop;
    private final Supplier<AgentConfig> config;
    private final StatusJson status;
    private final Supplier<Configuration> inForce;

    /**
     * @param loop    the loop at the time; another after the configuration was read again
     * @param inForce what is in force at the time
     */
    public Commands(Supplier<AgentLoop> loop, Supplier<AgentConfig> config, StatusJson status,
            Supplier<Configuration> inForce) {
        this.loop = loop;
        this.config = config;
        this.status = status;
        this.inForce = inForce;
    }

    /** Carries out one request. */
    public ObjectNode handle(JsonNode request) throws InterruptedException {
        return switch (request.path(VERB).asText()) {
            case "status" -> answer(true, "").set("status", status.status(config.get()));
            case "apply" -> apply(request);
            case "restore" -> result(loop.get().applyByHand(config.get().policy().baseline(),
                    "the baseline was restored by hand"));
            case "resume" -> answer(true, loop.get().resume());
            default -> answer(false, "expected a verb: status, apply, restore or resume");
        };
    }

    private ObjectNode apply(JsonNode request) throws InterruptedException {
        Configuration desired = inForce.get();
        StringBuilder changes = new StringBuilder();
        for (Map.Entry<String, JsonNode> field : request.properties()) {
            String name = field.getKey();
            if (name.equals(VERB)) {
                continue;
            }
            try {
                Lever lever = lever(name);
                int value = value(lever, field.getValue().asText());
                desired = desired.with(lever, value);
                changes.append(changes.isEmpty() ? "" : ", ").append(lever.key()).append(' ').append(lever.format(value));
            } catch (IllegalArgumentException e) {
                return answer(false, name + ": " + e.getMessage());
            }
        }
        if (changes.isEmpty()) {
            return answer(false, "expected at least one of mxc, kat, php, mitigation");
        }
        return result(loop.get().applyByHand(desired, changes + " set by hand"));
    }

    private static Lever lever(String name) {
        for (Lever lever : Lever.values()) {
            if (lever.metric().column().equals(name)) {
                return lever;
            }
        }
        throw new IllegalArgumentException("expected mxc, kat, php or mitigation");
    }

    private static int value(Lever lever, String text) {
        if (lever == Lever.KEEP_ALIVE_TIMEOUT) {
            return (int) Durations.parse(text).toMillis();
        }
        if (!text.matches("\\d{1,7}")) {
            throw new IllegalArgumentException("expected a whole number, got \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }

    private ObjectNode result(Result result) {
        ObjectNode answer = answer(result instanceof Result.Applied, result.text());
        ConfigurationJson.put(answer.putObject("running"), inForce.get());
        return answer;
    }

    private ObjectNode answer(boolean ok, String text) {
        return mapper.createObjectNode().put("ok", ok).put("text", text);
    }
}
