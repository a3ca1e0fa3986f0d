// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.ic2.host.lab.sim.VirtualCpu.Place;

/**
 * Xen's credit scheduler. A queue for each physical CPU, three priorities, round robin within each; who wakes up with credit
 * left goes before all others until its next tick; a CPU that finds nothing but OVER in its queue takes better work from
 * another's. Ticks, three a slice, charge and make active; once a slice the credits of the whole pool's CPUs are dealt out
 * by weight to the guests that were active, and a capped guest whose debt exceeds its cap's share is parked until it has
 * credit again: with a small weight that lasts, be the CPUs idle or not.
 */
final class Credit1 implements CpuScheduler {
    static final int OVER = -2;
    static final int UNDER = -1;
    private static final int BOOST = 0;
    private static final int IDLE = -64;
    private static final double CREDITS_PER_NANO = 10e-6;
    private static final int TICKS_PER_SLICE = 3;

    private final SimPool pool;
    private final EventQueue events;
    /** In the order of their turn at what others leave. */
    private final List<SimGuest> turn = new ArrayList<>();
    private double balance;
    private int lastTickled;

    Credit1(SimPool pool, EventQueue events) {
        this.pool = pool;
        this.events = events;
    }

    @Override
    public String name() {
        return SchedulerKind.CREDIT.key();
    }

    @Override
    public void start() {
        for (PhysicalCpu cpu : pool.cpus()) {
            events.in(tick() + tick() / 3 * cpu.index / pool.size(), () -> tick(cpu));
        }
        events.in(slice(), this::account);
    }

    private long slice() {
        return pool.settings().tsliceMillis() * 1_000_000L;
    }

    private long tick() {
        return slice() / TICKS_PER_SLICE;
    }

    @Override
    public void admit(VirtualCpu one) {
        if (!turn.contains(one.guest)) {
            turn.add(one.guest);
        }
    }

    @Override
    public void charge(VirtualCpu one, long nanos) {
        one.credit -= nanos * CREDITS_PER_NANO;
    }

    @Override
    public VirtualCpu pick(PhysicalCpu cpu, VirtualCpu previous) {
        if (previous != null) {
            insert(cpu, previous);
        }
        int best = cpu.queue.isEmpty() ? IDLE : cpu.queue.get(0).priority;
        VirtualCpu stolen = best > OVER ? null : steal(cpu, best);
        return stolen != null ? stolen : cpu.queue.isEmpty() ? null : cpu.queue.remove(0);
    }

    private VirtualCpu steal(PhysicalCpu cpu, int better) {
        int size = pool.size();
        for (int step = 1; step < size; step++) {
            List<VirtualCpu> queue = pool.cpus().get((cpu.index + step) % size).queue;
            for (int i = 0; i < queue.size() && queue.get(i).priority > better; i++) {
                if (queue.get(i).mayRunOn(cpu)) {
                    return queue.remove(i);
                }
            }
        }
        return null;
    }

    @Override
    public long slice(PhysicalCpu cpu, VirtualCpu next) {
        return slice();
    }

    private void insert(PhysicalCpu cpu, VirtualCpu one) {
        int place = 0;
        while (place < cpu.queue.size() && cpu.queue.get(place).priority >= one.priority) {
            place++;
        }
        cpu.queue.add(place, one);
    }

    @Override
    public void enqueue(VirtualCpu one, boolean boost) {
        if (boost && one.priority == UNDER) {
            one.priority = BOOST;
        }
        PhysicalCpu cpu = one.cpu;
        insert(cpu, one);
        PhysicalCpu idle = cpu.idle() ? cpu : nextIdle(one);
        if (idle != null) {
            pool.tickle(idle);
        } else if (cpu.current == null || one.priority > cpu.current.priority) {
            pool.tickle(cpu);
        }
    }

    private PhysicalCpu nextIdle(VirtualCpu one) {
        int size = pool.size();
        for (int step = 1; step <= size; step++) {
            PhysicalCpu cpu = pool.cpus().get((lastTickled + step) % size);
            if (cpu.idle() && one.mayRunOn(cpu)) {
                lastTickled = cpu.index;
                return cpu;
            }
        }
        return null;
    }

    @Override
    public boolean exhausted(VirtualCpu one) {
        return false;
    }

    @Override
    public void remove(VirtualCpu one) {
        one.cpu.queue.remove(one);
    }

    private void tick(PhysicalCpu cpu) {
        VirtualCpu one = cpu.current;
        if (one != null && one.place == Place.RUNNING) {
            if (one.priority == BOOST) {
                one.priority = UNDER;
            }
            pool.charge(cpu);
            one.active = true;
        }
        cpu.queue.sort(Comparator.comparing(queued -> queued.priority < UNDER));
        events.in(tick(), () -> tick(cpu));
    }

    /** The guests that ran at a tick, their active virtual CPUs, and the credits of a slice on one CPU. */
    private record Dealing(SimGuest guest, List<VirtualCpu> active) {
        double weight() {
            return (double) guest.weight() * active.size();
        }
    }

    private void account() {
        pool.cpus().forEach(pool::charge);
        List<Dealing> dealings = new ArrayList<>();
        for (SimGuest guest : turn) {
            List<VirtualCpu> active = guest.vcpus().stream().filter(one -> one.active).toList();
            if (!active.isEmpty()) {
                dealings.add(new Dealing(guest, active));
            }
        }
        balance = deal(dealings, slice() * CREDITS_PER_NANO);
        events.in(slice(), this::account);
    }

    /** Deals the credits of a slice; returns what all have then together. */
    private double deal(List<Dealing> dealings, double perCpu) {
        double weights = dealings.stream().mapToDouble(Dealing::weight).sum();
        double debt = Math.max(0, -balance);
        double total = perCpu * pool.size() + debt;
        double weightsLeft = weights;
        double sum = 0;
        boolean wanting = false;
        for (Dealing one : dealings) {
            int count = one.active().size();
            weightsLeft -= one.weight();
            double peak = count * perCpu + debt * one.weight() / weights;
            double cap = Double.POSITIVE_INFINITY;
            if (one.guest().cap() > 0) {
                cap = one.guest().cap() / 1000.0 * perCpu;
                peak = Math.min(peak, cap);
                cap /= count;
            }
            double fair = total * one.weight() / weights;
            if (fair < peak) {
                wanting = true;
            } else {
                total += weightsLeft > 0 ? (fair - peak) * weights / weightsLeft : 0;
                if (wanting) {
                    turn.remove(one.guest());
                    turn.add(0, one.guest());
                }
                fair = peak;
            }
            for (VirtualCpu active : one.active()) {
                sum += give(active, fair / count, cap, perCpu);
            }
        }
        return sum;
    }

    /** Gives a virtual CPU its credits, and what follows from them; returns what it has then. */
    private double give(VirtualCpu one, double credits, double cap, double perCpu) {
        one.credit += credits;
        if (one.credit < 0) {
            one.priority = OVER;
            if (one.credit < -cap && !one.parked) {
                pool.park(one);
            }
            one.credit = Math.max(one.credit, -perCpu);
        } else {
            one.priority = UNDER;
            if (one.parked) {
                pool.release(one);
            }
            if (one.credit > perCpu) {
                one.active = false;
                one.credit /= 2;
            }
        }
        return one.credit;
    }
}
