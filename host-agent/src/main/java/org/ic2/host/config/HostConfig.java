// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.HostSample;
import org.ic2.runtime.loop.Mode;

/**
 * What the provider's file says.
 *
 * @param source         the file
 * @param backend        which host
 * @param mode           how far the agent goes
 * @param reserveMemory  memory that guests never get, bytes
 * @param reserveCpus    CPUs that guests' caps together leave free
 * @param guests         what is said of guests, by name
 * @param others         what is said of all others
 * @param joint          joint control, if wanted
 * @param schedule       the scheduler's settings by region, if wanted
 * @param placement      workload-aware placement, if wanted
 * @param actionsPerHour the most changes in an hour; then only the way home is open
 * @param journal        where the journal is; snapshot and sockets are beside it
 * @param contract       what carries words between host and tenants, if anything does
 * @param listen         where metrics and status are served, if they are; a loopback address
 */
public record HostConfig(Path source, BackendChoice backend, Mode mode, long reserveMemory, double reserveCpus,
        Map<String, GuestRule> guests, GuestRule others, Optional<JointConfig> joint, Optional<ScheduleConfig> schedule,
        Optional<PlacementConfig> placement, int actionsPerHour, Path journal, Optional<ContractChoice> contract,
        Optional<InetSocketAddress> listen) {

    public HostConfig {
        guests = Collections.unmodifiableMap(new LinkedHashMap<>(guests));
    }

    /** The same in another mode. */
    public HostConfig withMode(Mode other) {
        return new HostConfig(source, backend, other, reserveMemory, reserveCpus, guests, others, joint, schedule, placement,
                actionsPerHour, journal, contract, listen);
    }

    /** Where the way home is written down. */
    public Path snapshot() {
        return journal.resolveSibling("snapshot.json");
    }

    /** What is said of a guest of this name. */
    public GuestRule rule(String name) {
        return guests.getOrDefault(name, others);
    }

    /** Guests as their backend found them, with what the file says of them. */
    public List<Guest> merged(List<Guest> found) {
        List<Guest> merged = new ArrayList<>();
        found.forEach(guest -> merged.add(rule(guest.name()).applyTo(guest)));
        return merged;
    }

    /** A sample whose guests are merged. */
    public HostSample merged(HostSample sample) {
        return new HostSample(sample.time(), sample.interval(), merged(sample.guests()), sample.byUuid(), sample.host());
    }
}
