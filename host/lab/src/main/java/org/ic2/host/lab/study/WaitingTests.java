// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.Arrivals;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.DutyCycle;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.NextAction;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.host.lab.sim.Workload;

/** iTune's six tests (3.3.2, figures 2 to 7): what makes guests wait for the CPU, on 12 physical ones under Credit1. */
public final class WaitingTests implements Simulation {
    private static final int CPUS = 12;
    private static final int SECONDS = 4;
    private static final double NANOS = 1e9;
    /** What lookbusy does, the paper's tool: it computes for its share of 100 ms and sleeps for the rest, always the same. */
    private static final double PERIOD = 0.1;
    /** Between two jobs of the guests with a network, mean, s. */
    private static final double JOBS = 0.02;
    private static final SwitchCosts COSTS = SwitchCosts.of(30, 20);
    private static final int PACKET = 1500;
    /** Of 0.1 ms each, a second: what Dom0 does by itself. */
    private static final int DOM0_JOBS = 200;

    /**
     * What a host's guests wait.
     *
     * @param perGuest mean over the guests without Dom0, % of the window
     * @param all      sum over the guests and Dom0, % of the window
     */
    public record Waits(double perGuest, double all) {
    }

    private record Built(SimMachine machine, SimPool pool, Dom0Io io) {
    }

    private static Built host(long seed) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-0", SchedulerKind.CREDIT, CPUS, SchedulerSettings.DEFAULT, COSTS);
        ServiceQueue queue = new ServiceQueue(machine);
        machine.guest(GuestPlan.dom0(), pool, i -> queue);
        new Arrivals(machine, machine.random(), time -> DOM0_JOBS, DOM0_JOBS, () -> queue.submit(100_000, () -> { })).start();
        return new Built(machine, pool, new Dom0Io(queue, 40_000, 0));
    }

    /** Busy for a share of its time, from some moment of its first period on. */
    private static Workload lookbusy(SimMachine machine, double duty) {
        SplittableRandom random = machine.random();
        Workload cycle = new DutyCycle(random, duty, PERIOD, 0);
        boolean[] begun = new boolean[1];
        return cpu -> {
            if (begun[0]) {
                return cycle.next(cpu);
            }
            begun[0] = true;
            return new NextAction.Sleep(Math.round(random.nextDouble() * PERIOD * NANOS));
        };
    }

    /** Guests of these sizes, each of whose virtual CPUs is busy for a share of its time. */
    public static Waits busy(List<Integer> sizes, double duty, long seed) {
        Built host = host(seed);
        for (int i = 0; i < sizes.size(); i++) {
            host.machine().guest(GuestPlan.of("g" + i).vcpus(sizes.get(i)), host.pool(),
                    cpu -> lookbusy(host.machine(), duty));
        }
        return waits(host);
    }

    /** Guests of one virtual CPU that compute for a share of their time and get so many bytes a second from the network. */
    public static Waits networked(int guests, double duty, double bytesPerSecond, long seed) {
        Built host = host(seed);
        for (int i = 0; i < guests; i++) {
            ServiceQueue queue = new ServiceQueue(host.machine());
            SimGuest guest = host.machine().guest(GuestPlan.of("g" + i), host.pool(), cpu -> queue);
            if (duty > 0) {
                new Arrivals(host.machine(), host.machine().random(), time -> 1 / JOBS, 1 / JOBS,
                        () -> queue.submit(Math.round(duty * JOBS * NANOS), () -> { })).start();
            }
            double rate = bytesPerSecond / PACKET;
            new Arrivals(host.machine(), host.machine().random(), time -> rate, rate,
                    () -> host.io().transfer(guest, PACKET, () -> queue.submit(20_000, () -> { }))).start();
        }
        return waits(host);
    }

    private static Waits waits(Built host) {
        host.machine().run((long) NANOS);
        List<SimGuest> all = host.machine().guests();
        double[] before = all.stream().mapToDouble(guest -> guest.counts().waited()).toArray();
        host.machine().run((long) (SECONDS * NANOS));
        double[] percent = IntStream.range(0, all.size())
                .mapToDouble(i -> 100 * (all.get(i).counts().waited() - before[i]) / SECONDS).toArray();
        double sum = IntStream.range(0, percent.length).mapToDouble(i -> percent[i]).sum();
        return new Waits((sum - percent[0]) / (percent.length - 1), sum);
    }

    /** The square of the correlation of the values with 1, 2, 3 ... */
    static double linearity(List<Double> values) {
        int count = values.size();
        double meanX = (count - 1) / 2.0;
        double meanY = values.stream().mapToDouble(value -> value).average().orElseThrow();
        double xy = 0;
        double xx = 0;
        double yy = 0;
        for (int i = 0; i < count; i++) {
            double x = i - meanX;
            double y = values.get(i) - meanY;
            xy += x * y;
            xx += x * x;
            yy += y * y;
        }
        return xy * xy / (xx * yy);
    }

    @Override
    public String name() {
        return "waiting";
    }

    @Override
    public String about() {
        return "iTune, figures 2 to 7: waiting by CPU, virtual CPUs for each physical one, memory, network, size of the guests";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            cpu(findings, seed, "1: 12 guests of 1", of(12, 1));
            cpu(findings, seed, "2: 24 guests of 1", of(24, 1));
            findings.add(new Finding(name(), seed, "3: 24 guests touching memory (1 % CPU)", "a guest waits",
                    busy(of(24, 1), 0.01, seed).perGuest(), "%"));
            for (int duty : new int[] {0, 40}) {
                for (int kilobytes : new int[] {17, 64, 128, 256}) {
                    double all = networked(24, duty / 100.0, kilobytes * 1000, seed).all();
                    findings.add(new Finding(name(), seed, "4: 24 guests at " + duty + " %, network",
                            "all wait at " + kilobytes + " KB/s", all, "%"));
                }
            }
            cpu(findings, seed, "5: 2 guests each of 1, 2, 3", List.of(1, 2, 3, 1, 2, 3));
            cpu(findings, seed, "6: 4 guests each of 1, 2, 3", List.of(1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3));
            oneEach(findings, seed, "5", List.of(1, 2, 3, 1, 2, 3));
            oneEach(findings, seed, "6", List.of(1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3));
            progress.accept("seed " + seed);
        }
        return findings;
    }

    private static List<Integer> of(int guests, int size) {
        return IntStream.range(0, guests).mapToObj(i -> size).toList();
    }

    /** Guests of these sizes that are together as busy as one virtual CPU each can be, at most. */
    private void oneEach(List<Finding> findings, long seed, String arm, List<Integer> sizes) {
        Built host = host(seed);
        for (int i = 0; i < sizes.size(); i++) {
            double duty = 0.95 / sizes.get(i);
            host.machine().guest(GuestPlan.of("g" + i).vcpus(sizes.get(i)), host.pool(),
                    cpu -> lookbusy(host.machine(), duty));
        }
        findings.add(new Finding(name(), seed, arm + ", one CPU of work in each", "all wait at 95 %", waits(host).all(), "%"));
    }

    private void cpu(List<Finding> findings, long seed, String arm, List<Integer> sizes) {
        List<Double> curve = new ArrayList<>();
        for (int percent = 5; percent <= 100; percent += 5) {
            Waits waits = busy(sizes, percent / 100.0, seed);
            curve.add(waits.perGuest());
            if (percent % 25 == 0 || percent == 95) {
                findings.add(new Finding(name(), seed, arm, "a guest waits at " + percent + " %", waits.perGuest(), "%"));
                findings.add(new Finding(name(), seed, arm, "all wait at " + percent + " %", waits.all(), "%"));
            }
        }
        if (curve.get(curve.size() - 1) > 1) {
            findings.add(new Finding(name(), seed, arm, "linear in CPU: r squared", linearity(curve), ""));
        }
    }
}
