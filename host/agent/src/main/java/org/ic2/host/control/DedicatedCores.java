// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.ic2.host.model.Topology;

/** Gives whole cores to virtual CPUs: to each the one on which it is, or the nearest free one of its guest's NUMA node. */
final class DedicatedCores {

    /**
     * A virtual CPU that is to have one.
     *
     * @param guest its guest
     * @param core  the CPU on which it is now; less than 0 if on several
     */
    record Wish(String guest, int core) {
    }

    private final Topology topology;
    /** Of free cores, by their lowest thread: those that guests may have. */
    private final Map<Integer, List<Integer>> free = new TreeMap<>();
    private final int threads;

    DedicatedCores(Collection<Integer> cpus, Topology topology) {
        this.topology = topology;
        new TreeSet<>(cpus).forEach(cpu -> free.computeIfAbsent(topology.core(cpu), core -> new ArrayList<>()).add(cpu));
        threads = free.values().stream().mapToInt(List::size).max().orElse(1);
    }

    /** How many cores are free. */
    int count() {
        return free.size();
    }

    /** The CPUs of the cores that are free, in their order. */
    List<Integer> left() {
        return free.values().stream().flatMap(List::stream).sorted().toList();
    }

    /**
     * A whole core for each, as its CPUs.
     *
     * @param wishes not more than {@link #count}, the most important first
     */
    List<List<Integer>> give(List<Wish> wishes) {
        Map<Wish, List<Integer>> chosen = new IdentityHashMap<>();
        Map<String, Integer> lacking = new HashMap<>();
        Map<String, Map<Integer, Integer>> nodes = new HashMap<>();
        for (Wish one : wishes) {
            List<Integer> own = free.get(topology.core(one.core()));
            if (own != null && own.contains(one.core())) {
                take(one, topology.core(one.core()), chosen, nodes);
            } else {
                lacking.merge(one.guest(), 1, Integer::sum);
            }
        }
        for (Wish one : wishes) {
            if (!chosen.containsKey(one)) {
                take(one, best(nodes.getOrDefault(one.guest(), Map.of()), lacking.get(one.guest())), chosen, nodes);
            }
        }
        return wishes.stream().map(chosen::get).toList();
    }

    private void take(Wish one, int core, Map<Wish, List<Integer>> chosen, Map<String, Map<Integer, Integer>> nodes) {
        chosen.put(one, free.remove(core));
        nodes.computeIfAbsent(one.guest(), guest -> new HashMap<>()).merge(topology.node(core), 1, Integer::sum);
    }

    /**
     * Where most of its guest is; for the first of a guest where all of it fits. Then one whose threads are all the guests', as in the
     * others there is what the reserve is for.
     */
    private int best(Map<Integer, Integer> nodes, int lacking) {
        Map<Integer, Integer> room = new HashMap<>();
        free.keySet().forEach(core -> room.merge(topology.node(core), 1, Integer::sum));
        return free.keySet().stream().min(Comparator.<Integer>comparingInt(core -> -nodes.getOrDefault(topology.node(core), 0))
                .thenComparingInt(core -> nodes.isEmpty() ? -Math.min(lacking, room.get(topology.node(core))) : 0)
                .thenComparingInt(core -> threads - free.get(core).size()).thenComparing(Comparator.naturalOrder())).orElseThrow();
    }
}
