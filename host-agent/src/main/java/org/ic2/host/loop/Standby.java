// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.Floors;
import org.ic2.host.apply.Homecoming;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.yaml.ConfigException;

/**
 * The way home of what an agent that has ended left, before anything else. It asks not what the host has: what was moved there
 * says the snapshot, and home is always allowed.
 */
public final class Standby {

    /** Why it is put back. */
    static final String LEFT = "an earlier agent left it";

    private static final Logger LOG = Logger.getLogger(Standby.class.getName());

    private Standby() {
    }

    /**
     * The same where no agent runs.
     *
     * @throws IOException when another agent has the journal, or the host or the snapshot cannot be read
     */
    public static Homecoming restore(HostConfig config) throws IOException, ConfigException, InterruptedException {
        Snapshot snapshot = HostAgent.snapshot(config.snapshot());
        if (snapshot.all().isEmpty()) {
            return new Homecoming(List.of(), List.of(), List.of());
        }
        try (Journal journal = new Journal(config.journal(), Clock.systemUTC(), Set.of());
                Backend backend = Backends.open(config.backend())) {
            return applier(config, backend, journal, snapshot)
                    .restore("by-hand", ChangeRequest.Origin.OPERATOR, "restored without an agent");
        }
    }

    /** The same at the start of the next agent. */
    static void restore(HostConfig config, Backend backend, Journal journal, Snapshot snapshot) throws InterruptedException {
        log(applier(config, backend, journal, snapshot).restore("start", ChangeRequest.Origin.RECOVERY, LEFT));
    }

    static void log(Homecoming home) {
        if (!home.restored().isEmpty() || !home.foreign().isEmpty() || !home.isHome()) {
            LOG.log(home.isHome() ? Level.INFO : Level.SEVERE, home.text());
        }
    }

    private static Applier applier(HostConfig config, Backend backend, Journal journal, Snapshot snapshot) {
        return new Applier(new Applier.Parts(backend, journal, snapshot, new Ownership(List.of()), new Floors(Map.of(), Map.of()),
                config.actionsPerHour(), true, Clock.systemUTC(), System::nanoTime));
    }
}
