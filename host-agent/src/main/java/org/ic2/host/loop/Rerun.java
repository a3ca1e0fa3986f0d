// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.ic2.host.config.HostConfig;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.SampleJson;
import org.ic2.host.model.Target;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;

/** A recording decided again, with new controllers of a configuration. */
public final class Rerun {

    private final HostConfig config;
    private Council council;
    private List<Pool> pools = List.of();
    private long memory;

    private Rerun(HostConfig config) throws ConfigException {
        this.config = config;
        council = new Council(Controllers.of(config));
    }

    /**
     * What came of it.
     *
     * @param turns     how many there are
     * @param differing in how many of them another thing was decided than then
     * @param first     the time of the first of these; empty if there is none
     */
    public record Outcome(int turns, int differing, String first) {
    }

    /**
     * Decides again.
     *
     * @param each gets what is decided in a turn, as a line of JSON
     * @throws IOException naming file and line of what is no recording
     */
    public static Outcome of(HostConfig config, Path recording, Consumer<String> each) throws IOException, ConfigException {
        Rerun rerun = new Rerun(config);
        int number = 0;
        int differing = 0;
        String first = "";
        try (BufferedReader lines = Files.newBufferedReader(recording, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                JsonNode json = Json.read(line);
                if (number == 1) {
                    rerun.head(json);
                    continue;
                }
                if (json.path(HostRecorder.FRESH).asBoolean()) {
                    rerun.council = new Council(Controllers.of(config));
                }
                if (!json.path(HostRecorder.ASKED).asBoolean(true)) {
                    continue;
                }
                ObjectNode decided = rerun.decide(json);
                each.accept(Json.text(decided));
                if (!json.path("decided").equals(decided.get("decided")) || !json.path("held").equals(decided.get("held"))) {
                    differing++;
                    first = first.isEmpty() ? json.path("time").asText() : first;
                }
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IOException(recording + ":" + number + ": expected a line of a recording: " + e.getMessage(), e);
        }
        return new Outcome(Math.max(0, number - 1), differing, first);
    }

    private void head(JsonNode json) {
        if (json.path("v").asInt() != 1 || !json.path("pools").isArray()) {
            throw new IllegalArgumentException("no head of a recording of version 1");
        }
        memory = json.path("memory").asLong();
        List<Pool> found = new ArrayList<>();
        for (JsonNode pool : json.path("pools")) {
            List<Integer> cpus = new ArrayList<>();
            pool.path("cpus").forEach(cpu -> cpus.add(cpu.asInt()));
            found.add(new Pool(pool.path("name").asText(), pool.path("scheduler").asText(), cpus));
        }
        pools = found;
    }

    private ObjectNode decide(JsonNode json) throws JsonProcessingException {
        HostSample sample = config.merged(SampleJson.read(json));
        HostView view = HostLoop.view(config, sample, pools, memory, inForce(json, sample.guests()));
        ObjectNode line = Json.object().put("time", sample.time().toString());
        HostRecorder.putDecisions(line, council.deliberate(sample, view));
        return (ObjectNode) Json.read(Json.text(line));     // numbers as they stand in a file
    }

    private static Settings inForce(JsonNode json, List<Guest> guests) {
        Map<GuestKnob, Integer> values = new LinkedHashMap<>();
        for (JsonNode knob : json.path("knobs")) {
            KnobKind kind = KnobKind.of(knob.path("kind").asText()).orElseThrow(() ->
                    new IllegalArgumentException("kind: expected a knob, got " + knob.path("kind")));
            if (kind.ofPool()) {
                values.put(new GuestKnob(kind, new Target.OfPool(knob.path("pool").asText())), knob.path("value").asInt());
            } else {
                guests.stream().filter(guest -> guest.uuid().equals(knob.path("uuid").asText())).findFirst().ifPresent(guest ->
                        values.put(GuestKnob.of(kind, guest), knob.path("value").asInt()));
            }
        }
        return Settings.of(values);
    }
}
