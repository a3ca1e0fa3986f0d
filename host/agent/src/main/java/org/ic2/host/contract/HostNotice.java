// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Optional;
import org.ic2.host.control.UtilizationController;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.runtime.json.Json;

/** What a guest's tenant is told: its own figures, and the last thing that was done to it. */
final class HostNotice {
    private static final int VERSION = 1;
    private static final MathContext DIGITS = new MathContext(4);
    private static final int LONGEST_SOURCE = 60;

    private HostNotice() {
    }

    /**
     * Something that the host did which changes what a guest gets.
     *
     * @param id        of the turn, as in the journal
     * @param knob      which kind
     * @param settledAt when it was in force, s since 1970
     */
    record Act(String id, String knob, double settledAt) {
    }

    /**
     * The text for a guest, in letters of ASCII and far below {@link Carrier#MOST_BYTES}.
     *
     * @param source of {@link GuestMetric#MEM_INTENSITY}
     * @param act    the last one
     */
    static String text(HostSample sample, Guest guest, String source, Optional<Act> act) {
        ObjectNode json = Json.object().put("v", VERSION).put("time", millis(sample.time().toEpochMilli() / 1000.0));
        put(json, "run", sample.get(guest, GuestMetric.CPU_RUN));
        put(json, "wait", sample.get(guest, GuestMetric.CPU_WAIT));
        put(json, "throttled", sample.get(guest, GuestMetric.CPU_THROTTLED));
        put(json, "memory_taken", memoryTaken(sample, guest));
        double intensity = sample.get(guest, GuestMetric.MEM_INTENSITY);
        if (!Double.isNaN(intensity)) {
            ObjectNode of = json.putObject("mem_intensity");
            put(of, "value", intensity);
            String plain = source.replaceAll("[^ -~]", "?");
            of.put("source", plain.length() > LONGEST_SOURCE ? plain.substring(0, LONGEST_SOURCE) : plain);
        }
        act.ifPresent(last -> json.putObject("action").put("id", last.id()).put("knob", last.knob())
                .put("settled_at", millis(last.settledAt())));
        return Json.text(json);
    }

    /**
     * Of the most memory that the guest may have, the share that it has not, while it lacks memory: 0 to 1. Memory that was
     * taken because the guest does not use it is no lack, and counts 0.
     */
    static double memoryTaken(HostSample sample, Guest guest) {
        double has = sample.get(guest, GuestMetric.MEM_ALLOC);
        if (!(has > 0) || guest.memMax() <= 0) {
            return Double.NaN;
        }
        boolean lacks = sample.get(guest, GuestMetric.MEM_USED) / has >= UtilizationController.STARVED
                || sample.get(guest, GuestMetric.MEM_MAJFLT) > UtilizationController.FAULTS
                || sample.get(guest, GuestMetric.MEM_PRESSURE) > UtilizationController.PRESSURE;
        return lacks ? Math.max(0, 1 - has / guest.memMax()) : 0;
    }

    private static BigDecimal millis(double seconds) {
        return BigDecimal.valueOf(Math.round(seconds * 1000), 3);
    }

    private static void put(ObjectNode json, String name, double value) {
        if (!Double.isNaN(value)) {
            json.put(name, BigDecimal.valueOf(value).round(DIGITS));
        }
    }
}
