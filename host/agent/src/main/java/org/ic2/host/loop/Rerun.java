// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.ic2.host.config.HostConfig;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.yaml.ConfigException;

/** A recording decided again, with new controllers of a configuration. */
public final class Rerun {

    private final HostConfig config;
    private ControllerScheduler council;

    private Rerun(HostConfig config) throws ConfigException {
        this.config = config;
        council = new ControllerScheduler(Controllers.of(config));
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
        int count = 0;
        int differing = 0;
        String first = "";
        try (RecordedTurns turns = new RecordedTurns(config, recording)) {
            for (Optional<RecordedTurns.Turn> turn = turns.next(); turn.isPresent(); turn = turns.next()) {
                count++;
                if (turn.get().fresh()) {
                    rerun.council = new ControllerScheduler(Controllers.of(config));
                }
                if (!turn.get().asked()) {
                    continue;
                }
                ObjectNode decided = rerun.decide(turns, turn.get());
                each.accept(Json.text(decided));
                JsonNode then = turn.get().json();
                if (!then.path("decided").equals(decided.get("decided")) || !then.path("held").equals(decided.get("held"))) {
                    differing++;
                    first = first.isEmpty() ? then.path("time").asText() : first;
                }
            }
        }
        return new Outcome(count, differing, first);
    }

    private ObjectNode decide(RecordedTurns turns, RecordedTurns.Turn turn) throws IOException {
        ObjectNode line = Json.object().put("time", turn.sample().time().toString());
        try {
            HostRecorder.putDecisions(line, council.deliberate(turn.sample(), turn.view()));
            return (ObjectNode) Json.read(Json.text(line));     // numbers as they stand in a file
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw turns.wrong(e);
        }
    }
}
