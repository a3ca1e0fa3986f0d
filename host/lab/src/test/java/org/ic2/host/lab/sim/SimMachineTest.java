// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds on any simulated host, and what each scheduler does with simple guests. */
class SimMachineTest {
    private static final long SECOND = 1_000_000_000L;

    private static SimPool pool(SimMachine machine, SchedulerKind kind, int cpus) {
        return machine.pool("Pool-0", kind, cpus, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
    }

    private static SimMachine anything(long seed, SchedulerKind kind) {
        SplittableRandom random = new SplittableRandom(seed);
        SimMachine machine = new SimMachine(seed);
        SimPool pool = pool(machine, kind, random.nextInt(1, 5));
        ServiceQueue dom0 = new ServiceQueue(machine);
        machine.guest(GuestPlan.dom0().vcpus(random.nextInt(1, 3)), pool, i -> dom0);
        Dom0Io io = new Dom0Io(dom0, 40_000, 0);
        for (int i = 0; i < random.nextInt(1, 8); i++) {
            int vcpus = random.nextInt(1, 4);
            GuestPlan plan = GuestPlan.of("g" + i).vcpus(vcpus).weight(random.nextInt(1, 2000))
                    .cap(random.nextInt(3) == 0 ? random.nextInt(10, vcpus * 1000) : 0);
            plan = random.nextInt(4) == 0 ? plan.pinned(random.nextInt(pool.size())) : plan;
            work(machine, pool, plan, random.nextInt(5), io);
        }
        return machine;
    }

    private static void work(SimMachine machine, SimPool pool, GuestPlan plan, int which, Dom0Io io) {
        ServiceQueue queue = new ServiceQueue(machine);
        ParallelProgram program = ParallelProgram.withBarriers(machine, which == 3 ? ParallelProgram.Waits.SPINNING
                : ParallelProgram.Waits.BLOCKED, plan.vcpus(), 0.003, 1000);
        SimGuest guest = machine.guest(plan, pool, cpu -> switch (which) {
            case 0 -> new Burner();
            case 1 -> new DutyCycle(machine.random(), 0.4, 0.01);
            case 2 -> queue;
            default -> program.rank();
        });
        if (which == 2) {
            new Users(machine, machine.random(), guest, queue, io, 0.02, 0.001, 100, 1000).start(20);
        }
    }

    private static List<GuestCounts> counts(SimMachine machine) {
        return machine.guests().stream().map(SimGuest::counts).toList();
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void bookTheTimeOfEachVirtualCpuOnceAndNoMoreThanThereIs(SchedulerKind kind) {
        for (long seed = 1; seed <= 60; seed++) {
            SimMachine machine = anything(seed, kind);
            machine.run(2 * SECOND);

            double run = counts(machine).stream().mapToDouble(GuestCounts::run).sum();
            assertThat(run).as("seed " + seed).isLessThanOrEqualTo(2.0 * machine.pools().get(0).size() + 1e-6);
            for (SimGuest guest : machine.guests()) {
                for (VirtualCpu one : guest.vcpus()) {
                    long sum = 0;
                    for (VirtualCpu.Place place : VirtualCpu.Place.values()) {
                        assertThat(one.spent(place)).isNotNegative();
                        sum += one.spent(place);
                    }
                    assertThat(sum).as("seed " + seed + " " + one).isEqualTo(2 * SECOND);
                }
                assertThat(guest.plan().cap() > 0 || guest.counts().parked() == 0).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void sameSeedDoesTheSameAndAnotherDoesNot(SchedulerKind kind) {
        List<List<GuestCounts>> twice = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SimMachine machine = anything(7, kind);
            machine.run(SECOND);
            machine.run(SECOND);
            twice.add(counts(machine));
        }
        SimMachine other = anything(8, kind);
        other.run(2 * SECOND);

        assertThat(twice.get(0)).isEqualTo(twice.get(1));
        assertThat(counts(other)).isNotEqualTo(twice.get(0));
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void leavesNoCpuIdleWhileSomebodyWaits(SchedulerKind kind) {
        SimMachine machine = new SimMachine(1);
        SimPool pool = pool(machine, kind, 3);
        for (int i = 0; i < 5; i++) {
            machine.guest(GuestPlan.of("g" + i).weight(100 * (i + 1)), pool, cpu -> new Burner());
        }
        machine.guest(GuestPlan.of("now and then"), pool, cpu -> new DutyCycle(machine.random(), 0.1, 0.005));
        machine.run(3 * SECOND);

        assertThat(counts(machine).stream().mapToDouble(GuestCounts::run).sum()).isCloseTo(9, within(1e-6));
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void capHoldsBesideAnIdleCpu(SchedulerKind kind) {
        SimMachine machine = new SimMachine(1);
        SimPool pool = pool(machine, kind, 4);
        SimGuest one = machine.guest(GuestPlan.of("capped").cap(250), pool, cpu -> new Burner());
        SimGuest two = machine.guest(GuestPlan.of("wide").vcpus(2).cap(500), pool, cpu -> new Burner());
        machine.run(20 * SECOND);

        assertThat(one.counts().run() / 20).isCloseTo(0.25, within(0.02));
        assertThat(one.counts().parked() / 20).isCloseTo(0.75, within(0.02));
        assertThat(two.counts().run() / 20).isCloseTo(0.5, within(0.03));
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void whoWakesUpRunsAfterTheRateLimitAtTheLatest(SchedulerKind kind) {
        SimMachine machine = new SimMachine(3);
        SimPool pool = pool(machine, kind, 1);
        machine.guest(GuestPlan.of("burner"), pool, cpu -> new Burner());
        SimGuest waking = machine.guest(GuestPlan.of("waking"), pool, cpu -> new DutyCycle(machine.random(), 0.02, 0.01));
        machine.run(10 * SECOND);

        assertThat(waking.counts().waited() / waking.counts().wakeups()).isLessThan(0.0011);
    }

    @Test
    void rateLimitKeepsSwitchesDown() {
        List<Long> switches = new ArrayList<>();
        for (int micros : new int[] {0, 5000}) {
            SimMachine machine = new SimMachine(3);
            SimPool pool = machine.pool("p", SchedulerKind.CREDIT, 1, new SchedulerSettings(30, micros), SwitchCosts.BARE);
            machine.guest(GuestPlan.of("burner"), pool, cpu -> new Burner());
            machine.guest(GuestPlan.of("waking"), pool, cpu -> new DutyCycle(machine.random(), 0.1, 0.001));
            machine.run(5 * SECOND);
            switches.add(pool.switches());
        }
        assertThat(switches.get(1)).isLessThan(switches.get(0) / 2);
    }

    @Test
    void refusesWhatXenRefuses() {
        SimMachine machine = new SimMachine(1);
        SimPool pool = pool(machine, SchedulerKind.CREDIT, 2);
        assertThatThrownBy(() -> new SchedulerSettings(5, 9000)).hasMessageContaining("the time slice of 5000 us, got 9000");
        assertThatThrownBy(() -> new SchedulerSettings(0, 0)).hasMessageContaining("1 to 1000 ms, got 0");
        assertThatThrownBy(() -> new SchedulerSettings(30, 99)).hasMessageContaining("100 to 500000 us, got 99");
        assertThatThrownBy(() -> GuestPlan.of("g").weight(0)).hasMessageContaining("g: weight: expected 1 to 65535, got 0");
        assertThatThrownBy(() -> GuestPlan.of("g").cap(1001)).hasMessageContaining("expected 0 to 1000, got 1001");
        assertThatThrownBy(() -> machine.guest(GuestPlan.of("g").pinned(2), pool, cpu -> new Burner()))
                .hasMessageContaining("expected CPUs 0 to 1 of Pool-0");
    }

    @Test
    void serverDoesItsWorkInTheOrderInWhichItComes() {
        SimMachine machine = new SimMachine(1);
        ServiceQueue queue = new ServiceQueue(machine);
        machine.guest(GuestPlan.of("server"), pool(machine, SchedulerKind.CREDIT, 1), cpu -> queue);
        List<String> done = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = "job " + i;
            queue.submit(1000 * (3 - i), () -> done.add(name + " at " + machine.now() / 1000));
        }
        machine.run(SECOND);

        assertThat(done).containsExactly("job 0 at 8", "job 1 at 10", "job 2 at 11");
    }

    @Test
    void closedUsersKeepTheServerAsBusyAsTheyThink() {
        SimMachine machine = new SimMachine(1);
        SimPool pool = pool(machine, SchedulerKind.CREDIT, 2);
        ServiceQueue dom0 = new ServiceQueue(machine);
        SimGuest host = machine.guest(GuestPlan.dom0(), pool, cpu -> dom0);
        ServiceQueue queue = new ServiceQueue(machine);
        SimGuest server = machine.guest(GuestPlan.of("web"), pool, cpu -> queue);
        new Users(machine, machine.random(), server, queue, new Dom0Io(dom0, 40_000, 0), 0.5, 0.0006, 200, 1800).start(250);
        machine.run(20 * SECOND);

        assertThat(server.requests().count() / 20.0).isCloseTo(500, within(25.0));
        assertThat(server.counts().run() / 20).isCloseTo(0.3, within(0.02));
        assertThat(host.counts().run() / 20).isCloseTo(500 * 2 * 0.00004, within(0.01));
        assertThat(server.counts().netBytes() / 20).isCloseTo(500 * 2000, within(50_000.0));
        assertThat(server.requests().quantile(0, 0.5)).isLessThan(server.requests().quantile(0, 0.99));
    }
}
