// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.Map;

/**
 * What placement goes by.
 *
 * @param pins      true to propose affinities; false where a person makes cpupools
 * @param profiler  what tells guests apart
 * @param threshold from which intensity on a guest is memory-intensive
 * @param period    between two plans, 15 s in the paper
 * @param sizes     by the names of guests without virtual CPUs, how many CPUs each may need at most
 */
public record PlacementSettings(boolean pins, WorkloadProfiler profiler, MemoryIntensity threshold, Duration period,
        Map<String, Integer> sizes) {
    public PlacementSettings {
        sizes = Map.copyOf(sizes);
    }
}
