// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.control.LatencyPredictor.Peak;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;

/**
 * What the workload of a guest is like (paper W, 3.2): its memory intensity and, if it is latency-sensitive, its predicted latency.
 *
 * @param declared true where the file says the intensity, false where it is measured
 * @param full     what a guest shows that does nothing but use memory, in the unit of the source
 * @param latency  how latency is predicted, if it is
 */
public record WorkloadProfiler(boolean declared, double full, Optional<LatencyPredictor> latency) {
    public WorkloadProfiler {
        if (!(full > 0) || Double.isInfinite(full)) {
            throw new IllegalArgumentException("intensity: expected a full one above 0, got " + full);
        }
    }

    /** What it reads. */
    public Set<GuestMetric> wanted() {
        Set<GuestMetric> wanted = EnumSet.noneOf(GuestMetric.class);
        if (!declared) {
            wanted.add(GuestMetric.MEM_INTENSITY);
        }
        if (latency.isPresent()) {
            wanted.addAll(EnumSet.of(GuestMetric.NET_SOFTIRQ, GuestMetric.CPU_RUN));
        }
        return wanted;
    }

    /**
     * How much a guest uses memory; 1 is a full one. What the file says of it stands in where nothing was measured; where the
     * file alone counts, a guest of which it says nothing uses none.
     *
     * @return NaN if it cannot be told
     */
    public double intensity(Guest guest, HostWindow window) {
        double said = guest.intensity();
        if (declared) {
            return Double.isNaN(said) ? 0 : said;
        }
        double measured = window.mean(guest, GuestMetric.MEM_INTENSITY) / full;
        return Double.isNaN(measured) ? said : measured;
    }

    /** What is remembered of the guests' soft interrupts after a sample. */
    public Map<String, Peak> hear(Map<String, Peak> before, HostSample sample) {
        Map<String, Peak> after = new LinkedHashMap<>();
        latency.ifPresent(predictor -> sample.guests().stream().filter(guest -> guest.guestClass().latencySensitive()).forEach(guest ->
                after.put(guest.uuid(), predictor.hear(before.getOrDefault(guest.uuid(), predictor.begin()),
                        sample.get(guest, GuestMetric.NET_SOFTIRQ), sample.interval().toNanos() / 1e9))));
        return after;
    }

    /** The predicted latency of a guest, s; NaN if it is not latency-sensitive or that cannot be told. */
    public double latency(Guest guest, HostWindow window, Map<String, Peak> peaks) {
        if (latency.isEmpty() || !guest.guestClass().latencySensitive() || !peaks.containsKey(guest.uuid())) {
            return Double.NaN;
        }
        double load = latency.get().load(window.mean(guest, GuestMetric.NET_SOFTIRQ), window.mean(guest, GuestMetric.CPU_RUN),
                peaks.get(guest.uuid()));
        return latency.get().latency(intensity(guest, window), load);
    }
}
