// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.backend.ThreadTimes;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.ProcFiles;

/** What the kernel counts of one control group. */
final class GroupMetrics {
    private static final Set<GuestMetric> OF_THREADS = Set.of(GuestMetric.CPU_WAIT, GuestMetric.CPU_SWITCHES,
            GuestMetric.CPU_WAKEUPS);

    private static final Map<GuestMetric, GroupFile> PRESSURES = Map.of(GuestMetric.CPU_PRESSURE, GroupFile.CPU_PRESSURE,
            GuestMetric.IO_PRESSURE, GroupFile.IO_PRESSURE);

    private final Host host;
    private final CounterRates rates;
    private final ThreadTimes threads;
    private final GroupMemory memory;

    GroupMetrics(Host host, CounterRates rates) {
        this.host = host;
        this.rates = rates;
        this.threads = new ThreadTimes(host);
        this.memory = new GroupMemory(host, rates);
    }

    /** Where the metrics of a group come from, as far as there are sources. */
    static Map<GuestMetric, Source> sources(GroupFiles files) throws InterruptedException {
        Map<GuestMetric, Source> sources = new LinkedHashMap<>();
        boolean one = files.has(GroupFile.USAGE);
        if (one || files.has(GroupFile.CPU_STAT_2)) {
            sources.put(GuestMetric.CPU_RUN, new Source(one ? "cpuacct.usage" : "cpu.stat usage_usec", false));
        }
        if (files.has(GroupFile.CPU_STAT_1) || files.has(GroupFile.CPU_MAX)) {
            sources.put(GuestMetric.CPU_THROTTLED, new Source("cpu.stat " + (files.has(GroupFile.CPU_STAT_1)
                    ? "throttled_time" : "throttled_usec"), false));
        }
        for (Map.Entry<GuestMetric, GroupFile> pressure : PRESSURES.entrySet()) {
            if (files.has(pressure.getValue())) {
                sources.put(pressure.getKey(), new Source(pressure.getValue().file() + " some", false));
            }
        }
        sources.put(GuestMetric.CPU_WAIT, new Source("schedstat of its threads, less throttled", true));
        sources.put(GuestMetric.CPU_SWITCHES, new Source("schedstat of its threads", true));
        sources.put(GuestMetric.CPU_WAKEUPS, new Source("voluntary switches of its threads", true));
        sources.putAll(GroupMemory.sources(files));
        return sources;
    }

    /** All that there is; dear ones only if wanted. */
    Readings<GuestMetric> read(String key, GroupFiles files, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        readings = cpu(key, files, readings);
        if (wanted.stream().anyMatch(OF_THREADS::contains)) {
            readings = ofThreads(files, wanted.contains(GuestMetric.CPU_WAKEUPS), readings);
        }
        for (Map.Entry<GuestMetric, GroupFile> pressure : PRESSURES.entrySet()) {
            readings = pressure(key, files, pressure.getKey(), pressure.getValue(), readings);
        }
        readings = memory.read(key, files, readings);
        return readings.without(GuestMetric.NET_BYTES, "control groups do not count network traffic");
    }

    private Readings<GuestMetric> cpu(String key, GroupFiles files, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        Readings<GuestMetric> more = readings;
        if (files.has(GroupFile.USAGE)) {
            more = more.with(GuestMetric.CPU_RUN, rate(key + ":run",
                    ProcFiles.number(GroupFile.USAGE.file(), files.read(GroupFile.USAGE)) / 1e9));
        } else if (files.has(GroupFile.CPU_STAT_2)) {
            more = more.with(GuestMetric.CPU_RUN, rate(key + ":run", field(files, GroupFile.CPU_STAT_2, "usage_usec") / 1e6));
        }
        if (files.has(GroupFile.CPU_STAT_1)) {
            return more.with(GuestMetric.CPU_THROTTLED,
                    rate(key + ":throttled", field(files, GroupFile.CPU_STAT_1, "throttled_time") / 1e9));
        }
        return files.has(GroupFile.CPU_MAX) ? more.with(GuestMetric.CPU_THROTTLED,
                rate(key + ":throttled", field(files, GroupFile.CPU_STAT_2, "throttled_usec") / 1e6))
                : more.without(GuestMetric.CPU_THROTTLED, "no cpu controller");
    }

    private Readings<GuestMetric> pressure(String key, GroupFiles files, GuestMetric metric, GroupFile file, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        if (!files.has(file)) {
            return readings.without(metric, "no " + file.file() + " (version 2 counts it)");
        }
        double stalled = ProcFiles.pressureMicros(files.read(file), "some").orElse(Double.NaN);
        return readings.with(metric, Math.min(1, rate(key + ":" + file.file(), stalled / 1e6)));
    }

    private Readings<GuestMetric> ofThreads(GroupFiles files, boolean wakeups, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        ThreadTimes.Rates times = threads.rates(rates, GroupThreads.of(host, files), wakeups);
        double throttled = readings.get(GuestMetric.CPU_THROTTLED);
        Readings<GuestMetric> more = readings.with(GuestMetric.CPU_SWITCHES, times.switches())
                .with(GuestMetric.CPU_WAIT, Math.max(0, times.waiting() - (Double.isNaN(throttled) ? 0 : throttled)));
        return wakeups ? more.with(GuestMetric.CPU_WAKEUPS, times.wakeups()) : more;
    }

    /** Of a group's memory what peaks and kills are remembered of. */
    GroupMemory memory() {
        return memory;
    }

    private double rate(String counter, double value) {
        return rates.rate(counter, value);
    }

    private static double field(GroupFiles files, GroupFile file, String name) throws IOException, InterruptedException {
        return GroupMemory.field(files, file, files.read(file), name);
    }
}
