// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.yaml.YamlText;

/** Writes the configuration of the agent of a cluster's server: that of a single tier, and the share. */
final class ClusterYaml {
    private static final String SHARE = "share";
    /** Connections of a server at its whole share, as the balancer's file has them. */
    private static final int FULL = 200;

    private ClusterYaml() {
    }

    /**
     * The agent's file.
     *
     * @param server   of the cluster, as a tier of its own
     * @param name     at HAProxy
     * @param folder   of the run
     * @param balancer HAProxy's socket
     */
    static String yaml(Testbed server, String name, ClusterRun run, AgentArm arm, Setting setting, Path folder, Path journal, Path balancer)
            throws IOException {
        RunPlan plan = new RunPlan(run.id(), "cluster", Duration.ofSeconds(1), run.site().users(), run.seed(), Optional.empty(), arm,
                List.of());
        Map<String, Object> document = AgentYaml.document(server, plan, setting, folder, journal, Machine.hasCounters());
        if (run.shares()) {
            share(document, server, name, balancer, run.shareBounds());
        }
        return "# written by ic2-train for the run " + run.id() + "\n" + YamlText.of(document);
    }

    private static void share(Map<String, Object> document, Testbed server, String name, Path balancer, ClusterRun.Shares shares) {
        Map<String, Object> web = map(map(document, "members"), "web");
        map(web, "actuators").put("balancer", new LinkedHashMap<>(Map.of("type", "haproxy-agent",
                "listen", "127.0.0.1:" + server.number("ports", "agent"), "allow", List.of("127.0.0.0/8"), "max-connections", FULL,
                "control", server.text("files", "share_socket"))));
        map(web, "sensors").put("balancer", Map.of("type", "haproxy", "socket", balancer.toString(), "backend", ServerWeight.BACKEND, "server", name));
        map(document, "baseline").put(SHARE, ClusterRun.WHOLE_SHARE);
        map(document, "bounds").put(SHARE, List.of(shares.least(), ClusterRun.WHOLE_SHARE));
        List<Object> levers = new ArrayList<>(List.of(SHARE));
        levers.addAll((List<?>) document.get("levers"));
        document.put("levers", levers);
        document.put(SHARE, "computed");
        document.put("share-headroom", shares.headroom());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, Object> map, String key) {
        return (Map<String, Object>) map.computeIfPresent(key, (any, value) -> new LinkedHashMap<>((Map<String, Object>) value));
    }
}
