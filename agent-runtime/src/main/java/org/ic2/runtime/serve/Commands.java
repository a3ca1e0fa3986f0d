// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.SettingsJson;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.CommandOutcome;
import org.ic2.runtime.loop.OperatorRequest;
import org.ic2.runtime.yaml.Durations;

/**
 * What people may ask of the running agent, from the control socket or, with a token, over HTTP. A request is an object
 * with a {@code verb}; the answer has {@code ok} and {@code text}.
 */
public final class Commands implements Verbs {

    private static final String VERB = "verb";
    private static final String FOR = "for";
    /** What changes nothing. */
    private static final Set<String> LOOKS = Set.of("status", "trends");

    private final Supplier<AgentLoop> loop;
    private final Supplier<ObjectNode> status;
    private final LongFunction<JsonNode> trends;
    private final Supplier<Settings> inForce;

    /**
     * @param loop    the loop at the time; another after the configuration was read again
     * @param status  the agent at a glance, as it is at the time
     * @param trends  how it came there: what was measured after a time, in epoch milliseconds; it may be made as it is written
     * @param inForce what is in force at the time, of every knob
     */
    public Commands(Supplier<AgentLoop> loop, Supplier<ObjectNode> status, LongFunction<JsonNode> trends,
            Supplier<Settings> inForce) {
        this.loop = loop;
        this.status = status;
        this.trends = trends;
        this.inForce = inForce;
    }

    /** Of an agent that is not there for long enough to be watched. */
    public Commands(Supplier<AgentLoop> loop, Supplier<ObjectNode> status, Supplier<Settings> inForce) {
        this(loop, status, since -> status.get().objectNode(), inForce);
    }

    @Override
    public ObjectNode look(JsonNode request) throws InterruptedException {
        return LOOKS.contains(request.path(VERB).asText()) ? handle(request, "")
                : answer(false, "this socket only answers \"status\" and \"trends\"; to operate the agent takes its other one");
    }

    @Override
    public ObjectNode handle(JsonNode request, String by) throws InterruptedException {
        return switch (request.path(VERB).asText()) {
            case "status" -> answer(true, "").set("status", status.get());
            case "trends" -> (ObjectNode) answer(true, "").<ObjectNode>set("status", status.get())
                    .set("trends", trends.apply(request.path("since").asLong()));
            case "apply" -> apply(request, by);
            case "restore", "pause" -> handOver(request, by);
            case "resume" -> answer(loop.get().resume(by));
            default -> answer(false, "expected a verb: status, trends, apply, restore, pause or resume");
        };
    }

    /** The agent enters manual mode, for a time where the request has one. */
    private ObjectNode handOver(JsonNode request, String by) throws InterruptedException {
        OperatorRequest asked;
        try {
            asked = new OperatorRequest(by, time(request));
        } catch (IllegalArgumentException e) {
            return answer(false, FOR + ": " + e.getMessage());
        }
        AgentLoop now = loop.get();
        String until = asked.time().map(time -> "; it goes on by itself in " + Durations.format(time)).orElse("");
        ObjectNode answer = request.path(VERB).asText().equals("pause") ? answer(now.pause("paused by hand", asked))
                : result(now.applyByHand(now.mandate().limits().baseline(), "the baseline was restored by hand", asked));
        return answer.path("ok").asBoolean() ? answer.put("text", answer.path("text").asText() + until) : answer;
    }

    private static Optional<Duration> time(JsonNode request) {
        if (!request.has(FOR)) {
            return Optional.empty();
        }
        Duration time = Durations.parse(request.get(FOR).asText());
        if (time.isZero()) {
            throw new IllegalArgumentException("expected a duration of more than nothing, got \"" + request.get(FOR).asText() + "\"");
        }
        return Optional.of(time);
    }

    private ObjectNode apply(JsonNode request, String by) throws InterruptedException {
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
        return result(loop.get().applyByHand(desired, changes + " set by hand", OperatorRequest.by(by)));
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

    private ObjectNode answer(CommandOutcome heeded) {
        return answer(heeded.done(), heeded.text());
    }

    private ObjectNode answer(boolean ok, String text) {
        return Json.object().put("ok", ok).put("text", text);
    }
}
