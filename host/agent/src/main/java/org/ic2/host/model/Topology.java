// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which CPUs are threads of one core, and which are near one memory.
 *
 * @param cores by the number of a CPU, the lowest CPU of its core; what is not named is a core by itself
 * @param nodes by the number of a CPU, its NUMA node; what is not named is on node 0
 */
public record Topology(Map<Integer, Integer> cores, Map<Integer, Integer> nodes) {
    /** Where nothing is known, or each CPU is a core, near all memory. */
    public static final Topology FLAT = new Topology(Map.of(), Map.of());

    /** The same host has the same topology, however it was said. */
    public Topology {
        cores = named(cores, true);
        nodes = named(nodes, false);
    }

    private static Map<Integer, Integer> named(Map<Integer, Integer> of, boolean byItself) {
        return java.util.Collections.unmodifiableMap(of.entrySet().stream().filter(one -> !one.getValue().equals(byItself ? one.getKey() : Integer.valueOf(0)))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (first, second) -> second, TreeMap::new)));
    }

    /** The lowest CPU of a CPU's core. */
    public int core(int cpu) {
        return cores.getOrDefault(cpu, cpu);
    }

    /** A CPU's node. */
    public int node(int cpu) {
        return nodes.getOrDefault(cpu, 0);
    }
}
