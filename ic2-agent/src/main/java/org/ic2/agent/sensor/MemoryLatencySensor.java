// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Nanoseconds per dependent load of {@code ic2-memlat}, a pointer chase that runs beside the web tier for at most a
 * thousandth of the time. Within that it measures every few seconds; a figure holds until the next, for
 * {@link #HOLDS} at most. It shows a neighbour that thrashes the shared cache where no counters exist. It must run on
 * the web tier's CPUs: as a member of its control group ({@link InsideGroup}), or by {@code taskset} before the command.
 */
public final class MemoryLatencySensor implements Sensor {

    /** As long as a decision without fresh samples holds by default. */
    static final Duration HOLDS = Duration.ofSeconds(15);

    private static final double MOST_NANOS = 1e6;

    private final Host host;
    private final LineSource lines;
    private final LongSupplier nanoClock;
    private Reading last = Reading.missing("the probe has printed nothing yet");
    private long lastNanos;

    MemoryLatencySensor(Host host, List<String> command, LongSupplier nanoClock) throws IOException {
        this.host = host;
        this.nanoClock = nanoClock;
        lastNanos = nanoClock.getAsLong();
        this.lines = host.follow(command);
    }

    @Override
    public String name() {
        return "memory latency on " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        List<String> fresh = lines.drain(Duration.ZERO);
        long now = nanoClock.getAsLong();
        if (!fresh.isEmpty()) {
            last = parse(fresh);
            lastNanos = now;
        } else if (now - lastNanos > HOLDS.toNanos()) {
            last = Reading.missing("the probe has printed nothing for " + HOLDS.toSeconds() + " s");
        }
        return last;
    }

    /** The last of the lines {@code 17.3}: nanoseconds per load. */
    static Reading parse(List<String> lines) {
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
