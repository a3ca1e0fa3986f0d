// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Pressure stall information of a whole machine ({@code /proc/pressure}): the share of time in which everything that
 * could run waited for memory or a disk, and, as an extra, in which something waited for a CPU.
 */
public final class PressureSensor implements Sensor {

    private static final double MICROS = 1e6;

    private final Host host;
    private final String directory;
    private final LongSupplier nanoClock;
    private final CounterRates growth = new CounterRates();

    PressureSensor(Host host, String directory, LongSupplier nanoClock) {
        this.host = host;
        this.directory = directory;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return directory + " of " + host.name();
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        String cpu;
        try {
            cpu = host.read(directory + "/cpu");
        } catch (IOException e) {
            throw new IOException("the kernel has no pressure stall information (boot it with psi=1): "
                    + e.getMessage(), e);
        }
        growth.begin(nanoClock.getAsLong());
        double waiting = share("cpu", "some", cpu);
        Reading.Builder reading = Reading.builder()
                .put(Metric.MEMORY_PRESSURE, share("memory", "full", host.read(directory + "/memory")))
                .put(Metric.IO_PRESSURE, share("io", "full", host.read(directory + "/io")))
                .extra("cpu_pressure", waiting);
        return Double.isNaN(waiting) ? reading.problem("first reading: shares need a second one").build()
                : reading.build();
    }

    private double share(String resource, String kind, String text) throws IOException {
        double micros = ProcFiles.pressureMicros(text, kind).orElseThrow(() ->
                new IOException("expected a line \"" + kind + " ... total=N\" in " + directory + "/" + resource));
        return Math.min(1, growth.rate(resource, micros / MICROS));
    }
}
