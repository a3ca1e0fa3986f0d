// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** A host in virtual time. What happens in it is decided by what is built into it and by its seed, by nothing else. */
public final class SimMachine {
    /** How long a wake-up by another, or its seeing what has changed, takes: 20 microseconds. */
    private static final long SIGNAL = 20_000;

    private final EventQueue events = new EventQueue();
    private final List<SimPool> pools = new ArrayList<>();
    private final List<SimGuest> guests = new ArrayList<>();
    private final SplittableRandom random;

    public SimMachine(long seed) {
        random = new SplittableRandom(seed);
    }

    /** A source of randomness of its own, for a workload. */
    public SplittableRandom random() {
        return random.split();
    }

    /** Nanoseconds since the beginning. */
    public long now() {
        return events.now();
    }

    /** A new pool of so many physical CPUs. */
    public SimPool pool(String name, SchedulerKind kind, int cpus, SchedulerSettings settings, SwitchCosts costs) {
        SimPool pool = new SimPool(name, events, kind, cpus, settings, costs);
        pools.add(pool);
        return pool;
    }

    /** Starts a guest whose virtual CPUs all do the same, each with a workload of its own or one for all. */
    public SimGuest guest(GuestPlan plan, SimPool pool, IntFunction<Workload> work) {
        SimGuest guest = new SimGuest(plan, pool, work);
        int before = pool.guests().stream().mapToInt(one -> one.vcpus().size()).sum();
        guests.add(guest);
        pool.admit(guest, before);
        return guest;
    }

    /** Its pools. */
    public List<SimPool> pools() {
        return List.copyOf(pools);
    }

    /** Its guests in the order in which they were started. */
    public List<SimGuest> guests() {
        return List.copyOf(guests);
    }

    /** Has something happen in so many nanoseconds. */
    public void after(long nanos, Runnable action) {
        events.in(nanos, action);
    }

    /** Wakes a virtual CPU up; if it is awake, the next time that it would block it does not. */
    public void wake(VirtualCpu one) {
        one.guest().pool().wake(one);
    }

    /** What one virtual CPU tells another: it takes a moment. */
    void signal(Runnable delivered) {
        events.in(SIGNAL, delivered);
    }

    /** Something may have become true that this one is spinning for. */
    void look(VirtualCpu one) {
        one.guest().pool().spinCheck(one);
    }

    /** Lets so many nanoseconds pass. */
    public void run(long nanos) {
        runUntil(() -> false, nanos);
    }

    /**
     * Lets time pass until something is so.
     *
     * @return false if it was not so after that many nanoseconds
     */
    public boolean runUntil(BooleanSupplier done, long atMost) {
        long end = events.now() + atMost;
        boolean so = done.getAsBoolean();
        while (!so && events.next(end)) {
            so = done.getAsBoolean();
        }
        if (!so) {
            events.passTo(end);
        }
        pools.forEach(SimPool::book);
        return so;
    }
}
