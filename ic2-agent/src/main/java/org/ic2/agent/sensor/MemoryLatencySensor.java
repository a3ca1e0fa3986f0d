// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.ic2.agent.host.Host;
import org.ic2.agent.host.LineSource;
import org.ic2.knowledge.Metric;

/**
 * Nanoseconds per dependent load of {@code ic2-memlat}, a pointer chase that runs beside the web tier for at most a
 * thousandth of the time. It shows a neighbour that thrashes the shared cache where no counters exist. It must run on
 * the web tier's CPUs: prefix the command with {@code taskset} or {@code cgexec} where that is not given.
 */
public final class MemoryLatencySensor implements Sensor {

    private static final double MOST_NANOS = 1e6;

    private final Host host;
    private final LineSource lines;

    MemoryLatencySensor(Host host, List<String> command) throws IOException {
        this.host = host;
        this.lines = host.follow(command);
    }

    @Override
    public String name() {
        return "memory latency on " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        return parse(lines.drain(Duration.ZERO));
    }

    /** The last of the lines {@code 17.3}: nanoseconds per load. */
    static Reading parse(List<String> lines) {
        if (lines.isEmpty()) {
            return Reading.missing("the probe printed nothing in this interval");
        }
        String last = lines.get(lines.size() - 1).strip();
        if (!last.matches("\\d{1,7}(\\.\\d{1,3})?") || Double.parseDouble(last) > MOST_NANOS) {
            return Reading.missing("expected nanoseconds per load from the probe, got \"" + last + "\"");
        }
        return Reading.builder().put(Metric.MEMORY_LATENCY, Double.parseDouble(last)).build();
    }

    @Override
    public void close() {
        lines.close();
    }
}
