// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/** How a pool shares its CPUs. What both of Xen's schedulers do alike is the pool's. */
interface CpuScheduler {

    /** Xen's name of it. */
    String name();

    /** Starts its timers. */
    void start();

    /** A virtual CPU is new here. */
    void admit(VirtualCpu one);

    /** It has run so many nanoseconds. */
    void charge(VirtualCpu one, long nanos);

    /**
     * Who is to have the CPU now; out of all queues.
     *
     * @param previous who has had it and would go on, or null; queued if it is not who is chosen
     * @return null if nobody wants it
     */
    VirtualCpu pick(PhysicalCpu cpu, VirtualCpu previous);

    /** How long it may have the CPU at most, ns. */
    long slice(PhysicalCpu cpu, VirtualCpu next);

    /**
     * Queues one that wants a CPU, and has a CPU see to it.
     *
     * @param boost true if it woke up by itself
     */
    void enqueue(VirtualCpu one, boolean boost);

    /** True if its cap leaves it nothing for now: it is to be parked. */
    boolean exhausted(VirtualCpu one);

    /** Takes it out of its queue. */
    void remove(VirtualCpu one);
}
