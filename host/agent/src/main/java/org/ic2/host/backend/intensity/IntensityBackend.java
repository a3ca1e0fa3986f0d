// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.Readings;

/** A host whose guests' memory intensity a meter tells; all else, whatever a backend has, is the host's own. */
public final class IntensityBackend {
    private final Backend host;
    private final IntensityMeter meter;
    private final UnaryOperator<List<Guest>> known;

    private IntensityBackend(Backend host, IntensityMeter meter, UnaryOperator<List<Guest>> known) {
        this.host = host;
        this.meter = meter;
        this.known = known;
    }

    /**
     * The host with the meter.
     *
     * @param known what the configuration adds to guests
     */
    public static Backend of(Backend host, IntensityMeter meter, UnaryOperator<List<Guest>> known) {
        IntensityBackend metered = new IntensityBackend(host, meter, known);
        return (Backend) Proxy.newProxyInstance(Backend.class.getClassLoader(), new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> metered.answer(method, arguments));
    }

    @SuppressWarnings("unchecked")
    private Object answer(Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "capabilities":
                return capabilities();
            case "read":
                return read((Instant) arguments[0], (Set<GuestMetric>) arguments[1]);
            case "close":
                meter.close();
                host.close();
                return null;
            default:
                try {
                    return method.invoke(host, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
        }
    }

    private Capabilities capabilities() throws IOException, InterruptedException {
        Capabilities own = host.capabilities();
        Map<GuestMetric, Capabilities.Source> metrics = new HashMap<>(own.metrics());
        List<String> notes = new ArrayList<>(own.notes());
        meter.lack().ifPresentOrElse(why -> notes.add("no mem.intensity: " + why),
                () -> metrics.put(GuestMetric.MEM_INTENSITY, new Capabilities.Source(meter.source(), meter.dear())));
        return new Capabilities(own.knobs(), metrics, notes);
    }

    private HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException {
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
}
