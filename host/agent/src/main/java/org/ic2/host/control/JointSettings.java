// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.ic2.host.model.KnobKind;

/**
 * What the joint controller is told by the configuration. Memory's bounds, class and response time come with the guests.
 *
 * @param guests       by name, between which caps each may be moved
 * @param knobs        cap, memory or both
 * @param law          how allocations follow their use
 * @param memoryTarget the utilization of memory that is to be held, above 0 to 1
 * @param period       from one step to the next
 * @param responseTime what moves the CPUs' utilization
 * @param arbiter      how a capacity is divided that does not suffice
 * @param deadband     changes of less than this share of what is in force are not wanted, 0 or more
 * @param sparing      whether memory is taken only where another guest lacks it and the host has none, and caps are lowered only of who uses
 *                     more than the share of its weight while another guest misses its target; else also where nobody suffers
 */
public record JointSettings(Map<String, CpuBounds> guests, Set<KnobKind> knobs, ControlLaw law, double memoryTarget, Duration period,
        ResponseTimeController responseTime, Arbiter arbiter, double deadband, boolean sparing) {
    /** lambda of memory (paper J, Table 1). */
    public static final double MEMORY_LAMBDA = 1;
    /** lambda of the CPUs (paper J, Table 2). */
    public static final double CPU_LAMBDA = 1.5;
    /** What a guest that lacks CPU time gets, in caps: the largest step that is made at once, since a backlog grows meanwhile. */
    public static final double CPU_UP = 2.5;

    public JointSettings {
        guests = Collections.unmodifiableMap(new LinkedHashMap<>(guests));
        knobs = Collections.unmodifiableSet(new TreeSet<>(knobs));
        if (knobs.isEmpty() || !EnumSet.of(KnobKind.CAP, KnobKind.MEMORY).containsAll(knobs)) {
            throw new IllegalArgumentException("knobs: expected cap, memory or both, got "
                    + knobs.stream().map(KnobKind::key).toList());
        }
        if (!(memoryTarget > 0 && memoryTarget <= 1)) {
            throw new IllegalArgumentException("memory-target: expected a utilization above 0 to 1, got " + memoryTarget);
        }
        if (period.isNegative() || period.isZero()) {
            throw new IllegalArgumentException("period: expected a time above 0, got " + period);
        }
        if (!(deadband >= 0 && deadband < 1)) {
            throw new IllegalArgumentException("deadband: expected a share from 0 to below 1, got " + deadband);
        }
    }

    /** Ours: both knobs, asymmetric, 0.9, 3 s, water-filling, changes of 2 % or more. */
    public static JointSettings of(Map<String, CpuBounds> guests) {
        return new JointSettings(guests, EnumSet.of(KnobKind.CAP, KnobKind.MEMORY), ControlLaw.ASYMMETRIC, 0.9, Duration.ofSeconds(3),
                ResponseTimeController.ofPaper().withRise(ResponseTimeController.RISE), Arbiter.WATER_FILLING, 0.02, true);
    }

    /** The paper's: its law, its arbiter, and every change is made. */
    public static JointSettings ofPaper(Map<String, CpuBounds> guests) {
        JointSettings ours = of(guests);
        return new JointSettings(guests, ours.knobs, ControlLaw.PAPER, ours.memoryTarget, ours.period,
                ResponseTimeController.ofPaper(), Arbiter.PAPER, 0, false);
    }

    /** The same with other knobs. */
    public JointSettings withKnobs(Set<KnobKind> others) {
        return new JointSettings(guests, others, law, memoryTarget, period, responseTime, arbiter, deadband, sparing);
    }

    /** The same with another law. */
    public JointSettings withLaw(ControlLaw other) {
        return new JointSettings(guests, knobs, other, memoryTarget, period, responseTime, arbiter, deadband, sparing);
    }

    /** The same, with memory and CPU time taken also where nobody lacks them, as the paper does. */
    public JointSettings saving() {
        return new JointSettings(guests, knobs, law, memoryTarget, period, responseTime, arbiter, deadband, false);
    }
}
