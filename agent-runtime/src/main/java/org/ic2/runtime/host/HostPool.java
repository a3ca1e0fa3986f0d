// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** One {@link Host}, and so one ssh connection, for each machine that the configuration names. */
public final class HostPool implements AutoCloseable {

    private SshOptions options;
    private boolean asked;
    private final LocalHost local = new LocalHost();
    private final Map<SshAddress, SshHost> remote = new HashMap<>();

    /**
     * @param options whose directory for control sockets is of no other pool while this one is open, and gone with it
     *                when nothing else is in it
     */
    public HostPool(SshOptions options) {
        this.options = options;
    }

    /** The machine at an address; this one when there is none. */
    public Host at(Optional<SshAddress> address) {
        return address.<Host>map(elsewhere ->
                remote.computeIfAbsent(elsewhere, key -> new SshHost(key, reachable()))).orElse(local);
    }

    private SshOptions reachable() {
        if (!asked) {
            asked = true;
            options = options.reachable();
        }
        return options;
    }

    @Override
    public void close() {
        remote.values().forEach(SshHost::close);
        options.controlDir().toFile().delete();
    }
}
