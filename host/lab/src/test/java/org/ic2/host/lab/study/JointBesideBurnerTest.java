// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.ic2.host.control.CpuBounds;
import org.ic2.host.control.JointController;
import org.ic2.host.control.JointSettings;
import org.ic2.host.control.Step;
import org.ic2.host.lab.sim.Arrivals;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.NextAction;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** In the simulator: a latency-sensitive server beside a best-effort burner on two CPUs is never worse off than without control. */
class JointBesideBurnerTest {
    private static final long MIB = 1L << 20;
    private static final Duration PERIOD = Duration.ofSeconds(3);
    private static final int TURNS = 200;
    private static final Map<String, CpuBounds> BOUNDS = Map.of("web", new CpuBounds(0.1, 1.9), "burner", new CpuBounds(0.1, 1.9));

    /** Mean response time of the server, ms, and CPUs that the burner used. */
    private record Outcome(double response, double burned) {
    }

    private static Outcome run(long seed, double target, Optional<JointSettings> settings) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-0", SchedulerKind.CREDIT, 2, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        machine.guest(GuestPlan.dom0(), pool, cpu -> idle -> NextAction.END);
        ServiceQueue queue = new ServiceQueue(machine);
        SimGuest web = machine.guest(GuestPlan.of("web").vcpus(2), pool, unused -> queue);
        SimGuest burner = machine.guest(GuestPlan.of("burner").vcpus(2), pool, unused -> new Burner());
        SimHost host = new SimHost(machine, 4096 * MIB);
        new Arrivals(machine, machine.random(), time -> 70, 70, () -> {
            long came = machine.now();
            queue.submit(12_000_000, () -> web.requests().add((machine.now() - came) / 1e9));
        }).start();
        Optional<JointController> controller = settings.map(JointController::new);
        JointController.State state = controller.map(JointController::begin).orElse(null);
        Instant time = Instant.EPOCH;
        for (int turn = 0; turn < TURNS; turn++) {
            time = time.plus(PERIOD);
            HostSample raw = host.sample(time, PERIOD);
            if (controller.isPresent()) {
                List<Guest> guests = raw.guests().stream().map(guest -> told(guest, target)).toList();
                Map<Knob, Integer> values = new TreeMap<>(Knob.ORDER);
                guests.forEach(guest -> values.put(GuestKnob.of(KnobKind.CAP, guest), host.get(GuestKnob.of(KnobKind.CAP, guest))));
                Step<JointController.State> step = controller.get().step(state, new HostWindow(List.of(new HostSample(raw.time(), raw.interval(),
                        guests, raw.byUuid(), raw.host()))), new HostView(guests, host.pools(), 4096 * MIB, 0, 2, Settings.of(values)));
                state = step.state();
                step.proposals().forEach(proposal -> host.set(proposal.knob(), proposal.value()));
            }
        }
        return new Outcome(1000 * web.requests().mean(0), burner.counts().run() / (TURNS * PERIOD.toSeconds()));
    }

    private static Guest told(Guest guest, double target) {
        return guest.guestClass() == GuestClass.HOST ? guest : new Guest(guest.id(), guest.uuid(), guest.name(), guest.vcpus(), guest.memMin(),
                guest.memMax(), guest.name().equals("web") ? GuestClass.LS1 : GuestClass.NLS, guest.name().equals("web") ? target : Double.NaN, Double.NaN);
    }

    @Test
    void theServerIsNoWorseOffThanWithoutControlAndTheBurnerNeither() {
        JointSettings caps = JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.CAP));
        int worse = 0;
        StringBuilder all = new StringBuilder();
        for (double target : new double[] {0.04, 0.1}) {
            for (long seed = 1; seed <= 4; seed++) {
                Outcome none = run(seed, target, Optional.empty());
                Outcome ours = run(seed, target, Optional.of(caps));
                Outcome always = run(seed, target, Optional.of(caps.saving()));
                String what = "target " + target + ", seed " + seed + ": none " + none + ", lacking " + ours + ", always " + always;
                assertThat(ours.response()).as(what).isLessThanOrEqualTo(1.05 * none.response());
                assertThat(ours.burned()).as(what).isGreaterThanOrEqualTo(0.97 * none.burned());
                all.append(what).append('\n');
                worse += always.response() > none.response() ? 1 : 0;
            }
        }
        assertThat(worse).as("the paper's way, of 8\n%s", all).isGreaterThanOrEqualTo(7);
    }
}
