// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.ic2.knowledge.FormatException;
import org.ic2.training.data.TextFiles;

/** The file that says what a folder compares. */
final class PlanJson {
    static final String FILE = "compare.json";
    private static final int FORMAT = 1;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private PlanJson() {
    }

    static ObjectNode json(ComparePlan plan) {
        ObjectNode json = MAPPER.createObjectNode().put("format", FORMAT);
        ArrayNode arms = json.putArray("arms");
        plan.arms().forEach(arm -> arms.add(arm.key()));
        ArrayNode neighbours = json.putArray("neighbours");
        for (Neighbour one : plan.neighbours()) {
            ObjectNode node = neighbours.addObject().put("name", one.name()).put("command", one.command());
            one.duty().ifPresent(percent -> node.put("duty", percent));
        }
        json.put("application", plan.subject().application()).put("profile", plan.subject().profile())
                .put("server", plan.subject().server()).put("layout", plan.subject().layout());
        json.put("placement", plan.placement()).put("repeat", plan.repeat());
        json.put("run", seconds(plan.length())).put("on", seconds(plan.on())).put("off", seconds(plan.off()));
        json.put("first_half", seconds(plan.firstHalf())).put("settle", seconds(plan.settle()));
        AgentSettings agents = plan.agents();
        json.put("users", plan.users()).put("seed", plan.seed()).put("interval", seconds(agents.interval()));
        json.put("target", seconds(agents.target())).put("cool_down", seconds(agents.coolDown()));
        json.put("response", agents.response());
        agents.classifier().ifPresent(file -> json.put("classifier", file.toString()));
        if (!agents.levels().isEmpty()) {
            agents.levels().forEach(json.putArray("levels")::add);
        }
        return json;
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    static ComparePlan read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new IOException(folder + ": expected a folder that `ic2-train compare` has made, with " + FILE);
        }
        try {
            return plan(file.toString(), MAPPER.readTree(Files.readString(file)));
        } catch (JsonProcessingException e) {
            throw new FormatException(file.toString(), "start", "not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static ComparePlan plan(String source, JsonNode json) {
        if (json.path("format").asInt() != FORMAT) {
            throw new FormatException(source, "format", "expected " + FORMAT + ", got " + json.get("format"));
        }
        List<Arm> arms = new ArrayList<>();
        json.path("arms").forEach(arm -> arms.add(Arm.of(arm.asText())));
        List<Integer> levels = new ArrayList<>();
        json.path("levels").forEach(level -> levels.add(level.asInt()));
        List<Neighbour> neighbours = new ArrayList<>();
        json.path("neighbours").forEach(one -> neighbours.add(new Neighbour(one.path("name").asText(),
                one.path("command").asText(), one.has("duty") ? OptionalInt.of(one.path("duty").asInt()) : OptionalInt.empty())));
        return new ComparePlan(arms, neighbours, json.path("placement").asText(), json.path("repeat").asInt(),
                time(source, json, "run"), time(source, json, "on"), time(source, json, "off"), time(source, json, "first_half"),
                time(source, json, "settle"), json.path("users").asInt(), json.path("seed").asLong(),
                new AgentSettings(time(source, json, "interval"), time(source, json, "target"), time(source, json, "cool_down"),
                        json.path("response").asText(),
                        Optional.ofNullable(json.get("classifier")).map(file -> Path.of(file.asText())), levels),
                new TestSubject(json.path("application").asText(TestSubject.USUAL.application()),
                        json.path("profile").asText(TestSubject.USUAL.profile()), json.path("server").asText(TestSubject.USUAL.server()),
                        json.path("layout").asText(TestSubject.USUAL.layout())));
    }

    private static Duration time(String source, JsonNode json, String key) {
        if (!json.path(key).isNumber()) {
            throw new FormatException(source, key, "expected seconds, got " + json.get(key));
        }
        return Duration.ofMillis(Math.round(1000 * json.path(key).doubleValue()));
    }

    /**
     * Notes what a folder compares. More rounds, arms and neighbours may come to what is there; all else must be the
     * same, or the runs could not be compared.
     */
    static void write(Path folder, ComparePlan plan) throws IOException {
        if (Files.exists(folder.resolve(FILE))) {
            ObjectNode before = json(read(folder));
            ObjectNode now = json(plan);
            for (String key : List.of("application", "profile", "server", "layout", "placement", "run", "on", "off", "users", "seed", "interval", "target",
                    "cool_down", "response", "classifier", "levels")) {
                if (!before.path(key).equals(now.path(key))) {
                    throw new IllegalArgumentException(folder + " holds a comparison with " + key + " " + before.path(key)
                            + ", not " + now.path(key) + "; choose another folder, or the same settings to go on");
                }
            }
            for (Neighbour one : read(folder).neighbours()) {
                if (plan.neighbours().stream().anyMatch(other -> other.name().equals(one.name()) && !other.equals(one))) {
                    throw new IllegalArgumentException(folder + " holds a comparison in which " + one.name() + " is '"
                            + one.command() + "'; choose another name or another folder");
                }
            }
        }
        TextFiles.write(folder.resolve(FILE), json(plan).toPrettyString() + "\n");
    }
}
