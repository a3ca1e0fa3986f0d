// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Instant;
import java.util.List;
import org.ic2.host.model.GuestClass;

/**
 * What is known of a host of several.
 *
 * @param name       its name in the fleet
 * @param time       of these figures
 * @param memoryFree memory that guests can be given there, bytes; NaN if unknown
 * @param cpus       CPUs that guests can be given there together; NaN if unknown
 * @param guests     its guests, without the host's own domain
 */
public record FleetHost(String name, Instant time, double memoryFree, double cpus, List<Resident> guests) {
    public FleetHost {
        guests = List.copyOf(guests);
    }

    /**
     * A guest there.
     *
     * @param uuid       which one, on whatever host
     * @param id         how its host addresses it while it runs
     * @param name       for people
     * @param guestClass how it is served
     * @param intensity  its memory intensity, 1 is the calibrated one; NaN if unknown
     * @param memory     what it takes along, bytes; NaN if unknown
     * @param cpu        CPUs that it runs on; NaN if unknown
     * @param latency    predicted, s; NaN of who is not latency-sensitive, or where it cannot be told
     */
    public record Resident(String uuid, String id, String name, GuestClass guestClass, double intensity, double memory,
            double cpu, double latency) {
    }

    /**
     * CPUs that a guest of a class finds there; NaN if that is not known. A latency-sensitive one comes before the others, so what
     * these use is free for it.
     */
    public double cpuFree(GuestClass of) {
        return cpus - guests.stream().filter(guest -> guest.guestClass().latencySensitive() || !of.latencySensitive()).mapToDouble(Resident::cpu).sum();
    }

    /** The memory intensity of all its guests together (the paper's MBFR of a host); NaN if one is not known. */
    public double intensity() {
        return guests.stream().mapToDouble(Resident::intensity).sum();
    }
}
