// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.yaml.YamlText;

/** The host's agent of a run, which has web tier and neighbour for guests, and the contract's files. */
public final class HostSide {
    /** What the host measured, had in force and decided, turn by turn. */
    public static final String RECORDING = "host.jsonl";
    /** The guests' names: those of their groups. */
    public static final String WEB = "web";
    public static final String NEIGHBOUR = "neighbour";

    private static final String CONFIG = "host.yaml";
    private static final String LIBRARY = "regions.json";
    private static final List<Object> CPU = List.of(0.1, 0.95);

    private HostSide() {
    }

    /** The notice to the tenant. */
    static Path notice(Path folder) {
        return folder.resolve("contract/notice/" + WEB + ".json");
    }

    /** What the tenant tells. */
    static Path tenant(Path folder) {
        return folder.resolve("contract/tenant/" + WEB + ".json");
    }

    /** Starts it, in mode act; at its end it puts everything back. */
    static ChildProcess start(Testbed testbed, Setting setting, HostLever lever, Path folder) throws IOException {
        Files.createDirectories(notice(folder).getParent());
        Files.createDirectories(tenant(folder).getParent());
        Path config = folder.resolve(CONFIG);
        Files.writeString(config, yaml(testbed, setting, lever));
        if (lever == HostLever.WEIGHTS) {
            Files.writeString(folder.resolve(LIBRARY), JsonMapper.builder().build().writeValueAsString(HostLever.library()) + "\n");
        }
        return ChildProcess.start("ic2-host", testbed.host(List.of("run", "-c", config.toString(), "--record",
                folder.resolve(RECORDING).toString())), folder.resolve("host.log"));
    }

    static String yaml(Testbed testbed, Setting setting, HostLever lever) throws IOException {
        List<String> names = List.of(WEB, NEIGHBOUR);
        Map<String, Object> guests = new LinkedHashMap<>();
        guests.put(WEB, YamlValues.map("class", "LS1", "cpu", CPU, "response-time", setting.target().toMillis() + "ms"));
        guests.put(NEIGHBOUR, YamlValues.map("class", "NLS", "cpu", CPU, "intensity", 1));
        return "# written by ic2-train\n" + YamlText.of(YamlValues.map(
                "backend", YamlValues.map("type", "cgroup", "groups", testbed.hostGroup()),
                "mode", "act",
                "reserve", YamlValues.map("cpus", lever.reserve(Machine.cpus())),
                "guests", guests,
                "controllers", lever.controllers(names, LIBRARY),
                "safety", YamlValues.map("actions-per-hour", 10_000),
                "contract", YamlValues.map("type", "directory", "path", "contract"),
                "journal", "host-journal.jsonl"));
    }
}
