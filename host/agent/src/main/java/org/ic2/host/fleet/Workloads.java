// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.LatencyPredictor.Peak;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.control.WorkloadProfiler;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;

/** What the workloads of a host's guests have been like in the last 30 s, for those who plan for several hosts. Not thread-safe. */
public final class Workloads {
    private static final Duration WINDOW = MigrationPlanner.PERIOD;

    private final Optional<WorkloadProfiler> profiler;
    private final double reserve;
    private final Deque<HostSample> recent = new ArrayDeque<>();
    private Map<String, Peak> peaks = Map.of();

    /**
     * @param profiler what tells intensity and latency; without it an intensity is known where the file says one
     * @param reserve  memory that guests never get, bytes
     */
    public Workloads(Optional<WorkloadProfiler> profiler, double reserve) {
        this.profiler = profiler;
        this.reserve = reserve;
    }

    /**
     * One sample more.
     *
     * @param memory of the whole host, bytes
     * @param cpus   for guests together
     * @return what is known of this host now; its name is empty
     */
    public FleetHost hear(HostSample sample, double memory, double cpus) {
        Instant before = sample.time().minus(WINDOW);
        recent.removeIf(one -> !one.time().isAfter(before) || one.time().isAfter(sample.time()));
        recent.add(sample);
        peaks = profiler.map(of -> of.hear(peaks, sample)).orElse(Map.of());
        HostWindow window = new HostWindow(List.copyOf(recent));
        return new FleetHost("", sample.time(), Math.max(0, sample.get(HostMetric.MEM_FREE) - reserve), cpus, sample.guests().stream()
                .filter(guest -> guest.guestClass() != GuestClass.HOST).map(guest -> resident(guest, window, memory)).toList());
    }

    private Resident resident(Guest guest, HostWindow window, double memory) {
        return new Resident(guest.uuid(), guest.id(), guest.name(), guest.guestClass(),
                profiler.map(of -> of.intensity(guest, window)).orElse(guest.intensity()), memory(guest, window.last(), memory),
                window.mean(guest, GuestMetric.CPU_RUN),
                profiler.map(of -> of.latency(guest, window, peaks)).orElse(Double.NaN));
    }

    /** What it is given, or what it uses where that is no limit: a control group without one may be given more than there is. */
    private static double memory(Guest guest, HostSample sample, double host) {
        double given = sample.get(guest, GuestMetric.MEM_ALLOC);
        return given > 0 && given <= host ? given : sample.get(guest, GuestMetric.MEM_USED);
    }
}
