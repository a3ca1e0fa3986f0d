// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Xen's Credit2. One queue for the pool, ordered by credit; credit burns the faster the smaller the weight; when the best of
 * all has none left, everybody gets the same again. One runs until the next in the queue has more credit, not below 0.5 ms and
 * the rate limit, not beyond 10 ms. A cap is a budget for each 10 ms; who has used it up is parked until the next.
 */
final class Credit2 implements CpuScheduler {
    private static final double CREDIT = 10e6;
    private static final double CARRIED_OVER = 0.5e6;
    private static final double MIGRATION_RESISTANCE = 0.5e6;
    private static final double MIGRATION_COMPENSATION = 0.05e6;
    private static final long SHORTEST = 500_000;
    private static final long LONGEST = 10_000_000;
    private static final long BUDGET_PERIOD = 10_000_000;

    private final SimPool pool;
    private final EventQueue events;
    private final List<VirtualCpu> queue = new ArrayList<>();

    Credit2(SimPool pool, EventQueue events) {
        this.pool = pool;
        this.events = events;
    }

    @Override
    public String name() {
        return SchedulerKind.CREDIT2.key();
    }

    @Override
    public void start() {
        events.in(BUDGET_PERIOD, this::replenish);
    }

    @Override
    public void admit(VirtualCpu one) {
        one.credit = CREDIT;
        one.budget = budget(one.guest);
    }

    private static double budget(SimGuest guest) {
        return guest.cap() / 1000.0 * BUDGET_PERIOD / guest.vcpus().size();
    }

    @Override
    public void charge(VirtualCpu one, long nanos) {
        one.credit -= nanos * pool.greatestWeight() / one.guest.weight();
        if (one.guest.cap() > 0) {
            one.budget -= nanos;
        }
    }

    @Override
    public VirtualCpu pick(PhysicalCpu cpu, VirtualCpu previous) {
        VirtualCpu next = previous;
        for (VirtualCpu one : queue) {
            boolean resists = next != null && one.cpu != cpu && next.credit + MIGRATION_RESISTANCE > one.credit;
            if (one.mayRunOn(cpu) && !resists) {
                next = next == null || one.credit > next.credit ? one : next;
                break;
            }
        }
        if (next != previous) {
            queue.remove(next);
            next.credit += next.cpu == cpu ? 0 : MIGRATION_COMPENSATION;
            if (previous != null) {
                insert(previous);
            }
        }
        if (next != null && next.credit <= 0) {
            reset(next);
        }
        return next;
    }

    @Override
    public boolean exhausted(VirtualCpu one) {
        return one.guest.cap() > 0 && one.budget <= 0;
    }

    private void reset(VirtualCpu best) {
        pool.cpus().forEach(pool::charge);
        double times = best.credit < -CREDIT ? 1 + Math.floor(-best.credit / CREDIT) : 1;
        for (SimGuest guest : pool.guests()) {
            for (VirtualCpu one : guest.vcpus()) {
                one.credit = Math.min(one.credit + times * CREDIT, CREDIT + CARRIED_OVER);
            }
        }
    }

    @Override
    public long slice(PhysicalCpu cpu, VirtualCpu next) {
        double credit = next.credit;
        for (VirtualCpu one : queue) {
            if (one.mayRunOn(cpu)) {
                credit -= Math.max(0, one.credit);
                break;
            }
        }
        double time = credit * next.guest.weight() / pool.greatestWeight();
        if (next.guest.cap() > 0) {
            time = Math.min(time, next.budget);
        }
        long ranAlready = events.now() - cpu.stint;
        long shortest = Math.max(SHORTEST, pool.settings().ratelimitMicros() * 1000L - ranAlready);
        return Math.min(Math.max(Math.round(time), shortest), Math.max(LONGEST, shortest));
    }

    private void insert(VirtualCpu one) {
        int place = 0;
        while (place < queue.size() && queue.get(place).credit >= one.credit) {
            place++;
        }
        queue.add(place, one);
    }

    @Override
    public void enqueue(VirtualCpu one, boolean boost) {
        insert(one);
        PhysicalCpu where = one.cpu.idle() && one.mayRunOn(one.cpu) ? one.cpu : null;
        PhysicalCpu weakest = null;
        double least = 0;
        for (PhysicalCpu cpu : pool.cpus()) {
            if (where != null || !one.mayRunOn(cpu) || cpu.tickled) {
                continue;
            }
            if (cpu.current == null) {
                where = cpu;
                continue;
            }
            pool.charge(cpu);
            double lead = one.credit - cpu.current.credit - (cpu == one.cpu ? 0 : MIGRATION_RESISTANCE);
            if (lead > least) {
                least = lead;
                weakest = cpu;
            }
        }
        if (where != null || weakest != null) {
            pool.tickle(where != null ? where : weakest);
        }
    }

    @Override
    public void remove(VirtualCpu one) {
        queue.remove(one);
    }

    private void replenish() {
        pool.cpus().forEach(pool::charge);
        for (SimGuest guest : pool.guests()) {
            for (VirtualCpu one : guest.vcpus()) {
                one.budget = Math.min(one.budget + budget(guest), budget(guest));
                if (one.parked && !exhausted(one)) {
                    pool.release(one);
                }
            }
        }
        events.in(BUDGET_PERIOD, this::replenish);
    }
}
