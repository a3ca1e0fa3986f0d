// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.ic2.agent.actuator.HaproxyAgentPlan;
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

    private final Path file;
    private final HaproxyAgentPlan actuator;
    private final Endpoint.Tcp listen;
    private final HaproxyFindings findings;

    /** @throws ConfigException if the configuration has no actuator haproxy-agent */
    HaproxyCheck(AgentConfig config, Path file) throws ConfigException {
        this.file = file;
        ActuatorConfig asked = actuator(config);
        actuator = (HaproxyAgentPlan) asked.plan();
        listen = actuator.listen();
        findings = new HaproxyFindings(asked.label(), least(config));
    }

    /** The one that HAProxy is to ask. */
    static ActuatorConfig actuator(AgentConfig config) throws ConfigException {
        return config.managed().actuators().stream().filter(one -> one.plan() instanceof HaproxyAgentPlan).findFirst()
                .orElseThrow(() -> new ConfigException("--haproxy: expected an actuator haproxy-agent in " + config.source()
                        + ", which HAProxy is to ask, got none"));
    }

    /** The least share that HAProxy may be told. */
    static int least(AgentConfig config) throws ConfigException {
        return config.policy().bounds().lowest().get(actuator(config).plan().levers().iterator().next());
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
            findings.broken(file + ": no server's line is of " + listen.host() + ", nor has agent-port " + listen.port() + " there; it has "
                    + BoundedText.brief(backends.stream().flatMap(backend -> backend.servers().stream())
                    .map(server -> server.backend() + "/" + server.name() + " " + server.address()).collect(Collectors.joining(", "))));
        }
        for (HaproxyFile.Server server : asked) {
            HaproxyFile.Backend backend = backends.stream().filter(one -> one.servers().contains(server)).findFirst().orElseThrow();
            check(backend, server);
        }
        return findings.all();
    }

    private boolean isOurs(HaproxyFile.Server server) {
        String agent = server.has("agent-addr") ? server.get("agent-addr") : server.host();
        boolean here = agent.equals(listen.host()) || server.host().equals(listen.host());
        return here && (!server.has("agent-port") || server.get("agent-port").equals(Integer.toString(listen.port()))
                || server.host().equals(listen.host()) && !server.host().startsWith("127."));
    }

    private void check(HaproxyFile.Backend backend, HaproxyFile.Server server) {
        int before = findings.count();
        String place = file + ":" + server.line() + ": " + server.backend() + "/" + server.name() + ": ";
        checkAsking(place, server);
        String weight = server.has("weight") ? server.get("weight") : "1";
        if (weight.matches("\\d{1,4}")) {
            findings.weight(place, server.has("weight") ? "" : "no weight, so ", Integer.parseInt(weight));
        }
        String limit = server.has("maxconn") ? server.get("maxconn") : "none";
        if (!limit.startsWith("\"$")) {      // of the environment
            findings.connections(place, actuator.most(), limit);
        }
        findings.balance(place, backend.of("balance").stream().findFirst().orElse("roundrobin").replaceFirst("\\(.*", ""),
                backend.of("hash-type").stream().findFirst().orElse("map-based"));
        if (!server.has("check")) {
            findings.unchecked(place);
        }
        findings.others(place, backend.name(), backend.servers().stream().filter(one -> !one.has("backup")).count());
        if (findings.count() == before) {
            findings.fine(place + "HAProxy asks it for its share, and heeds the answer", true);
        }
        boolean sticky = backend.has("cookie") || backend.has("stick-table") || backend.has("stick");
        if (sticky) {
            findings.fine(place + "sessions stick to servers, so a smaller share is felt as new ones come", false);
        }
        if (server.has("slowstart")) {
            findings.fine(place + "slowstart " + server.get("slowstart") + ": when the server comes back up its weight grows for so long, whatever"
                    + " share it asks for", false);
        }
    }

    private void checkAsking(String place, HaproxyFile.Server server) {
        if (!server.has("agent-check")) {
            findings.broken(place + "no agent-check: HAProxy does not ask; add agent-check agent-addr " + listen.host() + " agent-port "
                    + listen.port() + " agent-inter 500ms");
            return;
        }
        if (!Integer.toString(listen.port()).equals(server.get("agent-port"))) {
            findings.broken(place + "expected agent-port " + listen.port() + ", where ic2-share listens, got "
                    + (server.has("agent-port") ? server.get("agent-port") : "none"));
        }
        String agent = server.has("agent-addr") ? server.get("agent-addr") : server.host();
        if (!agent.equals(listen.host())) {
            findings.broken(place + "expected agent-addr " + listen.host() + ", where ic2-share listens, got " + agent);
        }
        String given = server.has("agent-inter") ? "agent-inter" : server.has("inter") ? "inter" : "";
        OptionalDouble seconds = given.isEmpty() ? OptionalDouble.of(USUAL_INTER) : seconds(server.get(given));
        if (seconds.isPresent() && seconds.getAsDouble() > LONG) {
            findings.missing(place + (given.isEmpty() ? "no agent-inter, so " : given + ", ") + "HAProxy asks every " + seconds.getAsDouble()
                    + "s, and a change takes as long; add agent-inter 500ms");
        }
    }

    private static OptionalDouble seconds(String text) {
        Matcher time = TIME.matcher(text);
        return !time.matches() ? OptionalDouble.empty() : OptionalDouble.of(Integer.parseInt(time.group(1))
                * SECONDS.get(time.group(2) == null ? "ms" : time.group(2)));
    }
}
