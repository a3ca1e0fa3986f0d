// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.agent.actuator.HaproxyAgentPlan;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig.ActuatorConfig;
import org.ic2.agent.config.MemberConfig.SensorConfig;
import org.ic2.agent.sensor.HaproxyPlan;
import org.ic2.agent.sensor.HaproxyServers;
import org.ic2.agent.sensor.HaproxyServers.Server;
import org.ic2.agent.sensor.HaproxySource;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.host.SshAddress;
import org.ic2.runtime.yaml.ConfigException;

/** Whether HAProxy's statistics, where the configuration says where they are, show that it asks this server for its share, and heeds the answer. */
final class HaproxyStatisticsCheck {

    /** The agent's status when it has told a share, when it has told that the server is up as well, and before it was asked. */
    private static final Set<String> FINE = Set.of("CHECKED", "L7OK", "INI");

    private final AgentConfig config;
    private final HaproxyAgentPlan actuator;
    private final HaproxySource source;
    private final Optional<SshAddress> from;
    private final HaproxyFindings findings;

    /** @throws ConfigException if the configuration has no actuator haproxy-agent, or does not say where the statistics are */
    HaproxyStatisticsCheck(AgentConfig config) throws ConfigException {
        this.config = config;
        ActuatorConfig asked = HaproxyCheck.actuator(config);
        actuator = (HaproxyAgentPlan) asked.plan();
        findings = new HaproxyFindings(asked.label(), HaproxyCheck.least(config));
        Optional<SensorConfig> sensor = config.managed().sensors().stream().filter(one -> one.plan() instanceof HaproxyPlan).findFirst();
        if (actuator.stats().isEmpty() && sensor.isEmpty()) {
            throw new ConfigException("--haproxy: expected an haproxy.cfg, or a sensor haproxy in " + config.source()
                    + " that says where HAProxy's statistics are, got neither");
        }
        source = actuator.stats().orElseGet(() -> ((HaproxyPlan) sensor.orElseThrow().plan()).source());
        from = actuator.stats().isPresent() ? config.managed().host() : sensor.orElseThrow().host();
    }

    List<Finding> findings() throws IOException, InterruptedException {
        Path controlDir = Files.createTempDirectory("ic2");
        try (HostPool hosts = config.hosts(controlDir)) {
            HaproxyServers statistics = new HaproxyServers(hosts.at(from), source);
            HaproxyServers.Backend backend = statistics.backend();
            check(backend, statistics.own(backend.servers()));
        } catch (IOException e) {
            findings.broken("HAProxy's statistics: " + e.getMessage());
        } finally {
            Files.deleteIfExists(controlDir);
        }
        return findings.all();
    }

    private void check(HaproxyServers.Backend backend, Server own) {
        String place = source + ": " + source.backend() + "/" + own.name() + ": ";
        checkAsking(place, own.all().textOrNone("agent_status").replace("* ", ""), own.all().textOrNone("last_agt"));
        findings.weight(place, "", own.initial());
        if (own.weight() == own.initial()) {      // it is cut with the share
            String limit = own.all().textOrNone("slim");
            findings.connections(place, actuator.most(), limit.isEmpty() ? "none" : limit);
        }
        if (!backend.balance().isEmpty()) {
            findings.balance(place, backend.balance(), "unknown");
        }
        if (own.all().textOrNone("check_status").isEmpty()) {
            findings.unchecked(place);
        }
        findings.others(place, source.backend(), backend.servers().stream().filter(one -> !one.all().textOrNone("bck").equals("1")).count());
        if (findings.count() == 0) {
            findings.fine(place + "HAProxy asks it for its share; of weight " + own.initial() + " it has " + own.weight() + " in force", true);
        }
        if (backend.balance().isEmpty()) {
            findings.fine(place + "HAProxy does not tell how it balances (it does at a socket of level operator, or by \"stats show-legends\");"
                    + " its file does: --haproxy FILE", false);
        }
    }

    private void checkAsking(String place, String status, String said) {
        if (status.isEmpty()) {
            findings.broken(place + "no agent-check: HAProxy does not ask; add agent-check agent-addr " + actuator.listen().host() + " agent-port "
                    + actuator.listen().port() + " agent-inter 500ms");
        } else if (!FINE.contains(status)) {
            findings.broken(place + "HAProxy asks in vain: " + status + (said.isEmpty() ? "" : ", " + said) + "; expected an answer of ic2-share at "
                    + actuator.listen() + ", and allow to name HAProxy's address, which has " + String.join(", ", actuator.allow()));
        }
    }
}
