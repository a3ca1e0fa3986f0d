// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringTokenizer;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupCpus;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * CPU, steal, memory, paging and disks of a tier that lives in a control group or container, of version 1, 2 or both.
 *
 * <p>Only the group's own figures count: on a machine shared with the neighbour, {@code /proc/stat} would show the
 * neighbour's CPU, which no tenant sees. Steal is the {@code full} line of the group's {@code cpu.pressure}: time in
 * which the group had work and none of it ran; competition inside the group does not count.
 */
public final class CgroupSensor implements Sensor {

    private static final double MICROS = 1e6;
    private static final double NANOS = 1e9;
    private static final int MOST_DIGITS = 18;

    private final Host host;
    private final String root;
    private final String path;
    private final Optional<Double> cpusGiven;
    private final LongSupplier nanoClock;
    private final CounterRates growth = new CounterRates();
    private Layout layout;

    /** Where the group's files are and what it may use; found once, and again after a failure. */
    private record Layout(Optional<String> cpuStat, Optional<String> cpuUsage, Optional<String> cpuPressure,
            CgroupMemory memory, Optional<String> ioPressure, Optional<String> ioStat, double cpus) {
    }

    /**
     * @param root      mount point of the control groups, {@code /sys/fs/cgroup/}
     * @param path      name of the group or its directory in any hierarchy
     * @param cpusGiven CPUs the tier may use; empty: as its quota, its cpuset or the machine say
     */
    CgroupSensor(Host host, String root, String path, Optional<Double> cpusGiven, LongSupplier nanoClock) {
        this.host = host;
        this.root = root;
        this.path = path;
        this.cpusGiven = cpusGiven;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "cgroup " + path + " on " + host.name();
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        if (layout == null) {
            layout = find();
        }
        try {
            return readFiles(layout);
        } catch (IOException e) {
            layout = null;
            throw new IOException(e.getMessage() + " (was the group removed?)", e);
        }
    }

    private Layout find() throws IOException, InterruptedException {
        CgroupFiles files = new CgroupFiles(host, root, path);
        Optional<String> stat = files.version2("cpu.stat");
        Optional<String> usage = files.version1("cpuacct.usage", "cpuacct", "cpu,cpuacct", "cpuacct,cpu");
        if (stat.isEmpty() && usage.isEmpty()) {
            throw new IOException("no control group \"" + files.group() + "\" under " + root
                    + ": is the tier running, and is this its group? (cat /proc/PID/cgroup shows it)");
        }
        double cpus = cpusGiven.isPresent() ? cpusGiven.get() : new CgroupCpus(host, files).count();
        return new Layout(stat, usage, files.version2("cpu.pressure"), CgroupMemory.find(host, files),
                files.version2("io.pressure"), files.version2("io.stat"), cpus);
    }

    private Reading readFiles(Layout files) throws IOException, InterruptedException {
        growth.begin(nanoClock.getAsLong());
        Reading.Builder reading = Reading.builder();
        double use = cpuUse(files);
        double steal = pressure(files.cpuPressure(), "cpu");
        reading.put(Metric.STEAL, steal);
        reading.put(Metric.CPU_UTIL, Math.min(1, use / files.cpus() + (Double.isNaN(steal) ? 0 : steal)));
        reading.put(Metric.CPU_USED, Math.min(1, use / files.cpus()));
        reading.extra("cpu_use", use);
        files.memory().read(growth, reading);
        reading.put(Metric.IO_PRESSURE, pressure(files.ioPressure(), "io"));
        addDisks(files, reading);
        if (Double.isNaN(use)) {
            reading.problem("first reading: rates need a second one");
        } else if (files.cpuPressure().isEmpty()) {
            reading.problem("no cpu.pressure, so no steal: put the tier into a version 2 group of the same name");
        }
        return reading.build();
    }

    private double cpuUse(Layout files) throws IOException, InterruptedException {
        if (files.cpuStat().isPresent()) {
            String text = host.read(files.cpuStat().get());
            OptionalDouble micros = ProcFiles.field(text, "usage_usec");
            if (micros.isEmpty()) {
                throw new IOException("no usage_usec in " + files.cpuStat().get());
            }
            return growth.rate("cpu", micros.getAsDouble() / MICROS);
        }
        String file = files.cpuUsage().orElseThrow();
        return growth.rate("cpu", ProcFiles.number(file, host.read(file)) / NANOS);
    }

    private double pressure(Optional<String> file, String resource) throws IOException, InterruptedException {
        if (file.isEmpty()) {
            return Double.NaN;
        }
        OptionalDouble micros = ProcFiles.pressureMicros(host.read(file.get()), "full");
        return Math.min(1, growth.rate(resource + " full", micros.orElse(Double.NaN) / MICROS));
    }

    private void addDisks(Layout files, Reading.Builder reading) throws IOException, InterruptedException {
        if (files.ioStat().isEmpty()) {
            return;
        }
        double read = 0;
        double written = 0;
        StringTokenizer words = new StringTokenizer(host.read(files.ioStat().get()));
        while (words.hasMoreTokens()) {
            String word = words.nextToken();
            read += bytes(word, "rbytes=");
            written += bytes(word, "wbytes=");
        }
        reading.put(Metric.DISK_READ, growth.rate("read", read));
        reading.put(Metric.DISK_WRITE, growth.rate("written", written));
    }

    private static double bytes(String word, String key) {
        String number = word.startsWith(key) ? word.substring(key.length()) : "";
        return Decimals.are(number, MOST_DIGITS) ? Double.parseDouble(number) : 0;
    }
}
