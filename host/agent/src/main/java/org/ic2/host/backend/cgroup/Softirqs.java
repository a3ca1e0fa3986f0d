// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;

/**
 * Network soft interrupts that were served while a guest's group ran: the tracepoint {@code irq:softirq_entry} with vector 3. On
 * loopback and veth they run in the sender's context, so that they are the packets of the sender.
 */
final class Softirqs implements AutoCloseable {
    static final String SOURCE = "perf, tracepoint irq:softirq_entry vec 3";
    private static final List<String> EVENT = List.of("-e", "irq:softirq_entry", "--filter", "vec==3");
    private static final List<String> TRACEFS = List.of("/sys/kernel/tracing", "/sys/kernel/debug/tracing");

    private final Host host;
    private final GroupCounts counts;

    Softirqs(Host host, LongSupplier nanos) {
        this.host = host;
        counts = new GroupCounts(host, EVENT, nanos);
    }

    /** Why this machine cannot count them; perf would mount the file system, and to measure changes nothing. */
    Optional<String> lacking() throws InterruptedException {
        for (String directory : TRACEFS) {
            try {
                host.read(directory + "/events/irq/softirq_entry/id");
                return Optional.empty();
            } catch (IOException e) {
                // perhaps at the other place
            }
        }
        return Optional.of("no tracepoint irq:softirq_entry: mount -t tracefs nodev /sys/kernel/tracing");
    }

    Map<String, Readings<GuestMetric>> added(List<Guest> guests, Map<String, Readings<GuestMetric>> byUuid)
            throws InterruptedException {
        Optional<String> lack = lacking();
        Map<String, GroupCounts.Rate> rates = lack.isPresent() ? Map.of() : counts.rates(guests);
        Map<String, Readings<GuestMetric>> more = new LinkedHashMap<>();
        byUuid.forEach((uuid, readings) -> {
            GroupCounts.Rate rate = rates.get(uuid);
            more.put(uuid, rate == null || Double.isNaN(rate.perSecond())
                    ? readings.without(GuestMetric.NET_SOFTIRQ, rate == null ? lack.orElse("not counted") : rate.why())
                    : readings.with(GuestMetric.NET_SOFTIRQ, rate.perSecond()));
        });
        return more;
    }

    @Override
    public void close() {
        counts.close();
    }
}
