// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.ic2.host.control.CorePlanner;
import org.ic2.host.control.CorePlanner.Place;
import org.ic2.host.control.CorePlanner.Vcpu;
import org.ic2.host.model.GuestClass;
import org.ic2.host.lab.sim.Arrivals;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.MemoryBus;
import org.ic2.host.lab.sim.MemoryBus.Counted;
import org.ic2.host.lab.sim.MemoryUse;
import org.ic2.host.lab.sim.RequestLog;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;

/**
 * A host of workload-aware placement (6.1) in the simulator: eight cores that share their memory, guests that use it much or
 * little, and a cache of two virtual CPUs with clients. Xen's Credit1 stands in for the schedulers of KVM and vSphere.
 */
final class MemoryHost {
    static final int CORES = 8;
    static final String CACHE = "cache";
    /** CPU time of a request alone, mean, s. */
    static final double REQUEST = 0.0005;
    /** The paper's clients: five times sixteen threads. */
    private static final int CLIENTS = 80;
    private static final long BEGINNING = 200_000_000L;

    private final SimMachine machine;
    private final MemoryBus bus;
    private final Map<String, SimGuest> guests = new LinkedHashMap<>();
    private final RequestLog log = new RequestLog();
    private final SplittableRandom random;
    private ServiceQueue queue;

    /**
     * What was seen in a while.
     *
     * @param throughput of the cache, requests a second
     * @param mean       of its response times, s
     * @param tail       their 95th percentile, s
     * @param counted    of each guest
     * @param seconds    how long
     */
    record Watched(double throughput, double mean, double tail, Map<String, Counted> counted, double seconds) {
        /** A guest's memory intensity: refused requests, in lbm's alone. */
        double intensity(String guest) {
            return counted.get(guest).refused() / seconds / MemoryBus.full();
        }

        /** Of all guests together. */
        double intensity() {
            return counted.keySet().stream().mapToDouble(this::intensity).sum();
        }
    }

    /**
     * A host.
     *
     * @param work    by name, what each guest does; the cache under its name
     * @param planned true with each virtual CPU on the core of the plan, false with none pinned
     */
    MemoryHost(Map<String, MemoryUse> work, boolean planned, long seed) {
        machine = new SimMachine(seed);
        random = machine.random();
        SimPool pool = machine.pool("Pool-0", SchedulerKind.CREDIT, CORES, SchedulerSettings.DEFAULT, SwitchCosts.of(60, 30));
        bus = new MemoryBus(machine);
        Map<String, List<Integer>> pins = planned ? pins(work) : Map.of();
        work.forEach((name, use) -> {
            GuestPlan plan = GuestPlan.of(name).vcpus(vcpus(name)).pinned(pins.getOrDefault(name, List.of()).toArray(new Integer[0]));
            queue = name.equals(CACHE) ? new ServiceQueue(machine) : queue;
            SimGuest guest = machine.guest(plan, pool, i -> name.equals(CACHE) ? queue : new Burner());
            bus.uses(guest, use);
            guests.put(name, guest);
        });
    }

    private static int vcpus(String name) {
        return name.equals(CACHE) ? 2 : 1;
    }

    /** Guests who are known to be memory-intensive, as their intensity in figure 6 tells. */
    static CorePlanner.Plan plan(Map<String, MemoryUse> work) {
        List<Vcpu> vcpus = new ArrayList<>();
        work.forEach((name, use) -> IntStream.range(0, vcpus(name)).forEach(i -> vcpus.add(new Vcpu(name, i,
                name.equals(CACHE) ? GuestClass.LS1 : GuestClass.NLS, use.requests() > 0.5, use.requests(), -1))));
        return CorePlanner.plan(vcpus, IntStream.range(0, CORES).boxed().toList());
    }

    private static Map<String, List<Integer>> pins(Map<String, MemoryUse> work) {
        Map<String, List<Integer>> pins = new LinkedHashMap<>();
        for (Place place : plan(work).places()) {
            pins.computeIfAbsent(place.vcpu().guest(), name -> new ArrayList<>()).add(place.core());
        }
        return pins;
    }

    /** Clients who send their next request as soon as they have their answer. */
    MemoryHost saturated() {
        for (int i = 0; i < CLIENTS; i++) {
            send(true);
        }
        return this;
    }

    /** Requests that come at random, so many a second. */
    MemoryHost loaded(double rate) {
        new Arrivals(machine, machine.random(), time -> rate, rate, () -> send(false)).start();
        return this;
    }

    private void send(boolean again) {
        long sent = machine.now();
        queue.submit(Math.round(-REQUEST * 1e9 * Math.log(1 - random.nextDouble())), () -> {
            log.add((machine.now() - sent) / 1e9);
            if (again) {
                machine.after(1, () -> send(true));
            }
        });
    }

    /** Lets it go on for a while, after a moment to begin. */
    Watched watch(double seconds) {
        machine.run(BEGINNING);
        Map<String, Counted> before = counted();
        int from = log.count();
        machine.run(Math.round(seconds * 1e9));
        Map<String, Counted> since = new LinkedHashMap<>();
        counted().forEach((name, now) -> since.put(name, new Counted(now.refused() - before.get(name).refused(),
                now.missed() - before.get(name).missed(), now.ran() - before.get(name).ran(), now.achieved() - before.get(name).achieved())));
        return new Watched((log.count() - from) / seconds, log.mean(from), log.quantile(from, 0.95), since, seconds);
    }

    private Map<String, Counted> counted() {
        Map<String, Counted> counted = new LinkedHashMap<>();
        guests.forEach((name, guest) -> counted.put(name, bus.counted(guest)));
        return counted;
    }

    /** So many of a kind, beside a cache or not. */
    static Map<String, MemoryUse> mix(boolean cache, int lbm, int sjeng) {
        Map<String, MemoryUse> work = new LinkedHashMap<>();
        if (cache) {
            work.put(CACHE, MemoryUse.CACHE);
        }
        IntStream.range(0, lbm).forEach(i -> work.put("lbm" + i, MemoryUse.LBM));
        IntStream.range(0, sjeng).forEach(i -> work.put("sjeng" + i, MemoryUse.SJENG));
        return work;
    }
}
