// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** A host as a controller sees it. */
final class Hosts {
    static final long MIB = 1024 * 1024;
    static final Pool POOL = new Pool("Pool-0", "credit", List.of(0, 1));

    private Hosts() {
    }

    static Guest guest(String name, GuestClass guestClass) {
        return new Guest("/" + name, name + "-1", name, 1, 230 * MIB, 1024 * MIB, guestClass, Double.NaN, Double.NaN);
    }

    static Guest wanting(Guest guest, double rtTarget) {
        return new Guest(guest.id(), guest.uuid(), guest.name(), guest.vcpus(), guest.memMin(), guest.memMax(),
                guest.guestClass(),
                rtTarget, guest.intensity());
    }

    /** Readings of one guest: metric, value, metric, value, ... */
    static Readings<GuestMetric> readings(Object... metricsAndValues) {
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        for (int i = 0; i < metricsAndValues.length; i += 2) {
            readings = readings.with((GuestMetric) metricsAndValues[i], ((Number) metricsAndValues[i + 1]).doubleValue());
        }
        return readings;
    }

    static HostWindow window(Duration interval, List<Guest> guests, List<Readings<GuestMetric>> readings,
            Readings<HostMetric> host) {
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        for (int i = 0; i < guests.size(); i++) {
            byUuid.put(guests.get(i).uuid(), readings.get(i));
        }
        return new HostWindow(List.of(new HostSample(Instant.EPOCH, interval, guests, byUuid, host)));
    }

    static HostWindow window(List<Guest> guests, List<Readings<GuestMetric>> readings) {
        return window(Duration.ofSeconds(3), guests, readings, new Readings<>(HostMetric.class));
    }

    /** Values of one kind, a guest each. */
    static Settings settings(KnobKind kind, List<Guest> guests, int... values) {
        Map<Knob, Integer> map = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            map.put(GuestKnob.of(kind, guests.get(i)), values[i]);
        }
        return Settings.of(map);
    }

    static HostView view(List<Guest> guests, double cpus, long memoryMib, long freeMib, Settings... inForce) {
        Settings all = inForce[0];
        for (int i = 1; i < inForce.length; i++) {
            all = all.with(inForce[i]);
        }
        return new HostView(guests, new ArrayList<>(List.of(POOL)), memoryMib * MIB, freeMib * MIB, cpus, all);
    }
}
