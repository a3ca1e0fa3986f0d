// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.config.HostConfig;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.PoolJson;
import org.ic2.host.model.ProposalJson;
import org.ic2.host.model.SampleJson;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.BoundedLines;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;

/** The turns of a recording one by one, as the controllers of a configuration see them. */
final class RecordedTurns implements AutoCloseable {

    private final HostConfig config;
    private final Path file;
    private final BoundedLines lines;
    private List<Pool> pools = List.of();
    private long memory;

    /**
     * One turn.
     *
     * @param json   its line
     * @param sample what was measured
     * @param view   what else was known, the knobs' values before it among it
     */
    record Turn(JsonNode json, HostSample sample, HostView view) {
        /** True when the controllers knew nothing yet. */
        boolean fresh() {
            return json.path(HostRecorder.FRESH).asBoolean();
        }

        /** False when nobody was asked. */
        boolean asked() {
            return json.path(HostRecorder.ASKED).asBoolean(true);
        }
    }

    /**
     * Opens a recording.
     *
     * @throws IOException naming file and line when it begins as none does
     */
    RecordedTurns(HostConfig config, Path file) throws IOException {
        this.config = config;
        this.file = file;
        lines = new BoundedLines(file);
        try {
            Optional<JsonNode> head = line();
            if (head.isPresent()) {
                head(head.get());
            }
        } catch (IllegalArgumentException e) {
            lines.close();
            throw wrong(e);
        } catch (IOException e) {
            lines.close();
            throw e;
        }
    }

    private Optional<JsonNode> line() throws IOException {
        try {
            String line = lines.next();
            return line == null ? Optional.empty() : Optional.of(Json.read(line));
        } catch (JsonProcessingException e) {
            throw wrong(e);
        } catch (CharacterCodingException e) {
            throw new IOException(file + ":" + lines.number() + ": expected a line of a recording: not in UTF-8", e);
        }
    }

    /** What is to be said of the line that was read last. */
    IOException wrong(Exception why) {
        return new IOException(file + ":" + lines.number() + ": expected a line of a recording: " + why.getMessage(), why);
    }

    private void head(JsonNode json) {
        if (json.path("v").asInt() != 1 || !json.path(PoolJson.MEMBER).isArray()) {
            throw new IllegalArgumentException("no head of a recording of version 1");
        }
        memory = json.path("memory").asLong();
        pools = PoolJson.read(json.path(PoolJson.MEMBER));
    }

    /**
     * The next turn; none after the last.
     *
     * @throws IOException naming file and line of what is no turn
     */
    Optional<Turn> next() throws IOException {
        Optional<JsonNode> line = line();
        if (line.isEmpty()) {
            return Optional.empty();
        }
        try {
            HostSample sample = config.merged(SampleJson.read(line.get()));
            if (line.get().has(PoolJson.MEMBER)) {
                pools = PoolJson.read(line.get().get(PoolJson.MEMBER));
            }
            return Optional.of(new Turn(line.get(), sample,
                    HostLoop.view(config, sample, pools, homes(line.get()), memory, inForce(line.get(), sample.guests()))));
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private static Map<String, String> homes(JsonNode json) {
        Map<String, String> homes = new HashMap<>();
        json.path(HostRecorder.HOMES).properties().forEach(home -> homes.put(home.getKey(), home.getValue().asText()));
        return homes;
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
                        values.put(ProposalJson.knob(kind, Target.OfGuest.of(guest), knob), knob.path("value").asInt()));
            }
        }
        return Settings.of(values);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
