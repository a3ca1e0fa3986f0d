// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;
import org.ic2.runtime.json.Json;

/** A host of the file's {@code backend}, with the same keys, where it is written down to be opened without the file. */
public final class BackendJson {

    private BackendJson() {
    }

    /** What opens it again; paths are whole. */
    public static ObjectNode write(BackendChoice choice) {
        ObjectNode json = Json.object().put("type", choice.type());
        if (choice instanceof BackendChoice.Cgroup cgroup) {
            json.put("groups", cgroup.groups());
            cgroup.qmp().ifPresent(qmp -> json.put("qmp", qmp));
        } else if (choice instanceof BackendChoice.Sim sim) {
            json.put("scenario", sim.scenario().toString());
        } else if (choice instanceof BackendChoice.Replay replay) {
            json.put("file", replay.file().toString());
        }
        return json;
    }

    /** For people. */
    public static String text(BackendChoice choice) {
        return Json.text(write(choice));
    }

    /** @throws IllegalArgumentException when it is none */
    public static BackendChoice read(JsonNode json) {
        String type = json.path("type").asText();
        return switch (type) {
            case "xen" -> new BackendChoice.Xen();
            case "cgroup" -> new BackendChoice.Cgroup(text(json, "groups"),
                    json.has("qmp") ? Optional.of(text(json, "qmp")) : Optional.empty());
            case "sim" -> new BackendChoice.Sim(Path.of(text(json, "scenario")));
            case "replay" -> new BackendChoice.Replay(Path.of(text(json, "file")));
            default -> throw new IllegalArgumentException("backend: type: expected xen, cgroup, sim or replay, got \"" + type + "\"");
        };
    }

    private static String text(JsonNode json, String key) {
        if (!json.path(key).isTextual()) {
            throw new IllegalArgumentException("backend: " + key + ": expected a text, got " + json.path(key));
        }
        return json.path(key).asText();
    }
}
