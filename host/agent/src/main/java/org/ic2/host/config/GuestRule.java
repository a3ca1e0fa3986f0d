// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestWaits;

/**
 * What the provider says of a guest, or of all that are not named.
 *
 * @param guestClass   how it is served
 * @param memory       what memory it may be given
 * @param cpu          what CPU time it may be given
 * @param responseTime what its tenant wants
 * @param intensity    how much it uses memory, 0 to 1, as declared
 * @param waits        how its virtual CPUs wait for one another
 */
public record GuestRule(GuestClass guestClass, Optional<MemoryRange> memory, Optional<CpuTime> cpu,
        Optional<Duration> responseTime, OptionalDouble intensity, Optional<GuestWaits> waits) {

    /**
     * A range of memory.
     *
     * @param least bytes
     * @param most  bytes
     */
    public record MemoryRange(long least, long most) {
    }

    /**
     * A range of CPU time.
     *
     * @param least CPUs
     * @param most  CPUs
     */
    public record CpuTime(double least, double most) {
    }

    /** A guest as its backend found it, with what is said here; the host's own domain stays that. */
    Guest applyTo(Guest found) {
        return new Guest(found.id(), found.uuid(), found.name(), found.vcpus(),
                memory.map(MemoryRange::least).orElse(found.memMin()), memory.map(MemoryRange::most).orElse(found.memMax()),
                found.guestClass() == GuestClass.HOST ? GuestClass.HOST : guestClass,
                responseTime.map(time -> time.toNanos() / 1e9).orElse(found.rtTarget()), intensity.orElse(found.intensity()),
                found.plain());
    }
}
