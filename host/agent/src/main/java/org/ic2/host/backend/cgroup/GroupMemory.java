// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.ProcFiles;

/**
 * What the kernel counts of one control group's memory. A group that asks again for what was dropped needs its file pages, also
 * those that the kernel takes for inactive: under a limit that is too low none of them stays long enough to be anything else.
 */
final class GroupMemory {
    /** So many pages a second that had to be brought back say that no page is idle. */
    static final double THRASHING = 20;
    /** Where the kernel counts no refaults, what seems idle may not be: so much more counts as used. */
    static final double MARGIN = 1.25;

    private final Host host;
    private final CounterRates rates;
    /** The most without a file behind it, by guest, bytes. */
    private final Map<String, Double> peaks = new HashMap<>();
    private final GroupKills kills;

    GroupMemory(Host host, CounterRates rates) {
        this.host = host;
        this.rates = rates;
        kills = new GroupKills(host);
    }

    /** Where the metrics come from, as far as there are sources. */
    static Map<GuestMetric, Source> sources(GroupFiles files) throws InterruptedException {
        Map<GuestMetric, Source> sources = new LinkedHashMap<>();
        boolean first = !files.has(GroupFile.CURRENT) && files.has(GroupFile.LIMIT);
        if (first || files.has(GroupFile.CURRENT)) {
            sources.put(GuestMetric.MEM_ALLOC, new Source(first ? GroupFile.LIMIT.file() : "memory.high, memory.max", false));
            sources.put(GuestMetric.MEM_USED, new Source((first ? GroupFile.MEMORY_USAGE : GroupFile.CURRENT).file()
                    + " less inactive_file where nothing of it is asked for again", false));
            sources.put(GuestMetric.MEM_MAJFLT, new Source("memory.stat " + (first ? "total_pgmajfault" : "pgmajfault"), false));
            sources.put(GuestMetric.MEM_REFAULT, new Source("memory.stat workingset_refault_file and _anon", false));
            sources.put(GuestMetric.MEM_PEAK, new Source("usage less all file pages, the most of it; without swap for that", false));
        }
        GroupKills.file(files).ifPresent(file -> sources.put(GuestMetric.MEM_OOM_KILLS, new Source("oom_kill of " + file.file(), false)));
        if (files.has(GroupFile.PRESSURE)) {
            sources.put(GuestMetric.MEM_PRESSURE, new Source("memory.pressure some", false));
        }
        return sources;
    }

    Readings<GuestMetric> read(String key, GroupFiles files, Readings<GuestMetric> readings) throws IOException, InterruptedException {
        boolean first = !files.has(GroupFile.CURRENT) && files.has(GroupFile.LIMIT);
        if (!first && !files.has(GroupFile.CURRENT)) {
            String none = "no memory controller";
            return readings.without(GuestMetric.MEM_ALLOC, none).without(GuestMetric.MEM_USED, none)
                    .without(GuestMetric.MEM_MAJFLT, none).without(GuestMetric.MEM_PRESSURE, none);
        }
        GroupFile stat = first ? GroupFile.MEMORY_STAT_1 : GroupFile.MEMORY_STAT_2;
        GroupFile usage = first ? GroupFile.MEMORY_USAGE : GroupFile.CURRENT;
        String total = first ? "total_" : "";
        String counted = files.read(stat);
        double all = ProcFiles.number(usage.file(), files.read(usage));
        double inactive = field(files, stat, counted, total + "inactive_file");
        double active = ProcFiles.field(counted, total + "active_file").orElse(0);
        Readings<GuestMetric> more = refaults(key, counted, total, readings);
        double limit = first ? limit(files, GroupFile.LIMIT)
                : Math.min(limit(files, GroupFile.HIGH), limit(files, GroupFile.MEMORY_MAX));
        more = more.with(GuestMetric.MEM_USED, used(more, all, inactive))
                .with(GuestMetric.MEM_MAJFLT, rates.rate(key + ":majflt", field(files, stat, counted, total + "pgmajfault")));
        more = limit < 0x1p60 ? more.with(GuestMetric.MEM_ALLOC, limit) : more.without(GuestMetric.MEM_ALLOC, "no limit");
        more = peak(key, files, Math.max(0, all - inactive - active), more);
        return pressure(key, files, kills(key, files, more));
    }

    private Readings<GuestMetric> refaults(String key, String counted, String total, Readings<GuestMetric> readings) {
        OptionalDouble file = ProcFiles.field(counted, total + "workingset_refault_file");
        OptionalDouble anonymous = ProcFiles.field(counted, total + "workingset_refault_anon");
        return file.isEmpty() ? readings.without(GuestMetric.MEM_REFAULT, "this kernel counts no refaults of groups")
                : readings.with(GuestMetric.MEM_REFAULT, rates.rate(key + ":refault", file.getAsDouble() + anonymous.orElse(0)));
    }

    /** Where it thrashes, all; where that is not counted, what does not seem idle with a margin. */
    private static double used(Readings<GuestMetric> readings, double all, double inactive) {
        boolean counts = !readings.why(GuestMetric.MEM_REFAULT).contains("counts no refaults");
        double busy = Math.max(0, all - inactive);
        return readings.get(GuestMetric.MEM_REFAULT) > THRASHING ? all : counts ? busy : Math.min(all, MARGIN * busy);
    }

    private Readings<GuestMetric> peak(String key, GroupFiles files, double now, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        double peak = peaks.merge(key, now, Math::max);
        return hasSwap(files, peak) ? readings.without(GuestMetric.MEM_PEAK, "there is swap for all of it") : readings.with(GuestMetric.MEM_PEAK, peak);
    }

    /** Whether so much can be swapped: swap that is too small, or full of what others need, saves nobody. */
    private boolean hasSwap(GroupFiles files, double bytes) throws IOException, InterruptedException {
        double free = 1024 * ProcFiles.field(host.read("/proc/meminfo"), "SwapFree").orElse(0);
        String most = files.has(GroupFile.SWAP_MAX) ? files.read(GroupFile.SWAP_MAX) : "max";
        return free > 0 && Math.min(free, most.equals("max") ? free : ProcFiles.number(GroupFile.SWAP_MAX.file(), most)) >= bytes;
    }

    /** The most that a guest was seen to need, bytes; empty where there is swap for it, or it was never seen. */
    OptionalDouble peak(String key, GroupFiles files) throws IOException, InterruptedException {
        return peaks.containsKey(key) && !hasSwap(files, peaks.get(key)) ? OptionalDouble.of(peaks.get(key)) : OptionalDouble.empty();
    }

    private Readings<GuestMetric> kills(String key, GroupFiles files, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        OptionalDouble since = kills.since(key, files);
        return since.isPresent() ? readings.with(GuestMetric.MEM_OOM_KILLS, since.getAsDouble())
                : readings.without(GuestMetric.MEM_OOM_KILLS, "no oom_kill in memory.oom_control or memory.events");
    }

    private Readings<GuestMetric> pressure(String key, GroupFiles files, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        if (!files.has(GroupFile.PRESSURE)) {
            return readings.without(GuestMetric.MEM_PRESSURE, "no memory.pressure (version 2 counts it)");
        }
        OptionalDouble stalled = ProcFiles.pressureMicros(files.read(GroupFile.PRESSURE), "some");
        return readings.with(GuestMetric.MEM_PRESSURE, Math.min(1, rates.rate(key + ":stalled", stalled.orElse(Double.NaN) / 1e6)));
    }

    /** The reading of all is whole. Who is not there any more is forgotten. */
    void done(java.util.Set<String> keys) {
        peaks.keySet().retainAll(keys);
        kills.done(keys);
    }

    /** Anonymous and shared memory, bytes. */
    static OptionalLong indispensable(GroupFiles files) throws IOException, InterruptedException {
        boolean first = !files.has(GroupFile.MEMORY_STAT_2);
        if (first && !files.has(GroupFile.MEMORY_STAT_1)) {
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

    static double field(GroupFiles files, GroupFile file, String text, String name) throws IOException {
        return ProcFiles.field(text, name).orElseThrow(() -> new IOException("expected a line " + name + " in " + file.file()
                + " of control group " + files.name() + ", got " + (text.isEmpty() ? "nothing" : "\"" + text.lines().findFirst()
                .orElse("") + "\" ...")));
    }
}
