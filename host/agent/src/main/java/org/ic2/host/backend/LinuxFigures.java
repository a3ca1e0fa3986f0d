// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.util.List;
import org.ic2.host.model.Guest;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.ProcFiles;

/** What a Linux host says of itself in {@code /proc} and {@code /sys/class/net}. */
public final class LinuxFigures {

    /** user, nice, system, idle, iowait, irq, softirq, steal; what follows is in the first two already. */
    private static final int TIMES = 8;
    private static final int IDLE = 4;
    private static final int IOWAIT = 5;

    private final Host host;
    private final GuestTraffic traffic;
    private List<Integer> cpus = List.of();
    private Pool known = new Pool("", "", List.of());
    private long memory;
    private double kills = Double.NaN;

    public LinuxFigures(Host host) {
        this.host = host;
        traffic = new GuestTraffic(host);
    }

    /** The numbers of the CPUs that are online, as of the last {@link #utilization}. */
    public List<Integer> cpus() throws IOException, InterruptedException {
        if (cpus.isEmpty()) {
            cpus = cpus(host.read("/proc/stat"));
        }
        return cpus;
    }

    /** All CPUs, which share Linux's scheduler. */
    public Pool pool() throws IOException, InterruptedException {
        List<Integer> now = cpus();
        if (!now.equals(known.cpus())) {
            known = new Pool("linux", "cfs", now, CpuTopology.of(host, now));
        }
        return known;
    }

    private static List<Integer> cpus(String stat) throws IOException {
        List<Integer> cpus = stat.lines().takeWhile(line -> line.startsWith("cpu"))
                .map(line -> line.substring("cpu".length(), Math.max("cpu".length(), line.indexOf(' '))))
                .filter(number -> Decimals.are(number, 5)).map(Integer::valueOf).toList();
        if (cpus.isEmpty()) {
            throw new IOException("expected lines cpu0, cpu1 ... in /proc/stat, got none");
        }
        return cpus;
    }

    /** Share of all CPUs' time in use since the last reading; NaN when unknown. */
    public double utilization(CounterRates rates) throws IOException, InterruptedException {
        String stat = host.read("/proc/stat");
        String line = stat.lines().findFirst().orElse("");
        String[] words = line.split(" +");
        if (words.length <= TIMES || !words[0].equals("cpu")) {
            throw new IOException("expected \"cpu\" and " + TIMES
                    + " times in the first line of /proc/stat, got \"" + line + "\"");
        }
        cpus = cpus(stat);
        double all = 0;
        for (int i = 1; i <= TIMES; i++) {
            all += time(words[i], line);
        }
        double grown = rates.growth("host:all", all);
        double idle = rates.growth("host:idle", time(words[IDLE], line) + time(words[IOWAIT], line));
        return grown > 0 ? Math.max(0, grown - idle) / grown : Double.NaN;
    }

    private static double time(String word, String line) throws IOException {
        if (!Decimals.are(word, 18)) {
            throw new IOException("expected times in the first line of /proc/stat, got \"" + line + "\"");
        }
        return Double.parseDouble(word);
    }

    /** The host's metrics, for guests with so many virtual CPUs. What of the network cannot be told concerns nobody else. */
    public Readings<HostMetric> metrics(CounterRates rates, List<Guest> guests) throws IOException, InterruptedException {
        double vcpus = guests.stream().mapToInt(Guest::vcpus).sum();
        Readings<HostMetric> readings = new Readings<>(HostMetric.class).with(HostMetric.CPU_UTIL, utilization(rates))
                .with(HostMetric.VCPU_RATIO, vcpus / cpus().size()).with(HostMetric.VM_COUNT, guests.size())
                .with(HostMetric.MEM_FREE, memoryAvailable());
        try {
            readings = readings.with(HostMetric.NET_RATE, traffic.rate(rates));
        } catch (IOException e) {
            readings = readings.without(HostMetric.NET_RATE, e.getMessage());
        }
        return kills(readings);
    }

    /** Since the last whole reading, so it comes last: what failed after it would lose them. */
    private Readings<HostMetric> kills(Readings<HostMetric> readings) throws InterruptedException {
        try {
            double all = ProcFiles.field(host.read("/proc/vmstat"), "oom_kill")
                    .orElseThrow(() -> new IOException("expected a line oom_kill in /proc/vmstat, got none"));
            double before = Double.isNaN(kills) ? all : kills;
            kills = all;
            return readings.with(HostMetric.MEM_OOM_KILLS, Math.max(0, all - before));
        } catch (IOException e) {
            return readings.without(HostMetric.MEM_OOM_KILLS, e.getMessage());
        }
    }

    /** All memory, bytes. */
    public long memory() throws IOException, InterruptedException {
        if (memory == 0) {
            memory = memoryField("MemTotal");
        }
        return memory;
    }

    /** Memory that can be given away without swapping, bytes. */
    public long memoryAvailable() throws IOException, InterruptedException {
        return memoryField("MemAvailable");
    }

    private long memoryField(String name) throws IOException, InterruptedException {
        double kib = ProcFiles.field(host.read("/proc/meminfo"), name)
                .orElseThrow(() -> new IOException("expected a line " + name + " in /proc/meminfo, got none"));
        return Math.round(kib) * 1024;
    }
}
