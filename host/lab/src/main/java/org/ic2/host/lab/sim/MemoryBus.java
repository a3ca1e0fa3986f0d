// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What all cores share below their own caches: whoever runs slows down the others by what it asks for. The more is asked for of
 * what there is, the longer a request takes; a core's queue of requests, the super queue, then fills up and refuses more (the
 * paper's MBFR). A model of one curve: what comes out of it is a property of the model, and no evidence for MBFR.
 */
public final class MemoryBus {
    /** What there is, in requests of lbm. */
    private static final double CAPACITY = 4.5;
    /** A request never takes longer than with this much of it in use. */
    private static final double FULLEST = 0.97;
    /** How full lbm keeps its core's queue when it is alone. */
    private static final double QUEUED = 0.4;
    /** Refusals a second of a queue that is always full; with the square of how full it is, as the paper has it of a host. */
    private static final double REFUSALS = 1e8;
    private static final int HALVINGS = 30;
    private static final double REQUESTS = 5e7;

    private final SimMachine machine;
    private final Map<SimGuest, MemoryUse> uses = new HashMap<>();
    private final Map<SimGuest, Counted> counted = new HashMap<>();
    private boolean asked;
    private long since;

    /**
     * What has happened to a guest.
     *
     * @param refused  requests that its cores' queues refused
     * @param missed   requests that missed the last cache
     * @param ran      CPU time, s
     * @param achieved what it would have taken alone, s
     */
    public record Counted(double refused, double missed, double ran, double achieved) {
        private static final Counted NONE = new Counted(0, 0, 0, 0);

        private Counted with(MemoryUse use, double speed, double latency, double seconds) {
            double queue = Math.min(1, QUEUED * use.requests() * speed * latency);
            return new Counted(refused + REFUSALS * queue * queue * seconds,
                    missed + REQUESTS * use.requests() * use.missing() * speed * seconds, ran + seconds, achieved + speed * seconds);
        }

        /** How much longer its work took. */
        public double slowdown() {
            return ran / achieved;
        }
    }

    /** For all pools of a machine; all of them are there already. */
    public MemoryBus(SimMachine machine) {
        this.machine = machine;
        machine.pools().forEach(pool -> pool.switched = this::changed);
    }

    /** A guest uses memory; the others use none. */
    public void uses(SimGuest guest, MemoryUse use) {
        uses.put(guest, use);
        changed();
    }

    /** What has happened to a guest by now. */
    public Counted counted(SimGuest guest) {
        count();
        return counted.getOrDefault(guest, Counted.NONE);
    }

    /** What lbm's refusals a second are when it is alone: an intensity of 1. */
    public static double full() {
        return REFUSALS * QUEUED * QUEUED;
    }

    /** Somebody else runs: as soon as what is happening now has happened, all go on at another speed. */
    private void changed() {
        if (!asked) {
            asked = true;
            machine.after(0, this::adjust);
        }
    }

    private void adjust() {
        asked = false;
        count();
        double latency = latency();
        for (SimPool pool : machine.pools()) {
            for (PhysicalCpu cpu : pool.cpus()) {
                pool.charge(cpu);
                double speed = use(cpu).map(use -> speed(use, latency)).orElse(1.0);
                if (cpu.current != null && speed != cpu.speed) {
                    cpu.speed = speed;
                    pool.arm(cpu);
                }
                cpu.latency = latency;
                cpu.counting = cpu.current;
            }
        }
    }

    /** Books what has been going on since the last change. */
    private void count() {
        double seconds = (machine.now() - since) / 1e9;
        since = machine.now();
        for (SimPool pool : machine.pools()) {
            for (PhysicalCpu cpu : pool.cpus()) {
                MemoryUse use = cpu.counting == null ? null : uses.get(cpu.counting.guest);
                if (use != null && seconds > 0) {
                    counted.merge(cpu.counting.guest, Counted.NONE.with(use, cpu.speed, cpu.latency, seconds), MemoryBus::sum);
                }
            }
        }
    }

    private static Counted sum(Counted one, Counted other) {
        return new Counted(one.refused + other.refused, one.missed + other.missed, one.ran + other.ran, one.achieved + other.achieved);
    }

    private Optional<MemoryUse> use(PhysicalCpu cpu) {
        return Optional.ofNullable(cpu.current).map(one -> uses.get(one.guest));
    }

    private static double speed(MemoryUse use, double latency) {
        return 1 / (1 + use.stalled() * (latency - 1));
    }

    /** How much longer than alone a request takes at a load. */
    private static double latency(double load) {
        double used = Math.min(FULLEST, load / CAPACITY);
        return 1 + used * used / (1 - used);
    }

    /** That at which all ask for as much as they get. */
    private double latency() {
        List<MemoryUse> running = machine.pools().stream().flatMap(pool -> pool.cpus().stream()).flatMap(cpu -> use(cpu).stream()).toList();
        double low = 0;
        double high = running.stream().mapToDouble(MemoryUse::requests).sum();
        for (int i = 0; i < HALVINGS && high > 0; i++) {
            double load = (low + high) / 2;
            double asked = 0;
            for (MemoryUse use : running) {
                asked += use.requests() * speed(use, latency(load));
            }
            low = asked > load ? load : low;
            high = asked > load ? high : load;
        }
        return latency(high);
    }
}
