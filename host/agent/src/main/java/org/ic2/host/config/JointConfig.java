// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.ic2.host.model.KnobKind;

/**
 * Joint control of CPU and memory (Heo et al.).
 *
 * @param guests       names of the guests
 * @param knobs        which of cap and memory
 * @param paperLaw     true for the paper's law, false for the asymmetric one
 * @param paperArbiter true to scale wishes only, as the paper does; false to keep minima
 * @param memoryTarget the share of its memory that a guest is to use
 * @param period       between two decisions
 * @param gain         of the response time's loop, beta
 * @param leastTarget  the least share of its CPU time that a guest is to use
 * @param mostTarget   the greatest
 * @param outerPeriod  between two decisions on that share
 * @param always       true to take also what nobody else lacks, as the paper does
 * @param knobsAt      file, line and key of the knobs, for errors
 */
public record JointConfig(List<String> guests, Set<KnobKind> knobs, boolean paperLaw, boolean paperArbiter, double memoryTarget,
        Duration period, double gain, double leastTarget, double mostTarget, Duration outerPeriod, boolean always, String knobsAt) {

    /** Its name as an owner of knobs. */
    public static final String NAME = "joint";

    public JointConfig {
        guests = List.copyOf(guests);
        knobs = Set.copyOf(knobs);
    }
}
