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
 * Cache miss rate and cycles per instruction of a process, such as the web tier's VM on its hypervisor, from one
 * {@code perf stat} or {@code ocount} that keeps running (paper, section 4). When the process is gone the pid file is
 * read again.
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
     * @param command the counting command for a process id
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
                lines = host.follow(command.apply(alive(target.pid(host))));
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

    private String alive(String pid) throws IOException, InterruptedException {
        try {
            host.head("/proc/" + pid + "/stat", 1);
            return pid;
        } catch (IOException e) {
            throw new IOException("process " + pid + " is not running", e);
        }
    }

    @Override
    public void close() {
        if (lines != null) {
            lines.close();
        }
    }
}
