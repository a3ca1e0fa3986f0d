// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Topology;

/**
 * Which virtual CPU belongs on which core (paper W, 4.2.2, the local scheduler): each latency-sensitive one alone on one, the
 * memory-intensive ones together on few, the others on the rest. The other threads of a dedicated core stay idle, and a guest's
 * dedicated cores are on one NUMA node as far as they fit. A plan made again of what it gave is the same plan.
 */
public final class CorePlanner {

    private CorePlanner() {
    }

    /**
     * A virtual CPU.
     *
     * @param guest      its guest's uuid
     * @param index      its number in the guest
     * @param guestClass its guest's
     * @param intensive  whether its guest is memory-intensive
     * @param intensity  of its guest; ties between cores go by it
     * @param core       the one on which alone it may run now; less than 0 if on several
     */
    public record Vcpu(String guest, int index, GuestClass guestClass, boolean intensive, double intensity, int core) {
        private boolean sensitive() {
            return guestClass.latencySensitive();
        }
    }

    /** What a core is for. */
    public enum Use {
        /** One latency-sensitive virtual CPU. */
        DEDICATED,
        /** Nobody: another thread of the same core is dedicated. */
        IDLE,
        /** Memory-intensive ones. */
        MEMORY,
        /** The others. */
        SHARED
    }

    /**
     * Where a virtual CPU is to be.
     *
     * @param vcpu which
     * @param core where
     * @param use  what that core is for
     */
    public record Place(Vcpu vcpu, int core, Use use) {
        /** True if it is there already. */
        public boolean isThere() {
            return vcpu.core() == core;
        }
    }

    /**
     * A plan.
     *
     * @param places of all virtual CPUs, in the order in which they were given
     * @param uses   of all cores, by their number; where there is one core for both, memory-intensive ones share it
     * @param crowd  latency-sensitive virtual CPUs that have no core of their own, as one must be left to the others
     */
    public record Plan(List<Place> places, Map<Integer, Use> uses, int crowd) {
        public Plan {
            places = List.copyOf(places);
            uses = java.util.Collections.unmodifiableMap(new TreeMap<>(uses));
        }

        /** The cores of a use. */
        public List<Integer> cores(Use use) {
            return uses.entrySet().stream().filter(one -> one.getValue() == use).map(Map.Entry::getKey).toList();
        }
    }

    /** A core while it is being filled. */
    private record Filled(int count, double intensity) {
        private Filled with(Vcpu one) {
            return new Filled(count + 1, intensity + (Double.isNaN(one.intensity()) ? 0 : one.intensity()));
        }
    }

    /**
     * Makes a plan.
     *
     * @param vcpus all that are to be placed; in any order
     * @param cores numbers of the cores that there are for them, at least one
     */
    public static Plan plan(Collection<Vcpu> vcpus, Collection<Integer> cores) {
        return plan(vcpus, cores, Topology.FLAT);
    }

    /**
     * The same where CPUs may be threads of one core.
     *
     * @param cores numbers of the CPUs that there are for them, at least one
     */
    public static Plan plan(Collection<Vcpu> vcpus, Collection<Integer> cores, Topology topology) {
        if (cores.isEmpty()) {
            throw new IllegalArgumentException("expected at least one core");
        }
        DedicatedCores dedicated = new DedicatedCores(cores, topology);
        Map<Vcpu, Place> places = new IdentityHashMap<>();
        Map<Integer, Use> uses = new TreeMap<>();
        List<Vcpu> sensitive = vcpus.stream().filter(Vcpu::sensitive).sorted(Comparator.comparing(Vcpu::guestClass)
                .thenComparing(Vcpu::guest).thenComparing(Vcpu::index)).toList();
        List<Vcpu> alone = sensitive.subList(0, Math.min(sensitive.size(), dedicated.count() - 1));
        List<List<Integer>> given = dedicated.give(alone.stream().map(one -> new DedicatedCores.Wish(one.guest(), one.core())).toList());
        for (int i = 0; i < given.size(); i++) {
            Vcpu one = alone.get(i);
            int cpu = given.get(i).contains(one.core()) ? one.core() : given.get(i).get(0);
            given.get(i).forEach(thread -> uses.put(thread, thread == cpu ? Use.DEDICATED : Use.IDLE));
            places.put(one, new Place(one, cpu, Use.DEDICATED));
        }
        List<Integer> left = dedicated.left();
        List<Vcpu> others = vcpus.stream().filter(one -> !places.containsKey(one)).toList();
        List<Vcpu> memory = others.stream().filter(one -> one.intensive() && !one.sensitive()).toList();
        List<Vcpu> rest = others.stream().filter(one -> !one.intensive() || one.sensitive()).toList();
        Set<Integer> intensive = memoryCores(memory, left, topology, !rest.isEmpty() || !sensitive.isEmpty());
        List<Integer> plain = left.stream().filter(core -> !intensive.contains(core)).toList();
        left.forEach(core -> uses.put(core, intensive.contains(core) ? Use.MEMORY : Use.SHARED));
        if (plain.isEmpty()) {
            spread(others, left, Use.MEMORY, topology, places);
        } else {
            spread(memory, intensive, Use.MEMORY, topology, places);
            spread(rest, plain, Use.SHARED, topology, places);
        }
        return new Plan(vcpus.stream().map(places::get).toList(), uses, sensitive.size() - alone.size());
    }

    /** At most half of the shared cores, and one for two: those that hold most of them now. All, if there is nobody to keep them from. */
    private static Set<Integer> memoryCores(List<Vcpu> memory, List<Integer> shared, Topology topology, boolean others) {
        if (memory.isEmpty() || !others) {
            return memory.isEmpty() ? Set.of() : new HashSet<>(shared);
        }
        int count = Math.max(1, Math.min((memory.size() + 1) / 2, shared.size() / 2));
        Map<Integer, Integer> held = new HashMap<>();
        memory.forEach(one -> held.merge(one.core(), 1, Integer::sum));
        Comparator<Integer> most = Comparator.comparingInt(core -> -held.getOrDefault(core, 0));
        return new HashSet<>(shared.stream().sorted(most.thenComparing(topology::core).thenComparing(Comparator.naturalOrder())).limit(count).toList());
    }

    /**
     * Each to the core with fewest, at a tie its own, then one of its node, then the more intensive, then the lowest. Who sits on one of these cores
     * already comes first, one of each core after the other, so that as few as can be are moved.
     */
    private static void spread(List<Vcpu> vcpus, Collection<Integer> on, Use use, Topology topology, Map<Vcpu, Place> places) {
        Map<Integer, Filled> filled = new TreeMap<>();
        on.forEach(core -> filled.put(core, new Filled(0, 0)));
        Map<String, Integer> homes = new HashMap<>();
        for (Vcpu one : ordered(vcpus, filled.keySet())) {
            int node = one.core() >= 0 ? topology.node(one.core()) : homes.getOrDefault(one.guest(), -1);
            int best = best(one, node, topology, filled);
            homes.putIfAbsent(one.guest(), topology.node(best));
            filled.compute(best, (core, before) -> before.with(one));
            places.put(one, new Place(one, best, use));
        }
    }

    private static int best(Vcpu one, int node, Topology topology, Map<Integer, Filled> filled) {
        int best = -1;
        for (Map.Entry<Integer, Filled> core : filled.entrySet()) {
            Filled than = filled.get(best);
            int fewer = than == null ? -1 : Integer.compare(core.getValue().count(), than.count());
            boolean tie = fewer == 0 && best != one.core();
            int nearer = Boolean.compare(topology.node(core.getKey()) == node, topology.node(best) == node);
            if (fewer < 0 || tie && (core.getKey() == one.core() || nearer > 0 || nearer == 0 && core.getValue().intensity() > than.intensity())) {
                best = core.getKey();
            }
        }
        return best;
    }

    private static List<Vcpu> ordered(List<Vcpu> vcpus, Set<Integer> on) {
        Comparator<Vcpu> byName = Comparator.comparing(Vcpu::guest).thenComparing(Vcpu::index);
        Map<Integer, Integer> seen = new HashMap<>();
        Map<Vcpu, Integer> round = new IdentityHashMap<>();
        for (Vcpu one : vcpus.stream().sorted(byName).toList()) {
            round.put(one, on.contains(one.core()) ? seen.merge(one.core(), 1, Integer::sum) : Integer.MAX_VALUE);
        }
        return vcpus.stream().sorted(Comparator.<Vcpu>comparingInt(round::get)
                .thenComparing(one -> round.get(one) == Integer.MAX_VALUE ? 0 : one.core()).thenComparing(byName)).toList();
    }
}
