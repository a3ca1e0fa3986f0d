// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Cache miss rate and cycles per instruction of a process, such as the web tier's VM on its hypervisor, or of the tier's
 * control group, from one {@code perf stat}, {@code ocount} or {@code ic2-counters} that keeps running (paper, section 4).
 * When it has ended, because the process or group is gone, the target is looked for again.
 */
public final class CounterSensor implements Sensor {

    private static final Duration RESTART_PAUSE = Duration.ofSeconds(5);

    private final Host host;
    private final CounterTarget target;
    private final Function<String, List<String>> command;
    private final LongSupplier nanoClock;
    private LineSource lines;
    private long failedNanos;
    private String failure;

    /**
     * @param command the counting command for what the target is called
     */
    CounterSensor(Host host, CounterTarget target, Function<String, List<String>> command, LongSupplier nanoClock) {
        this.host = host;
        this.target = target;
        this.command = command;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "hardware counters of " + target + " on " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        if (failure != null && nanoClock.getAsLong() - failedNanos < RESTART_PAUSE.toNanos()) {
            throw new IOException(failure);
        }
        try {
            if (lines == null) {
                lines = host.follow(command.apply(target.find(host)));
            }
            CounterLines counters = new CounterLines();
            lines.drain(Duration.ZERO).forEach(counters::add);
            failure = null;
            return counters.reading();
        } catch (IOException e) {
            close();
            lines = null;
            failedNanos = nanoClock.getAsLong();
            failure = e.getMessage();
            throw e;
        }
    }

    @Override
    public void close() {
        if (lines != null) {
            lines.close();
        }
    }
}
