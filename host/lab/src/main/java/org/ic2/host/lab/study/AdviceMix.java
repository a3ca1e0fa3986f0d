// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.control.SchedulerAdvisor;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.ParallelProgram;
import org.ic2.host.lab.sim.ParallelProgram.Waits;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.host.lab.sim.Users;

/**
 * A pool of guests drawn from a seed: some that compute alone, parallel programs that turn or sleep at their barriers, servers. Of
 * every other guest it is said how it waits.
 */
final class AdviceMix {
    private static final SwitchCosts COSTS = SwitchCosts.of(60, 30);
    private static final Duration BEGINNING = Duration.ofSeconds(1);
    /** What a trace of Xen takes. */
    private static final Duration WATCHED = Duration.ofSeconds(4);
    private static final Duration JUDGED = Duration.ofSeconds(8);
    private static final double GRAIN = 0.005;

    /** What a guest does. */
    enum Work { ALONE, SPINS, SLEEPS, SERVES }

    /**
     * A guest.
     *
     * @param grain    CPU time of a step, s
     * @param think    of its users, s
     * @param users    how many
     * @param declared whether it is said how it waits
     */
    record Drawn(String name, Work work, int vcpus, double grain, double think, int users, boolean declared) {
        GuestWaits waits() {
            return switch (work) {
                case ALONE -> GuestWaits.NONE;
                case SPINS -> GuestWaits.SPIN;
                case SLEEPS, SERVES -> GuestWaits.BLOCK;
            };
        }
    }

    private final long seed;
    private final int cpus;
    private final SchedulerKind running;
    private final List<Drawn> guests = new ArrayList<>();

    AdviceMix(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(seed);
        cpus = random.nextInt(2, 9);
        running = random.nextBoolean() ? SchedulerKind.CREDIT : SchedulerKind.CREDIT2;
        int wanted = (int) Math.round(cpus * (0.5 + 2 * random.nextDouble()));
        List<Work> kinds = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            kinds.add(Work.values()[random.nextInt(Work.values().length)]);
        }
        for (int vcpus = 0; vcpus < wanted; vcpus += guests.get(guests.size() - 1).vcpus()) {
            guests.add(draw("g" + (guests.size() + 1), kinds.get(random.nextInt(kinds.size())), random));
        }
    }

    private static Drawn draw(String name, Work work, SplittableRandom random) {
        int vcpus = switch (work) {
            case ALONE -> random.nextInt(3) > 0 ? 1 : random.nextInt(2, 5);
            case SERVES -> random.nextInt(1, 3);
            default -> random.nextInt(2, 5);
        };
        double grain = 0.0005 * Math.pow(100, random.nextDouble());
        int users = random.nextInt(1, 20);
        double duty = vcpus * (0.1 + 0.6 * random.nextDouble());
        double request = Math.min(grain, 0.01);
        return new Drawn(name, work, vcpus, work == Work.SERVES ? request : grain, users * request / duty, users, random.nextBoolean());
    }

    /** A host with what its guests have to do, and how far each has come. */
    private final class Built {
        private final SimMachine machine;
        private final SimPool pool;
        private final Dom0Io io;
        private final SimHost host;
        private final Map<String, DoubleSupplier> slowness = new LinkedHashMap<>();
        private final List<Runnable> marks = new ArrayList<>();
        private double since;

        Built(SchedulerKind kind) {
            machine = new SimMachine(seed);
            pool = machine.pool("Pool-0", kind, cpus, SchedulerSettings.DEFAULT, COSTS);
            ServiceQueue queue = new ServiceQueue(machine);
            machine.guest(GuestPlan.dom0(), pool, cpu -> queue);
            io = new Dom0Io(queue, 40_000, 0);
            guests.forEach(this::start);
            host = new SimHost(machine, 1L << 40);
        }

        private void start(Drawn drawn) {
            GuestPlan plan = GuestPlan.of(drawn.name()).vcpus(drawn.vcpus());
            if (drawn.work() == Work.SERVES) {
                serve(plan, drawn);
            } else {
                compute(plan, drawn);
            }
        }

        private void serve(GuestPlan plan, Drawn drawn) {
            ServiceQueue queue = new ServiceQueue(machine);
            SimGuest guest = machine.guest(plan, pool, cpu -> queue);
            new Users(machine, machine.random(), guest, queue, io, drawn.think(), drawn.grain(), 200, 2048).start(drawn.users());
            int[] from = new int[1];
            marks.add(() -> from[0] = guest.requests().count());
            slowness.put(drawn.name(), () -> guest.requests().mean(from[0]));
        }

        private void compute(GuestPlan plan, Drawn drawn) {
            Waits waits = switch (drawn.work()) {
                case SPINS -> Waits.SPINNING;
                case SLEEPS -> Waits.BLOCKED;
                default -> Waits.NEVER;
            };
            double grain = drawn.work() == Work.ALONE ? GRAIN : drawn.grain();
            ParallelProgram program = ParallelProgram.withBarriers(machine, waits, drawn.vcpus(), grain, Integer.MAX_VALUE);
            machine.guest(plan, pool, cpu -> program.rank());
            LongSupplier ended = program::ended;
            long[] from = new long[1];
            marks.add(() -> from[0] = ended.getAsLong());
            slowness.put(drawn.name(), () -> (machine.now() / 1e9 - since) / (ended.getAsLong() - from[0]));
        }

        private HostSample watch(Duration length) {
            host.sample(Instant.EPOCH, BEGINNING);
            marks.forEach(Runnable::run);
            since = machine.now() / 1e9;
            return host.sample(Instant.EPOCH.plus(length), length);
        }
    }

    /** What is advised on what is measured under the scheduler that it runs with. */
    PoolAdvice advice() {
        Built built = new Built(running);
        HostSample sample = built.watch(WATCHED);
        Map<String, GuestWaits> declared = new LinkedHashMap<>();
        for (Guest guest : sample.guests()) {
            guests.stream().filter(drawn -> drawn.declared() && drawn.name().equals(guest.name()))
                    .forEach(drawn -> declared.put(guest.uuid(), drawn.waits()));
        }
        return new SchedulerAdvisor().advise(built.host.pools().get(0), sample.guests(), new HostWindow(List.of(sample)), declared);
    }

    /** What a guest's work takes on Credit2 over what it takes on Credit1: the geometric mean over the guests. */
    double ratio() {
        Built first = new Built(SchedulerKind.CREDIT);
        Built second = new Built(SchedulerKind.CREDIT2);
        first.watch(JUDGED);
        second.watch(JUDGED);
        return Math.exp(guests.stream().mapToDouble(guest -> Math.log(second.slowness.get(guest.name()).getAsDouble()
                / first.slowness.get(guest.name()).getAsDouble())).average().orElse(0));
    }
}
