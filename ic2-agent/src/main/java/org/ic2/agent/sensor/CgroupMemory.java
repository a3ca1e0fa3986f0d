// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.sensor.Reading;

/** The memory side of a control group: what is idle, what is active, and the page faults that needed a disk. */
final class CgroupMemory {

    private static final double KIBI = 1024.0;
    private static final double MICROS = 1e6;
    /** A limit is changed by people, seldom. */
    private static final int READINGS_PER_LIMIT = 60;

    private final Host host;
    private final Optional<String> usage;
    private final Optional<String> limit;
    private final Optional<String> stat;
    private final Optional<String> pressure;
    /** Version 1 counts the group alone under the plain names, and the group with its children under these. */
    private final String prefix;
    private final double machineBytes;
    private double allowed;
    private int readings;

    private CgroupMemory(Host host, Optional<String> usage, Optional<String> limit, Optional<String> stat,
            Optional<String> pressure, String prefix, double machineBytes) {
        this.host = host;
        this.usage = usage;
        this.limit = limit;
        this.stat = stat;
        this.pressure = pressure;
        this.prefix = prefix;
        this.machineBytes = machineBytes;
    }

    static CgroupMemory find(Host host, CgroupFiles files) throws IOException, InterruptedException {
        double machine = ProcFiles.field(host.read("/proc/meminfo"), "MemTotal").orElse(Double.NaN) * KIBI;
        Optional<String> pressure = files.version2("memory.pressure");
        Optional<String> current = files.version2("memory.current");
        if (current.isPresent()) {
            return new CgroupMemory(host, current, files.version2("memory.max"), files.version2("memory.stat"),
                    pressure, "", machine);
        }
        return new CgroupMemory(host, files.version1("memory.usage_in_bytes", "memory"),
                files.version1("memory.limit_in_bytes", "memory"), files.version1("memory.stat", "memory"),
                pressure, "total_", machine);
    }

    void read(CounterRates growth, Reading.Builder reading) throws IOException, InterruptedException {
        if (pressure.isPresent()) {
            OptionalDouble micros = ProcFiles.pressureMicros(host.read(pressure.get()), "full");
            reading.put(Metric.MEMORY_PRESSURE,
                    Math.min(1, growth.rate("memory full", micros.orElse(Double.NaN) / MICROS)));
        }
        if (usage.isEmpty() || stat.isEmpty()) {
            return;
        }
        String text = host.read(stat.get());
        double used = ProcFiles.number(usage.get(), host.read(usage.get()));
        if (readings++ % READINGS_PER_LIMIT == 0) {
            allowed = allowed();
        }
        double reclaimable = counter(text, "inactive_file");
        reading.put(Metric.MEMORY_IDLE, Math.max(0, Math.min(1, (allowed - used + reclaimable) / allowed)));
        reading.put(Metric.MEMORY_ACTIVE,
                Math.min(1, (counter(text, "active_anon") + counter(text, "active_file")) / allowed));
        reading.put(Metric.PAGE_FAULTS, growth.rate("major faults", counter(text, "pgmajfault")));
    }

    private double allowed() throws IOException, InterruptedException {
        if (limit.isEmpty()) {
            return machineBytes;
        }
        String text = host.read(limit.get()).strip();
        return text.matches("\\d{1,19}") ? Math.min(machineBytes, Double.parseDouble(text)) : machineBytes;
    }

    private double counter(String text, String key) {
        return ProcFiles.field(text, prefix + key).orElse(Double.NaN);
    }
}
