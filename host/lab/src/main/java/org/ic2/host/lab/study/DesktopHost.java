// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.ic2.host.control.JointController;
import org.ic2.host.control.JointSettings;
import org.ic2.host.control.Step;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.MemAccess;
import org.ic2.host.lab.sim.MemoryModel;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.host.lab.sim.NextAction;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The host of the joint controller's last experiment (VI.C.2), in the simulator: Dom0 and vm1 on one processor, vm2 to vm4 on the
 * other, 3.5 GB for the four, desktop traces that peak at 85 % of a processor and 3.1 GB. What is not controlled has a fixed
 * quarter of the memory and no cap.
 */
final class DesktopHost {
    private static final long MIB = 1L << 20;
    private static final int GUESTS = 4;
    private static final long MEMORY = 3584 * MIB;
    /** What a guest may have. */
    private static final long MOST = 1024 * MIB;
    private static final double REQUEST = 0.015;
    private static final Duration PERIOD = Duration.ofSeconds(3);
    /** The paper's interval of response times: four of the controller's. */
    private static final int LISTEN = 4;

    private final SimMachine machine;
    private final SimHost host;
    private final List<SimGuest> guests = new ArrayList<>();
    private final double target;
    private final List<Controlled> controllers = new ArrayList<>();

    /** A controller with what it remembers and the CPUs that its guests have together. */
    private static final class Controlled {
        private final JointController controller;
        private final double cpus;
        private JointController.State state;

        Controlled(JointSettings settings, double cpus) {
            controller = new JointController(settings);
            this.cpus = cpus;
            state = controller.begin();
        }

        List<KnobProposal> step(HostWindow window, HostView view) {
            Step<JointController.State> step = controller.step(state, window, view);
            state = step.state();
            return step.proposals();
        }
    }

    /**
     * How it went.
     *
     * @param responses mean response time of each guest in each 12 s in which it had requests, s
     * @param run       CPUs that the four used, mean
     * @param allowed   CPUs that they were allowed, mean; a whole processor where there is no cap
     * @param memory    bytes that they had, mean
     * @param majflt    major faults a second, mean
     */
    record Watched(List<List<Double>> responses, double run, double allowed, double memory, double majflt) {
    }

    DesktopHost(long seed, int minutes, double target) {
        this.target = target;
        machine = new SimMachine(seed);
        SimPool first = pool("Pool-0");
        SimPool second = pool("Pool-1");
        machine.guest(GuestPlan.dom0(), first, cpu -> idle -> NextAction.END);
        SplittableRandom random = machine.random();
        DesktopTrace cpu = DesktopTrace.draw(random, GUESTS, minutes, 0.15).withPeak(0.85, 0).withPeak(0.85, 1, 2, 3);
        DesktopTrace heap = DesktopTrace.draw(random, GUESTS, minutes, 0.35).withPeak(3100 * MIB, MemoryModel.PAPER.knee() * MOST, 0, 1, 2, 3);
        host = new SimHost(machine, MEMORY + 512 * MIB);
        for (int i = 0; i < GUESTS; i++) {
            int guest = i;
            ServiceQueue queue = new ServiceQueue(machine);
            SimGuest vm = machine.guest(GuestPlan.of("vm" + (i + 1)).memory(MEMORY / GUESTS, 64 * MIB, MEMORY),
                    i == 0 ? first : second, unused -> queue);
            MemAccess access = new MemAccess(machine, vm, queue, MemoryModel.PAPER, time -> heap.at(guest, time), REQUEST);
            access.start(time -> cpu.at(guest, time) / REQUEST, cpu.most(guest) / REQUEST);
            host.uses(vm, access::used);
            guests.add(vm);
        }
    }

    private SimPool pool(String name) {
        return machine.pool(name, SchedulerKind.CREDIT, 1, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
    }

    /** A controller moves these guests' knobs. */
    DesktopHost controlled(JointSettings settings, double cpus) {
        controllers.add(new Controlled(settings, cpus));
        return this;
    }

    /** Lets it go on for so many minutes. */
    Watched watch(int minutes) {
        List<List<Double>> responses = new ArrayList<>();
        guests.forEach(guest -> responses.add(new ArrayList<>()));
        double allowed = 0;
        double memory = 0;
        int turns = minutes * 60 / (int) PERIOD.toSeconds();
        int[] from = new int[GUESTS];
        Instant time = Instant.EPOCH;
        for (int turn = 1; turn <= turns; turn++) {
            time = time.plus(PERIOD);
            turn(host.sample(time, PERIOD));
            for (int i = 0; i < GUESTS; i++) {
                SimGuest guest = guests.get(i);
                allowed += guest.cap() == 0 ? 1.0 / turns : guest.cap() / 1000.0 / turns;
                memory += (double) guest.memory() / turns;
                if (turn % LISTEN == 0 && guest.requests().count() > from[i]) {
                    responses.get(i).add(guest.requests().mean(from[i]));
                    from[i] = guest.requests().count();
                }
            }
        }
        double seconds = minutes * 60.0;
        return new Watched(responses, guests.stream().mapToDouble(guest -> guest.counts().run()).sum() / seconds, allowed, memory,
                guests.stream().mapToDouble(guest -> guest.counts().majflt()).sum() / seconds);
    }

    private void turn(HostSample raw) {
        List<Guest> tenants = raw.guests().stream().map(this::told).toList();
        HostSample sample = new HostSample(raw.time(), raw.interval(), tenants, raw.byUuid(), raw.host());
        Map<Knob, Integer> values = new TreeMap<>(Knob.ORDER);
        for (Guest guest : tenants) {
            for (KnobKind kind : List.of(KnobKind.CAP, KnobKind.MEMORY)) {
                GuestKnob knob = GuestKnob.of(kind, guest);
                values.put(knob, host.get(knob));
            }
        }
        List<KnobProposal> proposals = new ArrayList<>();
        for (Controlled one : controllers) {
            HostView view = new HostView(tenants, host.pools(), MEMORY, host.free(), one.cpus, Settings.of(values));
            proposals.addAll(one.step(new HostWindow(List.of(sample)), view));
        }
        proposals.sort(Comparator.comparing(proposal -> proposal.value() > host.get(proposal.knob())));
        proposals.forEach(this::apply);
    }

    /** Shrinks come first; a grow takes no more than what is free. */
    private void apply(KnobProposal proposal) {
        GuestKnob knob = proposal.knob();
        int most = knob.kind() == KnobKind.MEMORY ? host.get(knob) + (int) (host.free() / MIB) : 1000;
        int value = Math.min(most, proposal.value());
        host.set(knob, knob.kind() == KnobKind.CAP ? Math.max(10, value) : value);
    }

    private Guest told(Guest guest) {
        boolean host = guest.guestClass() == GuestClass.HOST;
        return host ? guest : new Guest(guest.id(), guest.uuid(), guest.name(), guest.vcpus(), 230 * MIB, MOST,
                GuestClass.LS1, target, Double.NaN);
    }
}
