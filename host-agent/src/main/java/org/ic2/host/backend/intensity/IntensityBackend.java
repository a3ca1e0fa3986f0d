// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;

/** A host whose guests' memory intensity a meter tells; all else is the host's own. */
public final class IntensityBackend implements Backend {
    private final Backend host;
    private final IntensityMeter meter;
    private final UnaryOperator<List<Guest>> known;

    /** @param known what the configuration adds to guests */
    public IntensityBackend(Backend host, IntensityMeter meter, UnaryOperator<List<Guest>> known) {
        this.host = host;
        this.meter = meter;
        this.known = known;
    }

    @Override
    public Capabilities capabilities() throws IOException, InterruptedException {
        Capabilities own = host.capabilities();
        Map<GuestMetric, Capabilities.Source> metrics = new HashMap<>(own.metrics());
        List<String> notes = new ArrayList<>(own.notes());
        meter.lack().ifPresentOrElse(why -> notes.add("no mem.intensity: " + why),
                () -> metrics.put(GuestMetric.MEM_INTENSITY, new Capabilities.Source(meter.source(), meter.dear())));
        return new Capabilities(own.knobs(), metrics, notes);
    }

    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        HostSample sample = host.read(now, wanted);
        if (meter.dear() && !wanted.contains(GuestMetric.MEM_INTENSITY)) {
            return sample;
        }
        Map<String, IntensityMeter.Intensity> intensities = meter.read(known.apply(sample.guests()));
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        sample.byUuid().forEach((uuid, readings) -> {
            IntensityMeter.Intensity of = intensities.getOrDefault(uuid, IntensityMeter.Intensity.none("not measured"));
            byUuid.put(uuid, Double.isNaN(of.value()) ? readings.without(GuestMetric.MEM_INTENSITY, of.why())
                    : readings.with(GuestMetric.MEM_INTENSITY, of.value()));
        });
        return new HostSample(sample.time(), sample.interval(), sample.guests(), byUuid, sample.host());
    }

    @Override
    public List<Guest> guests() throws IOException, InterruptedException {
        return host.guests();
    }

    @Override
    public List<Pool> pools() throws IOException, InterruptedException {
        return host.pools();
    }

    @Override
    public long memory() throws IOException, InterruptedException {
        return host.memory();
    }

    @Override
    public boolean has(GuestKnob knob) {
        return host.has(knob);
    }

    @Override
    public int get(GuestKnob knob) throws IOException, InterruptedException {
        return host.get(knob);
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        host.set(knob, value);
    }

    @Override
    public String exact(GuestKnob knob) throws IOException, InterruptedException {
        return host.exact(knob);
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        host.putBack(knob, exact);
    }

    @Override
    public Optional<String> objection(GuestKnob knob, int value) throws IOException, InterruptedException {
        return host.objection(knob, value);
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return host.settleTime(kind);
    }

    @Override
    public boolean gradual(KnobKind kind) {
        return host.gradual(kind);
    }

    @Override
    public void close() throws IOException {
        meter.close();
        host.close();
    }
}
