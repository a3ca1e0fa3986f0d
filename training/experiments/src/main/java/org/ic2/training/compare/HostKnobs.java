// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.json.Json;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.HostSide;

/** What ic2-host had in force in a run, by its recording. */
final class HostKnobs {

    private HostKnobs() {
    }

    /** The values of a guest's knob, turn by turn, by {@code GUEST's KNOB}; empty where no host's agent ran. No limit is the most. */
    static Map<String, List<Turns.Value>> read(Path folder) throws IOException {
        Map<String, List<Turns.Value>> values = new LinkedHashMap<>();
        Path file = folder.resolve(HostSide.RECORDING);
        if (Files.exists(file)) {
            for (String line : TextFiles.lines(file)) {
                add(line, values);
            }
        }
        return values;
    }

    /** A line that was cut short is left out; the first one says what the host is. */
    private static void add(String line, Map<String, List<Turns.Value>> values) {
        try {
            JsonNode turn = Json.read(line);
            if (turn.has("knobs")) {
                Instant time = Instant.parse(turn.path("time").asText());
                for (JsonNode knob : turn.path("knobs")) {
                    int value = knob.path("value").asInt();
                    values.computeIfAbsent(knob.path("name").asText() + "'s " + knob.path("kind").asText(), any -> new ArrayList<>())
                            .add(new Turns.Value(time, value == 0 ? Turns.UNLIMITED : value));
                }
            }
        } catch (JsonProcessingException | DateTimeParseException e) {
            return;
        }
    }
}
