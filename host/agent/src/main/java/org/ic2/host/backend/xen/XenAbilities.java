// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;

/** What can be moved and measured under Xen, and what its provider should know. */
final class XenAbilities {
    private XenAbilities() {
    }

    static Capabilities of(List<Pool> pools, Map<String, List<XlSchedule.OfPool>> schedules, List<XlVcpus.Vcpu> vcpus, int cpus,
            int memoryMib) {
        Map<KnobKind, Range> knobs = new EnumMap<>(KnobKind.class);
        boolean credit = !schedules.get(XenCommands.CREDIT).isEmpty();
        if (credit || !schedules.get(XenCommands.CREDIT2).isEmpty()) {
            knobs.put(KnobKind.WEIGHT, new Range(1, 65_535, 1));
            knobs.put(KnobKind.CAP, new Range(10, 1000 * cpus, 10));
            knobs.put(KnobKind.RATELIMIT, new Range(100, 500_000, 1));
        }
        if (credit) {
            knobs.put(KnobKind.TSLICE, new Range(1, 1000, 1));
        }
        knobs.put(KnobKind.AFFINITY, new Range(0, cpus - 1, 1));
        knobs.put(KnobKind.MEMORY, new Range(1, memoryMib, 1));
        List<String> notes = new ArrayList<>();
        for (Pool pool : pools) {
            if (!Set.of(XenCommands.CREDIT, XenCommands.CREDIT2).contains(pool.scheduler())) {
                notes.add("pool " + pool.name() + ": nothing is known of the scheduler " + pool.scheduler()
                        + "; weight and cap of its guests cannot be moved");
            }
        }
        notes.addAll(voidWeights(pools, schedules.get(XenCommands.CREDIT), vcpus));
        notes.addAll(parked(pools, schedules.get(XenCommands.CREDIT)));
        return new Capabilities(knobs, metrics(), notes);
    }

    private static Map<GuestMetric, Source> metrics() {
        Map<GuestMetric, Source> metrics = new EnumMap<>(GuestMetric.class);
        metrics.put(GuestMetric.CPU_RUN, new Source("xentop", false));
        metrics.put(GuestMetric.NET_BYTES, new Source("xentop", false));
        metrics.put(GuestMetric.MEM_ALLOC, new Source("xl list", false));
        metrics.put(GuestMetric.MEM_USED, new Source("the guest's agent, data/meminfo_* in xenstore", false));
        metrics.put(GuestMetric.CPU_WAIT, new Source("xentrace, runnable", true));
        metrics.put(GuestMetric.CPU_THROTTLED, new Source("xentrace, offline while capped", true));
        metrics.put(GuestMetric.CPU_SWITCHES, new Source("xentrace, runs", true));
        metrics.put(GuestMetric.CPU_WAKEUPS, new Source("xentrace, wake", true));
        return metrics;
    }

    /** Credit1 deals a guest credits for all CPUs of its pool; pinned to a part of them, its weight is void. */
    static List<String> voidWeights(List<Pool> pools, List<XlSchedule.OfPool> schedules, List<XlVcpus.Vcpu> vcpus) {
        List<String> notes = new ArrayList<>();
        for (XlSchedule.OfPool schedule : schedules) {
            List<Integer> all = pools.stream().filter(pool -> pool.name().equals(schedule.name())).findFirst()
                    .map(Pool::cpus).orElse(List.of());
            for (XlSchedule.Domain domain : schedule.domains()) {
                boolean pinned = vcpus.stream().anyMatch(vcpu -> vcpu.domain() == domain.id()
                        && vcpu.hard().filter(hard -> !hard.containsAll(all)).isPresent());
                if (pinned) {
                    notes.add(domain.name() + ": its weight is void, as it is pinned to a part of pool " + schedule.name()
                            + ", for all of whose " + all.size() + " CPUs Credit1 deals it credits; use a cpupool of these CPUs"
                            + " instead of pinning");
                }
            }
        }
        return notes;
    }

    private static List<String> parked(List<Pool> pools, List<XlSchedule.OfPool> schedules) {
        Map<String, Integer> sizes = new HashMap<>();
        pools.forEach(pool -> sizes.put(pool.name(), pool.cpus().size()));
        return schedules.stream().filter(pool -> sizes.containsKey(pool.name()))
                .flatMap(pool -> CreditShares.parked(pool.domains(), sizes.get(pool.name())).stream()).toList();
    }
}
