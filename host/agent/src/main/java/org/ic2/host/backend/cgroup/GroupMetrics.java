// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
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

    private final Host host;
    private final CounterRates rates;
    private final ThreadTimes threads;

    GroupMetrics(Host host, CounterRates rates) {
        this.host = host;
        this.rates = rates;
        this.threads = new ThreadTimes(host);
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
        sources.put(GuestMetric.CPU_WAIT, new Source("schedstat of its threads, less throttled", true));
        sources.put(GuestMetric.CPU_SWITCHES, new Source("schedstat of its threads", true));
        sources.put(GuestMetric.CPU_WAKEUPS, new Source("voluntary switches of its threads", true));
        if (files.has(GroupFile.LIMIT) || files.has(GroupFile.CURRENT)) {
            boolean first = files.has(GroupFile.LIMIT);
            sources.put(GuestMetric.MEM_ALLOC, new Source(first ? GroupFile.LIMIT.file() : "memory.high, memory.max", false));
            sources.put(GuestMetric.MEM_USED, new Source((first ? GroupFile.MEMORY_USAGE : GroupFile.CURRENT).file()
                    + " less inactive_file", false));
            sources.put(GuestMetric.MEM_MAJFLT, new Source("memory.stat " + (first ? "total_pgmajfault" : "pgmajfault"), false));
        }
        if (files.has(GroupFile.PRESSURE)) {
            sources.put(GuestMetric.MEM_PRESSURE, new Source("memory.pressure some", false));
        }
        return sources;
    }

    /** All that there is; dear ones only if wanted. */
    Readings<GuestMetric> read(String key, GroupFiles files, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        readings = cpu(key, files, readings);
        if (wanted.stream().anyMatch(OF_THREADS::contains)) {
            readings = ofThreads(files, wanted.contains(GuestMetric.CPU_WAKEUPS), readings);
        }
        readings = memory(key, files, readings);
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

    private Readings<GuestMetric> ofThreads(GroupFiles files, boolean wakeups, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        ThreadTimes.Rates times = threads.rates(rates, GroupThreads.of(host, files), wakeups);
        double throttled = readings.get(GuestMetric.CPU_THROTTLED);
        Readings<GuestMetric> more = readings.with(GuestMetric.CPU_SWITCHES, times.switches())
                .with(GuestMetric.CPU_WAIT, Math.max(0, times.waiting() - (Double.isNaN(throttled) ? 0 : throttled)));
        return wakeups ? more.with(GuestMetric.CPU_WAKEUPS, times.wakeups()) : more;
    }

    private Readings<GuestMetric> memory(String key, GroupFiles files, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        boolean first = files.has(GroupFile.LIMIT);
        if (!first && !files.has(GroupFile.CURRENT)) {
            String none = "no memory controller";
            return readings.without(GuestMetric.MEM_ALLOC, none).without(GuestMetric.MEM_USED, none)
                    .without(GuestMetric.MEM_MAJFLT, none).without(GuestMetric.MEM_PRESSURE, none);
        }
        GroupFile stat = first ? GroupFile.MEMORY_STAT_1 : GroupFile.MEMORY_STAT_2;
        GroupFile usage = first ? GroupFile.MEMORY_USAGE : GroupFile.CURRENT;
        String total = first ? "total_" : "";
        String counted = files.read(stat);
        double inactive = field(files, stat, counted, total + "inactive_file");
        double limit = first ? limit(files, GroupFile.LIMIT)
                : Math.min(limit(files, GroupFile.HIGH), limit(files, GroupFile.MEMORY_MAX));
        Readings<GuestMetric> more = readings
                .with(GuestMetric.MEM_USED, Math.max(0, ProcFiles.number(usage.file(), files.read(usage)) - inactive))
                .with(GuestMetric.MEM_MAJFLT, rate(key + ":majflt", field(files, stat, counted, total + "pgmajfault")));
        more = limit < 0x1p60 ? more.with(GuestMetric.MEM_ALLOC, limit) : more.without(GuestMetric.MEM_ALLOC, "no limit");
        if (!files.has(GroupFile.PRESSURE)) {
            return more.without(GuestMetric.MEM_PRESSURE, "no memory.pressure (version 2 counts it)");
        }
        OptionalDouble stalled = ProcFiles.pressureMicros(files.read(GroupFile.PRESSURE), "some");
        return more.with(GuestMetric.MEM_PRESSURE, Math.min(1, rate(key + ":stalled", stalled.orElse(Double.NaN) / 1e6)));
    }

    /** Anonymous and shared memory, bytes. */
    static OptionalLong indispensable(GroupFiles files) throws IOException, InterruptedException {
        boolean first = files.has(GroupFile.MEMORY_STAT_1);
        if (!first && !files.has(GroupFile.MEMORY_STAT_2)) {
            return OptionalLong.empty();
        }
        GroupFile stat = first ? GroupFile.MEMORY_STAT_1 : GroupFile.MEMORY_STAT_2;
        String text = files.read(stat);
        return OptionalLong.of(Math.round(field(files, stat, text, first ? "total_rss" : "anon")
                + field(files, stat, text, first ? "total_shmem" : "shmem")));
    }

    private static double limit(GroupFiles files, GroupFile file) throws IOException, InterruptedException {
        String text = files.readAndKeep(file);     // the applier looks next what is in force
        return text.equals("max") ? Double.POSITIVE_INFINITY : ProcFiles.number(file.file(), text);
    }

    private double rate(String counter, double value) {
        return rates.rate(counter, value);
    }

    private static double field(GroupFiles files, GroupFile file, String name) throws IOException, InterruptedException {
        return field(files, file, files.read(file), name);
    }

    private static double field(GroupFiles files, GroupFile file, String text, String name) throws IOException {
        return ProcFiles.field(text, name).orElseThrow(() -> new IOException("expected a line " + name + " in " + file.file()
                + " of control group " + files.name() + ", got " + (text.isEmpty() ? "nothing" : "\"" + text.lines().findFirst()
                .orElse("") + "\" ...")));
    }
}
