// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

/** The way home where no agent runs. */
public final class Standby {

    private Standby() {
    }

    /**
     * Puts back what an agent that has ended left.
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
            return new Applier(new Applier.Parts(backend, journal, snapshot, new Ownership(List.of()),
                    new Floors(backend.capabilities().knobs(), Map.of()), config.actionsPerHour(), true, Clock.systemUTC(),
                    System::nanoTime)).restore("by-hand", ChangeRequest.Origin.OPERATOR, "restored without an agent");
        }
    }
}
