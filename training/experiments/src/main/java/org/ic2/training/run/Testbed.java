// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The running testbed, as {@code bin/testbed} describes it in {@code testbed.json}, and the commands that act on it.
 *
 * @param home    the project's folder, in which {@code bin/testbed} and {@code bin/ic2} are
 * @param folder  the testbed's folder
 * @param state   the content of testbed.json
 */
public record Testbed(Path home, Path folder, JsonNode state) {
    /**
     * The testbed that runs in a folder.
     *
     * @throws RunException if none does
     */
    public static Testbed find(Path home, Path folder) throws IOException {
        Path file = folder.resolve("testbed.json");
        if (!Files.isRegularFile(file)) {
            throw new RunException("no testbed runs in " + folder + "; start it with " + home.resolve("bin/testbed") + " up");
        }
        Path absolute = folder.toAbsolutePath().normalize();
        return new Testbed(home, absolute, JsonMapper.builder().build().readTree(Files.readString(file)));
    }

    /** A text of testbed.json, such as {@code text("files", "apachectl")}. */
    public String text(String... keys) {
        return node(keys).asText();
    }

    /** A number of testbed.json. */
    public int number(String... keys) {
        return node(keys).asInt();
    }

    /** A directory that testbed.json names; empty if the machine has none of that kind. */
    Optional<Path> directory(String... keys) {
        JsonNode node = state;
        for (String key : keys) {
            node = node.path(key);
        }
        return node.isTextual() ? Optional.of(Path.of(node.asText())) : Optional.empty();
    }

    private JsonNode node(String... keys) {
        JsonNode node = state;
        for (String key : keys) {
            node = node.path(key);
        }
        if (node.isMissingNode() || node.isNull()) {
            throw new IllegalArgumentException(folder + "/testbed.json: expected a value at " + String.join(".", keys)
                    + "; it was written by another version of bin/testbed: `testbed down`, then `testbed up`");
        }
        return node;
    }

    /** Which application runs; what does not say it is our own. */
    public String application() {
        return state.path("options").path("application").asText("olio");
    }

    /** The profile of its load and pages; what does not say it has the usual one. */
    public String profile() {
        return state.path("options").path("profile").asText("public");
    }

    /** Which httpd: {@code patched} or {@code stock}. */
    public String server() {
        return state.path("options").path("server").asText("patched");
    }

    /** How tier and neighbour meet. */
    public Neighbourhood neighbourhood() {
        return Neighbourhood.of(state.path("options").path("layout").asText(Neighbourhood.USUAL));
    }

    /**
     * The servers of a cluster, each as a tier of its own.
     *
     * @throws IllegalArgumentException if it is none
     */
    public List<Testbed> servers() {
        List<Testbed> servers = new ArrayList<>();
        state.path("servers").forEach(one -> servers.add(new Testbed(home, folder, one)));
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("--cluster: the testbed in " + folder + " has one tier; `testbed down`, then "
                    + "`testbed up --webs 3 --balancer haproxy`");
        }
        return servers;
    }

    /**
     * The control group whose children tier and neighbour are.
     *
     * @throws IllegalArgumentException if they have none
     */
    public String hostGroup() {
        String group = state.path("host_group").asText();
        if (group.isEmpty()) {
            throw new IllegalArgumentException("--host: the testbed in " + folder + " was started without --hosted; `testbed down`, then "
                    + "`testbed up --hosted`");
        }
        return group;
    }

    /** The file that tells a stock httpd the level; empty on the patched one. */
    Optional<Path> ladderFile() {
        return directory("files", "mitigation_map");
    }

    /** Whether its httpd has the concurrency limiter that experiments compare with. */
    public boolean limits() {
        return directory("files", "limiter").isPresent();
    }

    /**
     * Whether response times can come from there.
     *
     * @throws IllegalArgumentException if not
     */
    public void provides(String response) {
        if (!Setting.RESPONSES.contains(response)) {
            throw new IllegalArgumentException("--response: expected one of " + String.join(", ", Setting.RESPONSES) + ", got '" + response + "'");
        }
        if (response.equals(Setting.ACCESS_LOG) && accessLog().isEmpty()) {
            throw new IllegalArgumentException("--response access-log: the testbed in " + folder
                    + " writes no access log; `testbed down`, then `testbed up --set IC2_ACCESS_LOG=yes`");
        }
    }

    /** The tier's access log, if it was started with one. */
    Optional<Path> accessLog() {
        return directory("files", "access_log");
    }

    /** The options with which it was started and the versions of what runs, for the provenance. */
    public Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        state.path("options").properties().forEach(option -> {
            if (!option.getKey().equals("httpd")) {
                options.put("testbed." + option.getKey(), option.getValue().isValueNode() ? option.getValue().asText()
                        : option.getValue().toString());
            }
        });
        state.path("versions").properties().forEach(version -> options.put("version." + version.getKey(),
                version.getValue().asText()));
        return options;
    }

    /** A command of {@code bin/testbed}. */
    List<String> command(String verb, List<String> words) {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/testbed").toString(), verb, "--dir",
                folder.toString()));
        command.addAll(words);
        return command;
    }

    /**
     * The command of a load without an end of its own.
     *
     * @param words    who makes it, and how
     * @param interval of its lines
     * @param out      its folder
     */
    List<String> load(List<String> words, long seed, Duration rampUp, Duration steady, Duration interval, Path out) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--seed", Long.toString(seed), "--ramp-up", rampUp.toSeconds() + "s", "--steady", steady.toSeconds() + "s",
                "--ramp-down", "0s", "--runtime-stats", interval.toMillis() + "ms", "--out", out.toString()));
        return command("load", all);
    }

    /** A command of the host's agent, likewise. */
    List<String> host(List<String> words) {
        List<String> command = command("outside", List.of("--", home.resolve("bin/ic2-host").toString()));
        command.addAll(words);
        return command;
    }

    /** A command of the agent, inside the web tier, where a tenant's is, or outside, where what it watches cannot starve it. */
    List<String> agent(AgentArm.Place place, List<String> words) {
        List<String> command = command(place == AgentArm.Place.INSIDE ? "inside" : "outside", List.of("--", home.resolve("bin/ic2").toString()));
        command.addAll(words);
        return command;
    }
}
