// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig.ActuatorConfig;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.yaml.ConfigException;

/** Whether an haproxy.cfg asks this server for its share, and heeds the answer. */
final class HaproxyCheck {

    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s|m|h|d)?");
    private static final Map<String, Double> SECONDS = Map.of("us", 1e-6, "ms", 1e-3, "s", 1.0, "m", 60.0, "h", 3600.0, "d", 86_400.0);
    private static final double LONG = 1;
    /** HAProxy's own, s. */
    private static final double USUAL_INTER = 2;
    private static final int COARSE = 20;
    /** What goes by a server's weight as it is at the moment. */
    private static final Set<String> DYNAMIC = Set.of("roundrobin", "leastconn", "random");
    private static final Set<String> HASHING = Set.of("source", "uri", "url_param", "hdr", "rdp-cookie", "hash");

    private final Path file;
    private final ActuatorConfig actuator;
    private final Endpoint.Tcp listen;
    private final List<Finding> findings = new ArrayList<>();

    /** @throws ConfigException if the configuration has no actuator haproxy-agent */
    HaproxyCheck(AgentConfig config, Path file) throws ConfigException {
        this.file = file;
        actuator = config.managed().actuators().stream().filter(one -> "haproxy-agent".equals(setting(one, "type").orElse(""))).findFirst()
                .orElseThrow(() -> new ConfigException("--haproxy: expected an actuator haproxy-agent in " + config.source()
                        + ", which HAProxy is to ask, got none"));
        listen = (Endpoint.Tcp) Endpoint.parse(setting(actuator, "listen").orElseThrow());
    }

    private static Optional<String> setting(ActuatorConfig actuator, String key) {
        return Optional.ofNullable(actuator.settings().get(key)).map(values -> values.get(0));
    }

    List<Finding> findings() throws ConfigException {
        String text;
        try {
            text = BoundedText.file(file, BoundedText.FILE_BYTES, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ConfigException("--haproxy: cannot be read: " + e.getMessage(), e);
        }
        List<HaproxyFile.Backend> backends = HaproxyFile.backends(text);
        List<HaproxyFile.Server> asked = backends.stream().flatMap(backend -> backend.servers().stream()).filter(this::isOurs).toList();
        if (asked.isEmpty()) {
            say(false, true, "no server's line is of " + listen.host() + ", nor has agent-port " + listen.port() + " there; it has "
                    + BoundedText.brief(backends.stream().flatMap(backend -> backend.servers().stream())
                    .map(server -> server.backend() + "/" + server.name() + " " + server.address()).collect(Collectors.joining(", "))));
        }
        for (HaproxyFile.Server server : asked) {
            HaproxyFile.Backend backend = backends.stream().filter(one -> one.servers().contains(server)).findFirst().orElseThrow();
            check(backend, server);
        }
        return findings;
    }

    private boolean isOurs(HaproxyFile.Server server) {
        String agent = server.has("agent-addr") ? server.get("agent-addr") : server.host();
        boolean here = agent.equals(listen.host()) || server.host().equals(listen.host());
        return here && (!server.has("agent-port") || server.get("agent-port").equals(Integer.toString(listen.port()))
                || server.host().equals(listen.host()) && !server.host().startsWith("127."));
    }

    private void check(HaproxyFile.Backend backend, HaproxyFile.Server server) {
        int before = findings.size();
        checkAsking(server);
        checkWeight(server);
        checkConnections(server);
        checkBalance(backend, server);
        if (!server.has("check")) {
            missing(server, "no check: HAProxy goes on sending requests to a server that is dead");
        }
        if (backend.servers().stream().filter(one -> !one.has("backup")).count() < 2) {
            missing(server, "there is no other server in " + backend.name() + " that could take what this one gives up");
        }
        if (findings.size() == before) {
            say(true, true, place(server) + "HAProxy asks it for its share, and heeds the answer");
        }
        boolean sticky = backend.has("cookie") || backend.has("stick-table") || backend.has("stick");
        if (sticky) {
            say(true, false, place(server) + "sessions stick to servers, so a smaller share is felt as new ones come");
        }
        if (server.has("slowstart")) {
            say(true, false, place(server) + "slowstart " + server.get("slowstart") + ": when the server comes back up its weight grows for so long, whatever"
                    + " share it asks for");
        }
    }

    private void checkAsking(HaproxyFile.Server server) {
        if (!server.has("agent-check")) {
            say(false, true, place(server) + "no agent-check: HAProxy does not ask; add agent-check agent-addr " + listen.host() + " agent-port "
                    + listen.port() + " agent-inter 500ms");
            return;
        }
        if (!Integer.toString(listen.port()).equals(server.get("agent-port"))) {
            say(false, true, place(server) + "expected agent-port " + listen.port() + ", where ic2-share listens, got "
                    + (server.has("agent-port") ? server.get("agent-port") : "none"));
        }
        String agent = server.has("agent-addr") ? server.get("agent-addr") : server.host();
        if (!agent.equals(listen.host())) {
            say(false, true, place(server) + "expected agent-addr " + listen.host() + ", where ic2-share listens, got " + agent);
        }
        String given = server.has("agent-inter") ? "agent-inter" : server.has("inter") ? "inter" : "";
        OptionalDouble seconds = given.isEmpty() ? OptionalDouble.of(USUAL_INTER) : seconds(server.get(given));
        if (seconds.isPresent() && seconds.getAsDouble() > LONG) {
            missing(server, (given.isEmpty() ? "no agent-inter, so " : given + ", ") + "HAProxy asks every " + seconds.getAsDouble()
                    + "s, and a change takes as long; add agent-inter 500ms");
        }
    }

    private static OptionalDouble seconds(String text) {
        Matcher time = TIME.matcher(text);
        return !time.matches() ? OptionalDouble.empty() : OptionalDouble.of(Integer.parseInt(time.group(1))
                * SECONDS.get(time.group(2) == null ? "ms" : time.group(2)));
    }

    private void checkWeight(HaproxyFile.Server server) {
        String weight = server.has("weight") ? server.get("weight") : "1";
        if (weight.matches("\\d{1,4}") && Integer.parseInt(weight) < COARSE) {
            missing(server, (server.has("weight") ? "" : "no weight, so ") + "weight " + weight + ": of it no share of some percent can be told; give all"
                    + " servers of the backend weight 100, or other weights in proportion");
        }
    }

    private void checkConnections(HaproxyFile.Server server) {
        Optional<String> most = setting(actuator, "max-connections");
        String limit = server.has("maxconn") ? server.get("maxconn") : "none";
        if (most.isPresent() && !most.get().equals(limit) && !limit.startsWith("\"$")) {
            missing(server, "expected maxconn " + most.get() + ", the actuator's max-connections, got " + limit);
        }
        if (most.isEmpty() && server.has("maxconn")) {
            missing(server, "maxconn " + limit + " is not cut with the share; say max-connections: " + limit + " at the actuator");
        }
    }

    private void checkBalance(HaproxyFile.Backend backend, HaproxyFile.Server server) {
        String balance = backend.of("balance").stream().findFirst().orElse("roundrobin").replaceFirst("\\(.*", "");
        boolean consistent = backend.of("hash-type").stream().findFirst().orElse("map-based").equals("consistent");
        if (HASHING.contains(balance) && !consistent) {
            say(false, true, place(server) + "balance " + balance + " goes by weights as they were at HAProxy's start; add hash-type consistent");
        } else if (!HASHING.contains(balance) && !DYNAMIC.contains(balance)) {
            say(false, true, place(server) + "balance " + balance + " does not heed a weight that changes; expected roundrobin, leastconn or random");
        }
    }

    private String place(HaproxyFile.Server server) {
        return file + ":" + server.line() + ": " + server.backend() + "/" + server.name() + ": ";
    }

    private void missing(HaproxyFile.Server server, String text) {
        say(false, false, place(server) + text);
    }

    private void say(boolean ok, boolean needed, String text) {
        findings.add(new Finding(ok, needed, actuator.label(), text.startsWith(file.toString()) ? text : file + ": " + text));
    }
}
