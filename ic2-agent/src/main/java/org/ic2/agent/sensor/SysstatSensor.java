// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * CPU, steal, memory, paging, disks and network of a machine, from one {@code sar} that keeps running (the paper's
 * sysstat). One sar and its sadc need 0.1 % of a core; an sadf each second would cost several times the agent's
 * whole budget.
 */
public final class SysstatSensor implements Sensor {

    private static final String MEMINFO = "/proc/meminfo";

    private final Host host;
    private final LineSource lines;
    private final Duration patience;
    private SarReport report;

    /**
     * @param interval time between two reports, whole seconds
     */
    public SysstatSensor(Host host, Duration interval) throws IOException {
        this.host = host;
        lines = host.follow(List.of("sar", "-u", "ALL", "-r", "-B", "-b", "-n", "DEV",
                Long.toString(Math.max(1, interval.toSeconds()))));
        patience = interval.dividedBy(3);
    }

    @Override
    public String name() {
        return "sar on " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        if (report == null) {
            report = new SarReport(ProcFiles.field(host.read(MEMINFO), "MemTotal").orElseThrow(
                    () -> new IOException(MEMINFO + " has no MemTotal")));
        }
        long end = System.nanoTime() + patience.toNanos();
        try {
            do {
                report.add(lines.drain(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
            } while (!report.hasCpu() && System.nanoTime() < end);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + " (install the package sysstat)", e);
        }
        return report.hasCpu() ? report.take() : Reading.missing("no report of sar in this interval");
    }

    @Override
    public void close() {
        lines.close();
    }
}
