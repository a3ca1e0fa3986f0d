// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which guests are memory-intensive (workload-aware placement, paper W, 4.2.2, which names no threshold). With hysteresis: a guest
 * becomes it above one intensity and stays it down to a lower one, so that one that wavers is not moved to and fro.
 *
 * @param leave 0 or more
 * @param enter not below that
 */
public record MemoryIntensity(double leave, double enter) {
    /** Half of the calibrated intensity makes it, 0.35 ends it. */
    public static final MemoryIntensity USUAL = new MemoryIntensity(0.35, 0.5);

    public MemoryIntensity {
        if (!(leave >= 0 && leave <= enter)) {
            throw new IllegalArgumentException("threshold: expected [leave, enter], 0 or more and in their order, got [" + leave
                    + ", " + enter + "]");
        }
    }

    /**
     * The memory-intensive ones now.
     *
     * @param before    those that were
     * @param intensity by uuid, of all that run; 1 is the calibrated intensity. NaN: not known, it stays what it was
     */
    public Set<String> classify(Set<String> before, Map<String, Double> intensity) {
        Set<String> now = new TreeSet<>();
        intensity.forEach((uuid, value) -> {
            boolean was = before.contains(uuid);
            if (Double.isNaN(value) ? was : value > enter || was && value > leave) {
                now.add(uuid);
            }
        });
        return now;
    }
}
