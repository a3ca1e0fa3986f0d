// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Migration;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.json.Json;

/**
 * The guests that were told to move and are not known to have arrived: on the disk before the command begins, until they are seen
 * where they were to go, or a person says {@code resume}. Not thread-safe.
 */
final class OpenMoves {

    /**
     * One of them.
     *
     * @param failure why it is left alone; empty while it is under way
     */
    record OpenMove(Migration move, String failure) {
        private ObjectNode json() {
            return Json.object().put("uuid", move.uuid()).put("id", move.id()).put("name", move.name()).put("from", move.from())
                    .put("to", move.to()).put("failure", failure);
        }

        private static OpenMove of(JsonNode json) {
            return new OpenMove(new Migration(text(json, "uuid"), text(json, "id"), text(json, "name"), text(json, "from"),
                    text(json, "to"), new Rationale("", Map.of())), text(json, "failure"));
        }

        private static String text(JsonNode json, String name) {
            if (!json.path(name).isTextual()) {
                throw new IllegalArgumentException(name + ": expected a text, got " + json.path(name));
            }
            return json.path(name).asText();
        }
    }

    private final DurableFile file;
    private final Map<String, OpenMove> byUuid = new LinkedHashMap<>();

    /** @throws IOException when there is something that cannot be read: no guest is to be moved then */
    OpenMoves(Path path) throws IOException {
        file = new DurableFile(path);
        if (Files.exists(path)) {
            try {
                JsonNode json = Json.read(BoundedText.file(path, BoundedText.FILE_BYTES, StandardCharsets.UTF_8));
                if (!json.path("moves").isArray()) {
                    throw new IllegalArgumentException("no moves");
                }
                json.path("moves").forEach(each -> put(byUuid, OpenMove.of(each)));
            } catch (JsonProcessingException | IllegalArgumentException e) {
                throw new IOException(path + ": expected the guests that were told to move, got what cannot be read (" + e.getMessage()
                        + "); see where they run, and remove it", e);
            }
        }
    }

    private static void put(Map<String, OpenMove> moves, OpenMove one) {
        moves.put(one.move().uuid(), one);
    }

    Optional<OpenMove> of(String uuid) {
        return Optional.ofNullable(byUuid.get(uuid));
    }

    List<OpenMove> all() {
        return List.copyOf(byUuid.values());
    }

    /** It is on the disk when this returns; else everything is as before. */
    void note(OpenMove one) throws IOException {
        Map<String, OpenMove> next = new LinkedHashMap<>(byUuid);
        put(next, one);
        write(next);
    }

    /** These have arrived, or are a person's matter now. */
    void forget(List<OpenMove> several) throws IOException {
        Map<String, OpenMove> next = new LinkedHashMap<>(byUuid);
        several.forEach(one -> next.remove(one.move().uuid()));
        write(next);
    }

    private void write(Map<String, OpenMove> next) throws IOException {
        ObjectNode json = Json.object().put("v", 1);
        ArrayNode moves = json.putArray("moves");
        next.values().forEach(one -> moves.add(one.json()));
        file.write(Json.line(json));
        byUuid.clear();
        byUuid.putAll(next);
    }
}
