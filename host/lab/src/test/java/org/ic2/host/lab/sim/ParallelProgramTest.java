// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.ParallelProgram.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ParallelProgramTest {

    /** Two guests of eight ranks on sixteen CPUs, so that nobody waits for a CPU. */
    private static double seconds(CommunicationPattern exchange, Waits waits, int steps) {
        SimMachine machine = new SimMachine(1);
        SimPool pool = machine.pool("Pool-0", SchedulerKind.CREDIT, 17, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        ServiceQueue dom0 = new ServiceQueue(machine);
        machine.guest(GuestPlan.dom0(), pool, cpu -> dom0);
        ParallelProgram program = new ParallelProgram(machine, waits, exchange, 16, 0.001, steps,
                Optional.of(new Dom0Io(dom0, 1000, 0)), 100);
        for (int i = 0; i < 2; i++) {
            machine.guest(GuestPlan.of("g" + i).vcpus(8), pool, cpu -> program.rank());
        }
        assertThat(machine.runUntil(program::done, 100_000_000_000L)).as(exchange + " comes to its end").isTrue();
        assertThat(program.ended()).isEqualTo(16L * steps);
        return machine.now() / 1e9;
    }

    @ParameterizedTest
    @EnumSource(CommunicationPattern.class)
    void comesToItsEndHoweverItsRanksWait(CommunicationPattern exchange) {
        double never = seconds(exchange, Waits.NEVER, 1205);
        double spinning = seconds(exchange, Waits.SPINNING, 1205);
        double asleep = seconds(exchange, Waits.BLOCKED, 1205);

        assertThat(never).isCloseTo(1.2, within(0.15));
        assertThat(spinning).as("the slowest of each step, and the messages").isBetween(never, 3 * never);
        assertThat(asleep).isBetween(never, 3 * never);
    }

    @ParameterizedTest
    @EnumSource(CommunicationPattern.class)
    void nobodyWaitsForItselfOrForSomebodyWhoIsNotThere(CommunicationPattern exchange) {
        for (int ranks : new int[] {4, 16}) {
            exchange.check(ranks);
            for (int step = 0; step < 600; step++) {
                for (int rank = 0; rank < ranks; rank++) {
                    int[] needs = exchange.needs(rank, step, ranks);
                    assertThat(Arrays.stream(needs).distinct().count()).isEqualTo(needs.length);
                    for (int other : needs) {
                        assertThat(other).as("%s of %d at %d", exchange, rank, step).isBetween(0, ranks - 1).isNotEqualTo(rank);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CommunicationPattern.class)
    void theWorkOfItsStepsIsOneInTheMean(CommunicationPattern exchange) {
        int cycle = 5 * 7 * 3 * 241;
        assertThat(IntStream.range(0, cycle).mapToDouble(step -> exchange.work(step, 16)).average().orElseThrow())
                .isCloseTo(1, within(0.001));
    }

    @Test
    void partnersOfCgAndFtAreEachOthers() {
        for (CommunicationPattern exchange : new CommunicationPattern[] {CommunicationPattern.PAIRS, CommunicationPattern.TRANSPOSITION}) {
            for (int step = 1; step < 600; step++) {
                for (int rank = 0; rank < 16; rank++) {
                    for (int partner : exchange.needs(rank, step, 16)) {
                        assertThat(exchange.needs(partner, step, 16)).containsExactly(rank);
                    }
                }
            }
        }
    }

    @Test
    void aWaveGoesFromCornerToCornerAndBack() {
        assertThat(CommunicationPattern.WAVEFRONT.needs(0, 0, 16)).isEmpty();
        assertThat(CommunicationPattern.WAVEFRONT.needs(5, 0, 16)).containsExactlyInAnyOrder(1, 4);
        assertThat(CommunicationPattern.WAVEFRONT.needs(15, 62, 16)).isEmpty();
        assertThat(CommunicationPattern.WAVEFRONT.needs(5, 62, 16)).containsExactlyInAnyOrder(9, 6);
    }

    @Test
    void ranksThatMakeNoGridAreRefused() {
        SimMachine machine = new SimMachine(1);
        assertThatIllegalArgumentException().isThrownBy(() -> new ParallelProgram(machine, Waits.SPINNING, CommunicationPattern.SWEEPS, 6, 0.001, 1,
                Optional.empty(), 0)).withMessageContaining("SWEEPS").withMessageContaining("got 6");
        assertThatIllegalArgumentException().isThrownBy(() -> CommunicationPattern.PAIRS.check(1));
        assertThatIllegalArgumentException().isThrownBy(() -> CommunicationPattern.NEIGHBOURS.check(12));
    }
}
