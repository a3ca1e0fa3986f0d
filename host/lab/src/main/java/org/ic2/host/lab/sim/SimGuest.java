// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.VirtualCpu.Place;

/** A guest that runs: its knobs, its virtual CPUs and what has happened to it. */
public final class SimGuest {
    private static final double NANOS = 1e9;

    private final GuestPlan plan;
    private final SimPool pool;
    private final List<VirtualCpu> vcpus;
    private final RequestLog requests = new RequestLog();
    private int weight;
    private int cap;
    private long memory;
    private double netBytes;
    private long majflt;
    private long stalled;

    SimGuest(GuestPlan plan, SimPool pool, IntFunction<Workload> work) {
        this.plan = plan;
        this.pool = pool;
        weight = plan.weight();
        cap = plan.cap();
        memory = plan.memory();
        if (plan.pins().stream().anyMatch(cpu -> cpu < 0 || cpu >= pool.size())) {
            throw new IllegalArgumentException(plan.name() + ": pins: expected CPUs 0 to " + (pool.size() - 1) + " of "
                    + pool.name() + ", got " + plan.pins());
        }
        vcpus = IntStream.range(0, plan.vcpus()).mapToObj(i -> new VirtualCpu(this, i, work.apply(i))).toList();
    }

    /** Its name. */
    public String name() {
        return plan.name();
    }

    /** As it was started. */
    public GuestPlan plan() {
        return plan;
    }

    /** Where it lives. */
    public SimPool pool() {
        return pool;
    }

    /** Its virtual CPUs. */
    public List<VirtualCpu> vcpus() {
        return vcpus;
    }

    /** The response times of its requests. */
    public RequestLog requests() {
        return requests;
    }

    /** 1 to 65535, 256 = normal. */
    public int weight() {
        return weight;
    }

    /** Gives it another weight. */
    public void weight(int other) {
        GuestPlan.checkWeight(plan.name(), other);
        weight = other;
        pool.weighed();
    }

    /** Thousandths of a CPU; 0 = none. */
    public int cap() {
        return cap;
    }

    /** Caps it otherwise; who was parked stays so until the next accounting. */
    public void cap(int thousandths) {
        if (thousandths < 0 || thousandths > plan.vcpus() * 1000) {
            throw new IllegalArgumentException(plan.name() + ": cap: expected 0 to " + plan.vcpus() * 1000 + ", got "
                    + thousandths);
        }
        cap = thousandths;
    }

    /** What it has, bytes. */
    public long memory() {
        return memory;
    }

    /** Its balloon moves, as far as floor and maximum let it. */
    public void memory(long bytes) {
        memory = Math.max(plan.memoryMin(), Math.min(plan.memoryMax(), bytes));
    }

    void transferred(double bytes) {
        netBytes += bytes;
    }

    void faulted() {
        majflt++;
    }

    void stalled(long nanos) {
        stalled += nanos;
    }

    /** What has happened to it, as far as it is booked: {@link SimMachine#run} books. */
    public GuestCounts counts() {
        long run = 0;
        long wait = 0;
        long parked = 0;
        long switches = 0;
        long wakeups = 0;
        for (VirtualCpu one : vcpus) {
            run += one.spent(Place.RUNNING);
            wait += one.spent(Place.QUEUED);
            parked += one.spent(Place.PARKED);
            switches += one.runs;
            wakeups += one.wakeups;
        }
        return new GuestCounts(run / NANOS, wait / NANOS, parked / NANOS, switches, wakeups, netBytes, majflt, stalled / NANOS);
    }

    boolean mayRunOn(PhysicalCpu cpu) {
        return plan.pins().isEmpty() || plan.pins().contains(cpu.index);
    }

    PhysicalCpu firstCpu(List<PhysicalCpu> cpus, int place) {
        return cpus.get(plan.pins().isEmpty() ? place % cpus.size() : plan.pins().get(place % plan.pins().size()));
    }
}
