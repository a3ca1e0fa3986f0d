// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.learn.CpuShare;
import org.ic2.host.learn.Outcome;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.learn.Trial;
import org.ic2.host.model.GuestClass;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.DutyCycle;
import org.ic2.host.lab.sim.GuestCounts;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.host.lab.sim.Users;

/**
 * The host on which iTune was validated (4.3), in the simulator: 12 physical CPUs, 19 guests at 10 to 60 % CPU, four servers,
 * one of each class, with users behind Dom0's I/O. Each trial is a host of its own from the same seed.
 */
public final class ItuneHost implements Trial<RuntimeException> {
    private static final List<GuestClass> SERVERS = List.of(GuestClass.LS1, GuestClass.LS2, GuestClass.LS3, GuestClass.NLS);
    private static final SwitchCosts COSTS = SwitchCosts.of(30, 20);
    private static final int CPUS = 12;
    private static final int BACKGROUND = 19;
    private static final double PERIOD = 0.02;
    private static final int NANOS = 1_000_000_000;

    private final Load load;
    private final SchedulerKind kind;
    private final boolean rule2;
    private final long seed;
    private final GuestClass unmarked;

    /**
     * What the host has to do.
     *
     * @param batch guests more, that use all CPU that they get
     * @param users of each server
     * @param think their mean time to think, s
     * @param cpu   mean CPU time of a request, s
     */
    public record Load(int batch, int users, double think, double cpu) {
        /** Apache with so many users a server: 500 requests a second of 0.6 ms at 250. */
        public static Load apache(int batch, int users) {
            return new Load(batch, users, 0.5, 0.0006);
        }

        /** Netperf's request and response, of so many users a server (paper: 6 and 12): no time to think but the network's. */
        public static Load netperf(int batch, int users) {
            return new Load(batch, users, 0.0005, 0.0001);
        }

        boolean isNetperf() {
            return think < 0.001;
        }
    }

    /**
     * What came of a setting.
     *
     * @param outcome   of each guest, as the objective wants it
     * @param responses s, of the servers by class: median, 90th, 95th, 99th percentile
     * @param answered  requests a second, of the servers by class
     */
    public record Tried(Outcome outcome, Map<GuestClass, List<Double>> responses, Map<GuestClass, Double> answered) {
    }

    /**
     * @param rule2 the paper's caps: 100 % for each virtual CPU of all guests but those of the best class
     */
    public ItuneHost(Load load, SchedulerKind kind, boolean rule2, long seed) {
        this(load, kind, rule2, seed, GuestClass.NLS);
    }

    private ItuneHost(Load load, SchedulerKind kind, boolean rule2, long seed, GuestClass unmarked) {
        this.load = load;
        this.kind = kind;
        this.rule2 = rule2;
        this.seed = seed;
        this.unmarked = unmarked;
    }

    /** The same with the 19 guests of which the paper names no class in this one; those that always run stay NLS. */
    public ItuneHost withUnmarked(GuestClass other) {
        return new ItuneHost(load, kind, rule2, seed, other);
    }

    /** Xen's own setting of its scheduler. */
    public SchedulerVector base() {
        return kind == SchedulerKind.CREDIT ? SchedulerVector.credit1() : SchedulerVector.credit2();
    }

    /** The same host with another seed. */
    public ItuneHost with(long other) {
        return new ItuneHost(load, kind, rule2, other, unmarked);
    }

    @Override
    public Outcome measure(SchedulerVector vector) {
        return measure(vector, (int) WINDOW.toSeconds()).outcome();
    }

    /** Tries a setting for so many seconds after it has settled. */
    public Tried measure(SchedulerVector vector, int seconds) {
        SimMachine machine = new SimMachine(seed);
        SchedulerSettings settings = new SchedulerSettings(vector.tslice().orElse(1000), vector.ratelimit().orElse(1000));
        SimPool pool = machine.pool("Pool-0", kind, CPUS, settings, COSTS);
        Map<SimGuest, GuestClass> guests = new LinkedHashMap<>();
        ServiceQueue queue = new ServiceQueue(machine);
        guests.put(machine.guest(GuestPlan.dom0().vcpus(2).weight(weight(vector, GuestClass.HOST)), pool, i -> queue),
                GuestClass.HOST);
        Dom0Io io = new Dom0Io(queue, 40_000, 0);
        SERVERS.forEach(of -> guests.put(server(machine, pool, io, vector, of), of));
        for (int i = 0; i < BACKGROUND; i++) {
            double duty = 0.1 + 0.5 * i / (BACKGROUND - 1);
            guests.put(machine.guest(plan("busy" + i, vector, unmarked), pool,
                    cpu -> new DutyCycle(machine.random(), duty, PERIOD)), unmarked);
        }
        for (int i = 0; i < load.batch(); i++) {
            guests.put(machine.guest(plan("batch" + i, vector, GuestClass.NLS), pool, cpu -> new Burner()), GuestClass.NLS);
        }
        return watch(machine, guests, Trial.settle(vector).toNanos(), seconds);
    }

    private SimGuest server(SimMachine machine, SimPool pool, Dom0Io io, SchedulerVector vector, GuestClass of) {
        ServiceQueue queue = new ServiceQueue(machine);
        SimGuest server = machine.guest(plan("server-" + of, vector, of), pool, i -> queue);
        new Users(machine, machine.random(), server, queue, io, load.think(), load.cpu(), 200, 2048).start(load.users());
        return server;
    }

    private GuestPlan plan(String name, SchedulerVector vector, GuestClass of) {
        return GuestPlan.of(name).weight(weight(vector, of)).cap(rule2 && of != GuestClass.LS1 ? 1000 : 0);
    }

    private static int weight(SchedulerVector vector, GuestClass of) {
        return vector.weights().getOrDefault(of, SchedulerVector.NORMAL_WEIGHT);
    }

    private static Tried watch(SimMachine machine, Map<SimGuest, GuestClass> guests, long settle, int seconds) {
        machine.run(settle);
        Map<SimGuest, GuestCounts> before = new LinkedHashMap<>();
        Map<SimGuest, Integer> answered = new LinkedHashMap<>();
        guests.keySet().forEach(guest -> before.put(guest, guest.counts()));
        guests.keySet().forEach(guest -> answered.put(guest, guest.requests().count()));
        machine.run((long) seconds * NANOS);
        List<CpuShare> shares = new ArrayList<>();
        Map<GuestClass, List<Double>> responses = new EnumMap<>(GuestClass.class);
        Map<GuestClass, Double> rates = new EnumMap<>(GuestClass.class);
        guests.forEach((guest, of) -> {
            GuestCounts counts = guest.counts().since(before.get(guest));
            shares.add(new CpuShare(guest.name(), of, counts.run() / seconds, counts.waited() / seconds,
                    counts.parked() / seconds));
            if (guest.name().startsWith("server-")) {
                int from = answered.get(guest);
                responses.put(of, List.of(0.5, 0.9, 0.95, 0.99).stream().map(q -> guest.requests().quantile(from, q)).toList());
                rates.put(of, (guest.requests().count() - from) / (double) seconds);
            }
        });
        return new Tried(new Outcome(shares), responses, rates);
    }
}
