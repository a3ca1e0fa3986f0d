// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.SshAddress;
import org.ic2.runtime.host.SshHost;
import org.ic2.runtime.host.SshOptions;

/** One {@link Host}, and so one ssh connection, for each machine that the configuration names. */
public final class HostPool implements AutoCloseable {

    private final Path controlDir;
    private final SshOptions options;
    private final LocalHost local = new LocalHost();
    private final Map<SshAddress, SshHost> remote = new HashMap<>();

    /**
     * @param controlDir private directory for ssh's control sockets; of no other pool while this one is open, and gone
     *                   with it when nothing else is in it
     */
    public HostPool(AgentConfig config, Path controlDir) {
        this.controlDir = controlDir;
        options = new SshOptions(config.sshIdentity(), config.sshKnownHosts(), controlDir);
    }

    /** The machine at an address; this one when there is none. */
    public Host at(Optional<SshAddress> address) {
        return address.<Host>map(elsewhere ->
                remote.computeIfAbsent(elsewhere, key -> new SshHost(key, options))).orElse(local);
    }

    @Override
    public void close() {
        remote.values().forEach(SshHost::close);
        controlDir.toFile().delete();
    }
}
