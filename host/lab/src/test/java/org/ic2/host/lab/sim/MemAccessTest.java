// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The memory's knee as the joint controller's paper measured it (figures 2 to 4). */
class MemAccessTest {
    private static final long MIB = 1L << 20;

    private static SimGuest served(double heap, double allocation) {
        SimMachine machine = new SimMachine(5);
        SimPool pool = machine.pool("p", SchedulerKind.CREDIT, 1, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        ServiceQueue queue = new ServiceQueue(machine);
        SimGuest guest = machine.guest(GuestPlan.of("vm").memory((long) allocation, 0, 2048 * MIB), pool, cpu -> queue);
        new MemAccess(machine, guest, queue, MemoryModel.PAPER, time -> heap, 0.012).start(time -> 30, 30);
        machine.run(50_000_000_000L);
        return guest;
    }

    @Test
    void responseIsFlatBeforeNinetyPercentAndFallsOffACliffBeyondTheSameForEveryHeap() {
        for (double heap : new double[] {300 * MIB, 400 * MIB, 500 * MIB}) {
            SimGuest plenty = served(heap, 1024 * MIB);
            SimGuest before = served(heap, heap / 0.89);
            SimGuest beyond = served(heap, heap / 0.99);

            assertThat(plenty.requests().mean(0)).isBetween(0.012, 0.03);
            assertThat(before.requests().mean(0)).isLessThan(1.5 * plenty.requests().mean(0));
            assertThat(before.counts().majflt()).isZero();
            assertThat(beyond.requests().mean(0)).isGreaterThan(5 * plenty.requests().mean(0));
            assertThat(beyond.counts().majflt()).isGreaterThan(100);
            assertThat(beyond.counts().stalled()).isBetween(1.0, 51.0);
            assertThat(beyond.counts().run()).isGreaterThan(plenty.counts().run());
        }
    }

    @Test
    void whatHasNoRoomIsMissing() {
        MemoryModel model = MemoryModel.PAPER;
        assertThat(model.missing(90, 100)).isZero();
        assertThat(model.missing(100, 100)).isCloseTo(0.1, within(1e-9));
        assertThat(model.used(120, 100)).isEqualTo(100);
        assertThatThrownBy(() -> new MemoryModel(0, 1, 0, 0)).hasMessageContaining("knee above 0 and up to 1");
    }
}
