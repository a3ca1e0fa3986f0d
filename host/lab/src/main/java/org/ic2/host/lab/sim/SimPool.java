// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.VirtualCpu.Place;

/**
 * A pool of physical CPUs under one scheduler: runs what the scheduler picks, charges for it, holds to slice and rate limit,
 * and lets a virtual CPU have what its workload wants.
 */
public final class SimPool {
    private final String name;
    private final EventQueue events;
    private final SwitchCosts costs;
    final CpuScheduler scheduler;
    private final List<PhysicalCpu> cpus;
    private final List<SimGuest> guests = new ArrayList<>();
    private SchedulerSettings settings;
    private long switches;
    private int greatestWeight = 1;
    /** Told that another one runs somewhere. */
    Runnable switched = () -> { };

    SimPool(String name, EventQueue events, SchedulerKind kind, int cpus, SchedulerSettings settings, SwitchCosts costs) {
        this.name = name;
        this.events = events;
        this.settings = settings;
        this.costs = costs;
        this.cpus = IntStream.range(0, cpus).mapToObj(PhysicalCpu::new).toList();
        scheduler = kind == SchedulerKind.CREDIT ? new Credit1(this, events) : new Credit2(this, events);
        scheduler.start();
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Xen's name of its scheduler. */
    public String scheduler() {
        return scheduler.name();
    }

    /** How many physical CPUs it has. */
    public int size() {
        return cpus.size();
    }

    /** Its knobs now. */
    public SchedulerSettings settings() {
        return settings;
    }

    /** Other knobs, from the next decision on. */
    public void set(SchedulerSettings other) {
        settings = other;
    }

    /** How often a physical CPU went from one virtual CPU to another. */
    public long switches() {
        return switches;
    }

    List<PhysicalCpu> cpus() {
        return cpus;
    }

    List<SimGuest> guests() {
        return guests;
    }

    /** The greatest weight of its guests. */
    int greatestWeight() {
        return greatestWeight;
    }

    /** A guest's weight has changed. */
    void weighed() {
        greatestWeight = guests.stream().mapToInt(SimGuest::weight).max().orElse(1);
    }

    /** A guest comes to live here, its virtual CPUs dealt out over the physical ones. */
    void admit(SimGuest guest, int before) {
        guests.add(guest);
        weighed();
        int place = before;
        for (VirtualCpu one : guest.vcpus()) {
            one.cpu = guest.firstCpu(cpus, place++);
            scheduler.admit(one);
            one.book(events.now());
        }
        guest.vcpus().forEach(one -> wake(one, false));
    }

    /** Wakes one up, or notes it if it is awake. */
    void wake(VirtualCpu one) {
        wake(one, true);
    }

    private void wake(VirtualCpu one, boolean boost) {
        if (one.place != Place.BLOCKED) {
            one.pending = true;
        } else if (one.parked) {
            one.wakeups++;
            one.move(Place.PARKED, events.now());
        } else if (one.hasWork() || advance(one)) {
            one.wakeups++;
            queue(one, boost);
        }
    }

    private void queue(VirtualCpu one, boolean boost) {
        if (scheduler.exhausted(one)) {
            one.parked = true;
            one.move(Place.PARKED, events.now());
            return;
        }
        one.move(Place.QUEUED, events.now());
        scheduler.enqueue(one, boost);
    }

    /** The cap has it stop. */
    void park(VirtualCpu one) {
        one.parked = true;
        if (one.place == Place.QUEUED) {
            scheduler.remove(one);
            one.move(Place.PARKED, events.now());
        } else if (one.place == Place.RUNNING) {
            tickle(one.cpu);
        }
    }

    /** The cap lets it go on. What comes back this way is not boosted. */
    void release(VirtualCpu one) {
        one.parked = false;
        if (one.place != Place.PARKED) {
            return;
        }
        if (one.hasWork() || advance(one)) {
            queue(one, false);
        } else {
            one.move(Place.BLOCKED, events.now());
        }
    }

    /** Has a CPU decide anew, as soon as what is happening now has happened. */
    void tickle(PhysicalCpu cpu) {
        if (!cpu.tickled) {
            cpu.tickled = true;
            events.in(0, () -> {
                if (cpu.tickled) {
                    reschedule(cpu);
                }
            });
        }
    }

    /** Books what the CPU has done since it was booked last. */
    void charge(PhysicalCpu cpu) {
        long ran = events.now() - cpu.charged;
        cpu.charged = events.now();
        VirtualCpu one = cpu.current;
        if (one == null || ran <= 0) {
            return;
        }
        long cold = Math.min(one.refill, ran);
        one.refill -= cold;
        if (one.spin == null) {
            one.need -= Math.min(one.need, Math.round((ran - cold) * cpu.speed));
        }
        scheduler.charge(one, ran);
    }

    /** Lets one go on that asks for something which has become true. */
    void spinCheck(VirtualCpu one) {
        PhysicalCpu cpu = one.cpu;
        if (cpu.current == one && one.place == Place.RUNNING && one.spin != null && one.spin.getAsBoolean()) {
            charge(cpu);
            one.spin = null;
            goOn(cpu);
        }
    }

    void book() {
        cpus.forEach(this::charge);
        guests.forEach(guest -> guest.vcpus().forEach(one -> one.book(events.now())));
    }

    /** Asks the workload what it wants now; false if that is no CPU. */
    private boolean advance(VirtualCpu one) {
        while (true) {
            NextAction want = one.workload.next(one);
            if (want instanceof NextAction.Compute compute) {
                one.need = Math.max(1, compute.nanos());
                return true;
            } else if (want instanceof NextAction.Spin spin) {
                if (!spin.until().getAsBoolean()) {
                    one.spin = spin.until();
                    return true;
                }
            } else if (want instanceof NextAction.Sleep sleep) {
                events.in(Math.max(1, sleep.nanos()), () -> wake(one));
                return false;
            } else if (want instanceof NextAction.Block && one.pending) {
                one.pending = false;
            } else {
                return false;
            }
        }
    }

    /** The one that runs here has what it wanted: on with it, in the same slice, or off the CPU. */
    private void goOn(PhysicalCpu cpu) {
        VirtualCpu one = cpu.current;
        if (!advance(one)) {
            one.move(Place.BLOCKED, events.now());
            reschedule(cpu);
        } else if (events.now() >= cpu.sliceEnd) {
            reschedule(cpu);
        } else {
            arm(cpu);
        }
    }

    /** Orders the moment at which what runs here has what it wants, or its slice ends. */
    void arm(PhysicalCpu cpu) {
        VirtualCpu one = cpu.current;
        long decision = ++cpu.decision;
        long left = cpu.sliceEnd - events.now();
        long wanted = one.spin != null ? Long.MAX_VALUE : one.refill + (long) Math.ceil(one.need / cpu.speed);
        events.in(Math.min(left, wanted), () -> {
            if (cpu.decision != decision) {
                return;
            }
            charge(cpu);
            if (!one.hasWork()) {
                goOn(cpu);
            } else if (events.now() >= cpu.sliceEnd) {
                reschedule(cpu);
            } else {
                arm(cpu);
            }
        });
    }

    private void reschedule(PhysicalCpu cpu) {
        cpu.tickled = false;
        charge(cpu);
        VirtualCpu previous = cpu.current;
        if (previous != null && previous.place == Place.RUNNING && (previous.parked || scheduler.exhausted(previous))) {
            previous.parked = true;
            previous.move(Place.PARKED, events.now());
        }
        boolean goesOn = previous != null && previous.place == Place.RUNNING && !SimPins.leaves(this, previous, events.now());
        long least = settings.ratelimitMicros() * 1000L;
        if (goesOn && events.now() - cpu.stint < least) {
            cpu.sliceEnd = cpu.stint + least;
            arm(cpu);
            return;
        }
        VirtualCpu next = scheduler.pick(cpu, goesOn ? previous : null);
        if (goesOn && next != previous) {
            previous.move(Place.QUEUED, events.now());
        }
        cpu.current = next;
        cpu.decision++;
        switched.run();
        if (next == null) {
            return;
        }
        if (!goesOn || next != previous) {
            bring(cpu, next);
        }
        cpu.sliceEnd = events.now() + scheduler.slice(cpu, next);
        if (next.spin != null && next.spin.getAsBoolean()) {
            next.spin = null;
            goOn(cpu);
        } else {
            arm(cpu);
        }
    }

    private void bring(PhysicalCpu cpu, VirtualCpu next) {
        next.move(Place.RUNNING, events.now());
        cpu.stint = events.now();
        if (cpu.owner != next) {
            switches++;
            next.refill = costs.switching() + costs.refilling() + (next.cpu != cpu ? costs.migrating() : 0);
            cpu.owner = next;
        }
        next.runs++;
        next.cpu = cpu;
    }
}
