// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.zip.CRC32;

/** Sets of physical CPUs as the values of knobs, and as texts such as {@code 0-3,8}. */
public final class CpuSets {
    /** A mask has a bit for each CPU and is not negative. */
    public static final int MOST = 31;

    /** An affinity to all CPUs. */
    public static final int ALL = -1;

    private CpuSets() {
    }

    /**
     * The value of {@link KnobKind#AFFINITY}: the number of the one CPU, -1 for all of them, and less for several of them, another
     * number for another set, so that somebody else's set is not taken for one that was there before.
     *
     * @param cpus on which it may run, at least one
     * @param all  that there are
     */
    public static int affinity(Collection<Integer> cpus, Collection<Integer> all) {
        return cpus.size() != 1 && cpus.containsAll(all) ? ALL : affinity(cpus);
    }

    /** The same of CPUs that are not all. */
    public static int affinity(Collection<Integer> cpus) {
        SortedSet<Integer> sorted = new TreeSet<>(cpus);
        if (sorted.size() == 1) {
            return sorted.first();
        }
        return ALL - (sorted.isEmpty() || sorted.last() < MOST ? mask(sorted) : sum(format(sorted)));
    }

    /** Of sets that no mask can hold; never 0. */
    private static int sum(String list) {
        CRC32 sum = new CRC32();
        sum.update(list.getBytes(StandardCharsets.UTF_8));
        return (int) Math.max(1, sum.getValue() & Integer.MAX_VALUE);
    }

    /** True if an affinity is that to one CPU. */
    public static boolean isOne(int affinity) {
        return affinity >= 0;
    }

    /**
     * The value of {@link KnobKind#CPUSET}.
     *
     * @throws IllegalArgumentException if one has a number above 30
     */
    public static int mask(Collection<Integer> cpus) {
        int mask = 0;
        for (int cpu : cpus) {
            if (cpu < 0 || cpu >= MOST) {
                throw new IllegalArgumentException("expected CPUs from 0 to " + (MOST - 1) + ", which a mask can name, got " + cpu);
            }
            mask |= 1 << cpu;
        }
        return mask;
    }

    /** The CPUs of a mask, in their order. */
    public static List<Integer> cpus(int mask) {
        List<Integer> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < MOST; cpu++) {
            if ((mask >> cpu & 1) == 1) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    /**
     * The numbers in a list such as {@code 0-3,8}; none in an empty one.
     *
     * @throws IllegalArgumentException what was expected and what came
     */
    public static List<Integer> parse(String list) {
        SortedSet<Integer> cpus = new TreeSet<>();
        for (String part : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            String[] ends = part.split("-");
            if (!part.matches("\\d{1,4}(-\\d{1,4})?") || Integer.parseInt(ends[ends.length - 1]) < Integer.parseInt(ends[0])) {
                throw new IllegalArgumentException("expected CPUs such as 0-3,8, got \""
                        + list.substring(0, Math.min(list.length(), 60)) + "\"");
            }
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                cpus.add(cpu);
            }
        }
        return List.copyOf(cpus);
    }

    /** The list that {@link #parse} reads, as the kernel writes it. */
    public static String format(Collection<Integer> cpus) {
        StringJoiner list = new StringJoiner(",");
        List<Integer> sorted = List.copyOf(new TreeSet<>(cpus));
        for (int first = 0; first < sorted.size();) {
            int last = first;
            while (last + 1 < sorted.size() && sorted.get(last + 1) == sorted.get(last) + 1) {
                last++;
            }
            list.add(last == first ? sorted.get(first).toString() : sorted.get(first) + "-" + sorted.get(last));
            first = last + 1;
        }
        return list.toString();
    }
}
