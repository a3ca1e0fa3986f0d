// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.yaml.ConfigException;

/**
 * A host that is simulated. Its time is that of its reader: each reading lets as much time pass in it as has passed since the
 * reading before. Knobs are in force at once.
 */
public final class SimBackend implements Backend {
    private static final Set<GuestMetric> NOT_SIMULATED = Set.of(GuestMetric.NET_SOFTIRQ, GuestMetric.APP_BUSY,
            GuestMetric.APP_SHEDDING);

    private final SimHost host;
    private Instant last;

    public SimBackend(SimHost host) {
        this.host = host;
    }

    /**
     * The host of a scenario file.
     *
     * @throws IOException     if it cannot be read
     * @throws ConfigException if it says something wrong
     */
    public static SimBackend open(Path scenario) throws IOException, ConfigException {
        return new SimBackend(ScenarioFile.read(scenario.toString(), Files.readString(scenario)));
    }

    @Override
    public Capabilities capabilities() {
        int cpus = host.guests().stream().mapToInt(Guest::vcpus).max().orElse(1);
        Map<KnobKind, Range> knobs = new EnumMap<>(KnobKind.class);
        knobs.put(KnobKind.WEIGHT, new Range(1, 65_535, 1));
        knobs.put(KnobKind.CAP, new Range(10, 1000 * cpus, 10));
        knobs.put(KnobKind.MEMORY, new Range(1, (int) Math.min(Integer.MAX_VALUE, host.memory() >> 20), 1));
        knobs.put(KnobKind.AFFINITY, new Range(0, host.pools().stream().mapToInt(pool -> pool.cpus().size()).sum() - 1, 1));
        knobs.put(KnobKind.RATELIMIT, new Range(100, 500_000, 1));
        if (host.pools().stream().anyMatch(pool -> pool.scheduler().equals("credit"))) {
            knobs.put(KnobKind.TSLICE, new Range(1, 1000, 1));
        }
        Map<GuestMetric, Source> metrics = new EnumMap<>(GuestMetric.class);
        for (GuestMetric metric : GuestMetric.values()) {
            if (!NOT_SIMULATED.contains(metric) && (metric != GuestMetric.MEM_INTENSITY || host.hasIntensity())) {
                metrics.put(metric, new Source("simulator", false));
            }
        }
        return new Capabilities(knobs, metrics, host.notes());
    }

    @Override
    public List<Guest> guests() {
        return host.guests();
    }

    @Override
    public List<Pool> pools() {
        return host.pools();
    }

    @Override
    public Map<String, String> membership() {
        return host.membership();
    }

    @Override
    public long memory() {
        return host.memory();
    }

    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) {
        Duration passed = last == null || now.isBefore(last) ? Duration.ZERO : Duration.between(last, now);
        last = now;
        return host.sample(now, passed);
    }

    @Override
    public boolean has(GuestKnob knob) {
        return knob.kind() != KnobKind.CPUSET;
    }

    @Override
    public int get(GuestKnob knob) throws IOException {
        try {
            return host.get(knob);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException {
        try {
            host.set(knob, value);
        } catch (IllegalArgumentException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return Duration.ZERO;
    }

    @Override
    public void close() {
        last = null;
    }
}
