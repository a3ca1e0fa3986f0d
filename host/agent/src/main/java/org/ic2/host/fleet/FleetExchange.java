// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import java.io.IOException;
import java.util.Optional;
import org.ic2.host.control.FleetHost;
import org.ic2.host.model.HostSample;
import org.ic2.runtime.loop.Mode;

/** What a host tells others of its guests' workloads and, where it knows a fleet, what it makes of what they tell. Not thread-safe. */
public final class FleetExchange implements AutoCloseable {
    private final Workloads workloads;
    private final Optional<FleetWatch> fleet;

    public FleetExchange(Workloads workloads, Optional<FleetWatch> fleet) {
        this.workloads = workloads;
        this.fleet = fleet;
    }

    /**
     * What is known after a turn.
     *
     * @param own   this host; its name is empty
     * @param fleet all hosts, if it knows a fleet
     */
    public record Seen(FleetHost own, Optional<FleetReport> fleet) {
    }

    /**
     * One turn.
     *
     * @param id     of the turn, for the journal
     * @param memory of the whole host, bytes
     * @param cpus   for guests together
     * @param manual true in manual mode
     */
    public Seen turn(String id, HostSample sample, double memory, double cpus, Mode mode, boolean manual) throws InterruptedException {
        FleetHost own = workloads.hear(sample, memory, cpus);
        return new Seen(own, fleet.isEmpty() ? Optional.empty() : Optional.of(fleet.get().turn(id, own, mode, manual)));
    }

    /** Guests that were left alone may be moved again. */
    public void resume() throws IOException {
        if (fleet.isPresent()) {
            fleet.get().resume();
        }
    }

    @Override
    public void close() {
        fleet.ifPresent(FleetWatch::close);
    }
}
