// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;

/** What the kernel counts of the control groups of machines that something else than these groups names; a guest's id is its group. */
public final class GroupFigures implements AutoCloseable {
    /** What a machine's group tells of the machine: its memory is that of its process, not of its guest. */
    public static final List<GuestMetric> OF_MACHINE = List.of(GuestMetric.CPU_RUN, GuestMetric.CPU_WAIT, GuestMetric.CPU_THROTTLED,
            GuestMetric.CPU_SWITCHES, GuestMetric.CPU_WAKEUPS, GuestMetric.CPU_PRESSURE, GuestMetric.IO_PRESSURE,
            GuestMetric.NET_SOFTIRQ, GuestMetric.MEM_OOM_KILLS);

    private final Host host;
    private final GroupMetrics metrics;
    private final Softirqs softirqs;
    private final Map<String, GroupFiles> known = new HashMap<>();

    public GroupFigures(Host host, CounterRates rates, LongSupplier nanos) {
        this.host = host;
        metrics = new GroupMetrics(host, rates);
        softirqs = new Softirqs(host, nanos);
    }

    /** Where they come from, as far as there are sources. */
    public Map<GuestMetric, Source> sources(String group) throws InterruptedException {
        Map<GuestMetric, Source> all = GroupMetrics.sources(new GroupFiles(host, group));
        if (softirqs.lacking().isEmpty()) {
            all.put(GuestMetric.NET_SOFTIRQ, new Source(Softirqs.SOURCE, true));
        }
        all.keySet().retainAll(OF_MACHINE);
        return all;
    }

    /** Whether CPU time is shared out by {@code cpu.shares} of version 1. */
    public boolean hasShares(String group) throws InterruptedException {
        return new GroupFiles(host, group).has(GroupFile.SHARES);
    }

    /** Those of one guest. */
    public Readings<GuestMetric> read(Guest guest, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        GroupFiles files = known.computeIfAbsent(guest.uuid(), uuid -> new GroupFiles(host, guest.id()));
        Readings<GuestMetric> all = metrics.read(guest.uuid(), files, wanted);
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        for (GuestMetric metric : OF_MACHINE) {
            double value = all.get(metric);
            readings = Double.isNaN(value) ? readings.without(metric, all.why(metric)) : readings.with(metric, value);
        }
        return readings;
    }

    /** The readings of all with those that are counted for all together. All of them are read then. */
    public Map<String, Readings<GuestMetric>> done(List<Guest> guests, Map<String, Readings<GuestMetric>> byUuid, Set<GuestMetric> wanted)
            throws InterruptedException {
        metrics.memory().done(byUuid.keySet());
        known.keySet().retainAll(byUuid.keySet());
        return wanted.contains(GuestMetric.NET_SOFTIRQ) ? softirqs.added(guests, byUuid) : byUuid;
    }

    @Override
    public void close() {
        softirqs.close();
    }
}
