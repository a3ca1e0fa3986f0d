// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.ic2.host.lab.sim.Arrivals;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.CommunicationPattern;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.ParallelProgram;
import org.ic2.host.lab.sim.ParallelProgram.Waits;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;

/**
 * Perfect Xen's experiment: seven parallel kernels on guests of four virtual CPUs, twice as many of these as physical ones or more,
 * under Credit1 and Credit2. The kernels differ in how long they compute between two barriers, and in how a rank waits there. The
 * size of EP's loss on Credit2 is the cost of refilling caches that is put in; only its sign is a result.
 */
public final class ParallelKernels implements Simulation {
    /** Of a guest: one for each of its virtual CPUs. */
    private static final int RANKS = 4;
    private static final int TRIALS = 5;
    private static final long TOO_LONG = 600_000_000_000L;
    /** Of 0.15 ms each, a second: what Dom0 does by itself. */
    private static final int DOM0_JOBS = 600;
    private static final long DOM0_JOB = 150_000;
    /** CPU time of Dom0 for a message from guest to guest, ns. */
    private static final long MESSAGE = 40_000;
    /** And for each byte of it, ns: a copy at 1 GB/s. */
    private static final double PER_BYTE = 1;
    private static final SwitchCosts COSTS = SwitchCosts.of(60, 30);

    /** Where kernels run. */
    public enum Place {
        /** The thesis' host: a program over four guests on eight CPUs, with Dom0's own work and its network. */
        THESIS("kernels", 8, 4, true),
        /** As host/testbed/xen has real Xen run them: a program in each of two guests on two CPUs. */
        XEN("kernels-on-xen", 2, 2, false);

        private final String simulation;
        private final int cpus;
        private final int guests;
        private final boolean together;

        Place(String simulation, int cpus, int guests, boolean together) {
            this.simulation = simulation;
            this.cpus = cpus;
            this.guests = guests;
            this.together = together;
        }
    }

    private final Place place;

    /** The kernels in one place. */
    public ParallelKernels(Place place) {
        this.place = place;
    }

    /**
     * A kernel.
     *
     * @param name     of the NAS benchmark that it stands for
     * @param exchange who waits for whom
     * @param bytes    of a message
     * @param grain    mean CPU time of a step, s
     * @param total    CPU time of a rank, s
     */
    public record Kernel(String name, Waits waits, CommunicationPattern exchange, int bytes, double grain, double total) {
    }

    /**
     * What became of a kernel: means over trials.
     *
     * @param mean      of the run time, s
     * @param deviation standard deviation of the run time over its mean
     * @param guestCpu  CPU time of a guest, % of a CPU
     * @param switches  a second
     */
    public record Times(double mean, double deviation, double guestCpu, double switches) {
    }

    /** The seven kernels, as MPI waits. */
    public static List<Kernel> kernels() {
        return List.of(new Kernel("EP", Waits.NEVER, CommunicationPattern.ALL, 0, 0.005, 2),
                new Kernel("CG", Waits.SPINNING, CommunicationPattern.PAIRS, 28_000, 0.00015, 0.05),
                new Kernel("LU", Waits.SPINNING, CommunicationPattern.WAVEFRONT, 640, 0.00024, 0.12),
                new Kernel("SP", Waits.SPINNING, CommunicationPattern.SWEEPS, 12_000, 0.0007, 0.2),
                new Kernel("BT", Waits.SPINNING, CommunicationPattern.SWEEPS, 25_000, 0.0022, 0.4),
                new Kernel("MG", Waits.SPINNING, CommunicationPattern.NEIGHBOURS, 32_000, 0.005, 0.6),
                new Kernel("FT", Waits.SPINNING, CommunicationPattern.TRANSPOSITION, 131_000, 0.0015, 1.8));
    }

    /** Runs a kernel several times under a scheduler. */
    public Times times(Kernel kernel, SchedulerKind kind, long seed) {
        List<double[]> trials = LongStream.range(seed * 100, seed * 100 + TRIALS).mapToObj(i -> trial(kernel, kind, i)).toList();
        double mean = trials.stream().mapToDouble(trial -> trial[0]).average().orElseThrow();
        double squares = trials.stream().mapToDouble(trial -> (trial[0] - mean) * (trial[0] - mean)).sum();
        return new Times(mean, Math.sqrt(squares / (TRIALS - 1)) / mean,
                trials.stream().mapToDouble(trial -> trial[1]).average().orElseThrow(),
                trials.stream().mapToDouble(trial -> trial[2]).average().orElseThrow());
    }

    private double[] trial(Kernel kernel, SchedulerKind kind, long seed) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-0", kind, place.cpus, SchedulerSettings.DEFAULT, COSTS);
        Optional<Dom0Io> network = place.together ? Optional.of(dom0(machine, pool)) : Optional.empty();
        int ranks = place.together ? place.guests * RANKS : RANKS;
        int steps = (int) Math.round(kernel.total() / kernel.grain());
        List<ParallelProgram> programs = Stream.generate(() -> new ParallelProgram(machine, kernel.waits(), kernel.exchange(), ranks,
                kernel.grain(), steps, network, kernel.bytes())).limit(place.together ? 1 : place.guests).toList();
        List<SimGuest> guests = new ArrayList<>();
        for (int i = 0; i < place.guests; i++) {
            ParallelProgram program = programs.get(i % programs.size());
            guests.add(machine.guest(GuestPlan.of("g" + (i + 1)).vcpus(RANKS), pool, cpu -> program.rank()));
        }
        machine.runUntil(() -> programs.stream().anyMatch(ParallelProgram::done), TOO_LONG);
        double seconds = machine.now() / 1e9;
        double cpu = guests.stream().mapToDouble(guest -> guest.counts().run()).sum() / place.guests;
        return new double[] {seconds, 100 * cpu / seconds, pool.switches() / seconds};
    }

    /** Dom0, who has work of his own beside what passes over his network. */
    private static Dom0Io dom0(SimMachine machine, SimPool pool) {
        ServiceQueue work = new ServiceQueue(machine);
        machine.guest(GuestPlan.dom0().vcpus(2), pool, i -> work);
        new Arrivals(machine, machine.random(), time -> DOM0_JOBS, DOM0_JOBS, () -> work.submit(DOM0_JOB, () -> { })).start();
        return new Dom0Io(work, MESSAGE, PER_BYTE);
    }

    @Override
    public String name() {
        return place.simulation;
    }

    @Override
    public String about() {
        return switch (place) {
            case THESIS -> "Perfect Xen, 4.1: seven kernels on Credit1 and Credit2, and six of them with ranks that sleep while they wait";
            case XEN -> "the same as real Xen runs them in `make check-xen`: in each of two guests of four virtual CPUs on two CPUs";
        };
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Kernel> all = new ArrayList<>(kernels());
        kernels().stream().filter(kernel -> kernel.waits() == Waits.SPINNING).map(kernel -> new Kernel(kernel.name() + " asleep",
                Waits.BLOCKED, kernel.exchange(), kernel.bytes(), kernel.grain(), kernel.total())).forEach(all::add);
        List<Finding> findings = new ArrayList<>();
        for (Kernel kernel : all) {
            for (long seed : seeds) {
                Times one = times(kernel, SchedulerKind.CREDIT, seed);
                Times two = times(kernel, SchedulerKind.CREDIT2, seed);
                String arm = String.format(Locale.ROOT, "%s, %.3g ms", kernel.name(), 1000 * kernel.grain());
                findings.add(new Finding(name(), seed, arm, "time on credit", one.mean(), "s"));
                findings.add(new Finding(name(), seed, arm, "time on credit2", two.mean(), "s"));
                findings.add(new Finding(name(), seed, arm, "credit2 / credit", two.mean() / one.mean(), ""));
                findings.add(new Finding(name(), seed, arm, "deviation on credit", one.deviation(), "of the mean"));
                findings.add(new Finding(name(), seed, arm, "deviation on credit2", two.deviation(), "of the mean"));
                findings.add(new Finding(name(), seed, arm, "CPU of a guest on credit", one.guestCpu(), "%"));
                findings.add(new Finding(name(), seed, arm, "switches on credit", one.switches(), "1/s"));
                findings.add(new Finding(name(), seed, arm, "switches on credit2", two.switches(), "1/s"));
            }
            progress.accept(kernel.name());
        }
        return findings;
    }
}
