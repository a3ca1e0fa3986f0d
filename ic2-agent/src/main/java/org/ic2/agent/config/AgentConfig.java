// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.control.Policy;
import org.ic2.runtime.knob.Vocabulary;

/**
 * The whole configuration file, checked.
 *
 * @param source      the file
 * @param application the tenant's name for the application group
 * @param interval    time between two samples
 * @param mode        how far the agent goes
 * @param members     the machines, in the order of the file
 * @param vocabulary  the knobs and quantities that there are: what IC2 ships, and what sensors and actuators bring
 * @param policy      what the decisions need: baseline, bounds, levers, detector, rules, target, safety
 * @param restoreOnExit whether the baseline is restored when the agent ends
 * @param journal     the journal's file; state file, lock and control socket lie beside it
 * @param http        where metrics, status and dashboard are served; empty: nowhere
 * @param tokenFile   file with the token that HTTP requests to change something must carry; empty: HTTP is read-only
 * @param sshIdentity private key for ssh; empty: what the ssh configuration says
 * @param sshKnownHosts file with the host keys; empty: what the ssh configuration says
 */
public record AgentConfig(Path source, String application, Duration interval, Mode mode, List<MemberConfig> members,
        Vocabulary vocabulary, Policy policy, boolean restoreOnExit, Path journal, Optional<InetSocketAddress> http,
        Optional<Path> tokenFile, Optional<Path> sshIdentity, Optional<Path> sshKnownHosts) {

    /** The tier that IC2 manages. */
    public MemberConfig managed() {
        return MemberConfig.managed(members);
    }

    /** The same with another mode, given on the command line. */
    public AgentConfig withMode(Mode other) {
        return new AgentConfig(source, application, interval, other, members, vocabulary, policy, restoreOnExit, journal, http,
                tokenFile, sshIdentity, sshKnownHosts);
    }

    /** The policy as the mode needs it: only in mode act do samples show whether a decision was applied. */
    public Policy policyFor(boolean acting) {
        return policy.withActing(acting);
    }
}
