// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.ic2.agent.config.MemberConfig.ActuatorConfig;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.executor.Limits;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.host.SshOptions;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.loop.AgentPolicy;
import org.ic2.runtime.loop.Mode;

/**
 * The whole configuration file, checked.
 *
 * @param source      the file
 * @param application the tenant's name for the application group
 * @param interval    time between two samples
 * @param mode        how far the agent goes
 * @param members     the machines, in the order of the file
 * @param vocabulary  the knobs and quantities that there are: what IC2 ships, and what sensors and actuators bring
 * @param profile     the profile from which come values that the file leaves out; empty: none
 * @param policy      what the decisions need: baseline, bounds, levers, detector, rules, target, safety
 * @param restoreOnExit whether the baseline is restored when the agent ends
 * @param journal     the journal's file; state file, lock and control socket lie beside it
 * @param http        where metrics, status and dashboard are served; empty: nowhere
 * @param tellHost    where the host is told what the tenant sees; empty: nowhere
 * @param overloadFile file that is there while users are harmed; empty: there is none
 * @param sshIdentity private key for ssh; empty: what the ssh configuration says
 * @param sshKnownHosts file with the host keys; empty: what the ssh configuration says
 */
public record AgentConfig(Path source, String application, Duration interval, Mode mode, List<MemberConfig> members,
        Vocabulary vocabulary, Optional<ConfigProfile> profile, Policy policy, boolean restoreOnExit, Path journal, Optional<HttpConfig> http,
        Optional<TellHost> tellHost, Optional<Path> overloadFile, Optional<Path> sshIdentity, Optional<Path> sshKnownHosts) {

    /** The file with the token for HTTP, if there is one. */
    public Optional<Path> tokenFile() {
        return http.flatMap(HttpConfig::tokenFile);
    }

    /** The tier that IC2 manages. */
    public MemberConfig managed() {
        return MemberConfig.managed(members);
    }

    /** How its machines are reached; the control sockets of ssh lie in a directory of their own. */
    public HostPool hosts(Path controlDir) {
        return new HostPool(new SshOptions(sshIdentity, sshKnownHosts, controlDir));
    }

    /** What the loop must know of it. */
    public AgentPolicy mandate() {
        Map<String, Object> movers = new HashMap<>();
        for (ActuatorConfig actuator : managed().actuators()) {
            // Under the same name there may be another server after an edit, so its settings count.
            actuator.plan().levers().forEach(lever ->
                    movers.putIfAbsent(lever.key(), List.of(managed().host(), actuator.settings())));
        }
        return new AgentPolicy(application, mode, restoreOnExit, new Limits(policy.baseline(), policy.bounds(),
                policy.levers(), policy.coolDown(), policy.actionsPerHour()), movers);
    }

    /** The servers that an agent with this configuration changes, in words that are the same for whoever changes the same. */
    public Set<String> servers() {
        Set<String> servers = new TreeSet<>();
        String place = managed().host().map(address -> " on " + address).orElse("");
        for (ActuatorConfig actuator : managed().actuators()) {
            Set<String> own = actuator.plan().servers();
            if (mode == Mode.ACT && actuator.plan().levers().stream().anyMatch(policy.levers()::contains)) {
                (own.isEmpty() ? Set.of("what " + actuator.settings() + " changes") : own)
                        .forEach(server -> servers.add(server + place));
            }
        }
        return servers;
    }

    /** The same with another mode, given on the command line. */
    public AgentConfig withMode(Mode other) {
        return new AgentConfig(source, application, interval, other, members, vocabulary, profile, policy, restoreOnExit, journal, http,
                tellHost, overloadFile, sshIdentity, sshKnownHosts);
    }

    /** The policy as the mode needs it: only in mode act do samples show whether a decision was applied. */
    public Policy policyFor(boolean acting) {
        return policy.withActing(acting);
    }
}
