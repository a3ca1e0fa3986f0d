// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.backend.BackendProvider;
import org.ic2.host.backend.BackendProviders;
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
        } else if (choice instanceof BackendChoice.Added added) {
            json.put(added.key(), added.file().toString());
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
            case "libvirt" -> new BackendChoice.Libvirt();
            case "replay" -> new BackendChoice.Replay(Path.of(text(json, "file")));
            default -> added(json, type);
        };
    }

    private static BackendChoice added(JsonNode json, String type) {
        BackendProvider provider = BackendProviders.all().get(type);
        if (provider == null) {
            throw new IllegalArgumentException("backend: type: " + expected() + ", got \"" + type + "\"");
        }
        return new BackendChoice.Added(type, provider.key(), Path.of(text(json, provider.key())));
    }

    /** For who named a type that there is not: which there are. */
    static String expected() {
        Set<String> added = BackendProviders.all().keySet();
        return added.isEmpty() ? "expected xen, cgroup, libvirt or replay" : "expected one of xen, cgroup, libvirt, replay, " + String.join(", ", added);
    }

    private static String text(JsonNode json, String key) {
        if (!json.path(key).isTextual()) {
            throw new IllegalArgumentException("backend: " + key + ": expected a text, got " + json.path(key));
        }
        return json.path(key).asText();
    }
}
