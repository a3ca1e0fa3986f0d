// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.List;

/**
 * A guest as it is started.
 *
 * @param name      its name
 * @param host      true for Dom0
 * @param vcpus     how many virtual CPUs
 * @param weight    1 to 65535, 256 = normal
 * @param cap       thousandths of a CPU; 0 = none
 * @param pins      numbers of its pool's physical CPUs that it may use; empty = all
 * @param memory    what it is given at first, bytes
 * @param memoryMin the floor below which its balloon does not go, bytes
 * @param memoryMax the most, bytes
 */
public record GuestPlan(String name, boolean host, int vcpus, int weight, int cap, List<Integer> pins, long memory,
        long memoryMin, long memoryMax) {
    private static final long MIB = 1L << 20;
    private static final long MOST_MEMORY = 1L << 50;

    public GuestPlan {
        pins = List.copyOf(pins);
        if (vcpus < 1 || vcpus > 128) {
            throw new IllegalArgumentException(name + ": vcpus: expected 1 to 128, got " + vcpus);
        }
        checkWeight(name, weight);
        if (cap < 0 || cap > vcpus * 1000) {
            throw new IllegalArgumentException(name + ": cap: expected 0 to " + vcpus * 1000 + ", got " + cap);
        }
        if (memoryMax > MOST_MEMORY) {
            throw new IllegalArgumentException(name + ": memory: expected at most " + MOST_MEMORY / MIB + " MiB, got "
                    + memoryMax / MIB);
        }
        if (memoryMin < 0 || memoryMin > memory || memory > memoryMax) {
            throw new IllegalArgumentException(name + ": memory: expected a floor not above it and a maximum not below it, got "
                    + memoryMin / MIB + ", " + memory / MIB + ", " + memoryMax / MIB + " MiB");
        }
    }

    static void checkWeight(String name, int weight) {
        if (weight < 1 || weight > 65535) {
            throw new IllegalArgumentException(name + ": weight: expected 1 to 65535, got " + weight);
        }
    }

    /** One virtual CPU, weight 256, no cap, 512 MiB of at most 512. */
    public static GuestPlan of(String name) {
        return new GuestPlan(name, false, 1, 256, 0, List.of(), 512 * MIB, 64 * MIB, 512 * MIB);
    }

    /** Dom0 likewise. */
    public static GuestPlan dom0() {
        return new GuestPlan("Domain-0", true, 1, 256, 0, List.of(), 512 * MIB, 512 * MIB, 512 * MIB);
    }

    /** With so many virtual CPUs. */
    public GuestPlan vcpus(int count) {
        return new GuestPlan(name, host, count, weight, cap, pins, memory, memoryMin, memoryMax);
    }

    /** With this weight. */
    public GuestPlan weight(int other) {
        return new GuestPlan(name, host, vcpus, other, cap, pins, memory, memoryMin, memoryMax);
    }

    /** With this cap, thousandths of a CPU. */
    public GuestPlan cap(int thousandths) {
        return new GuestPlan(name, host, vcpus, weight, thousandths, pins, memory, memoryMin, memoryMax);
    }

    /** On these physical CPUs of its pool only. */
    public GuestPlan pinned(Integer... cpus) {
        return new GuestPlan(name, host, vcpus, weight, cap, List.of(cpus), memory, memoryMin, memoryMax);
    }

    /** With this memory, bytes. */
    public GuestPlan memory(long atFirst, long least, long most) {
        return new GuestPlan(name, host, vcpus, weight, cap, pins, atFirst, least, most);
    }
}
