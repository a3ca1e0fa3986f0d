// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Virtual CPUs of the simulator are pinned and let go while they run. */
class SimPinsTest {
    private static final Duration TIME = Duration.ofSeconds(10);

    private Instant now = Instant.EPOCH;

    private HostSample pass(SimHost host) {
        now = now.plus(TIME);
        return host.sample(now, TIME);
    }

    private static GuestKnob pin(Guest guest) {
        return GuestKnob.of(KnobKind.AFFINITY, guest, 0);
    }

    @ParameterizedTest
    @EnumSource(SchedulerKind.class)
    void burnersThatArePinnedTogetherShareOneCpuUntilTheyAreLetGo(SchedulerKind kind) {
        SimMachine machine = new SimMachine(1);
        machine.pool("other", SchedulerKind.CREDIT, 1, new SchedulerSettings(30, 1000), SwitchCosts.BARE);
        SimPool pool = machine.pool("pool", kind, 2, new SchedulerSettings(30, 1000), SwitchCosts.BARE);
        for (String name : List.of("a", "b")) {
            machine.guest(GuestPlan.of(name), pool, index -> new Burner());
        }
        SimHost host = new SimHost(machine, 8L << 30);
        Guest a = host.guests().get(0);
        Guest b = host.guests().get(1);
        assertThat(pass(host).get(a, GuestMetric.CPU_RUN)).isEqualTo(1, offset(0.01));
        assertThat(host.get(pin(a))).isEqualTo(-1);

        host.set(pin(a), 2);
        host.set(pin(b), 2);
        HostSample together = pass(host);
        assertThat(together.get(a, GuestMetric.CPU_RUN)).isEqualTo(0.5, offset(0.02));
        assertThat(together.get(b, GuestMetric.CPU_RUN)).isEqualTo(0.5, offset(0.02));
        assertThat(host.get(pin(a))).as("numbered over all pools").isEqualTo(2);

        host.set(pin(b), 1);
        assertThat(pass(host).get(a, GuestMetric.CPU_RUN)).isEqualTo(1, offset(0.01));
        host.set(pin(a), 1);
        host.set(pin(a), -1);
        host.set(pin(b), -1);
        HostSample apart = pass(host);
        assertThat(apart.get(a, GuestMetric.CPU_RUN) + apart.get(b, GuestMetric.CPU_RUN)).isEqualTo(2, offset(0.02));
        assertThat(host.get(pin(b))).isEqualTo(-1);
        assertThat(host.notes()).as("nobody is pinned any more").isEmpty();
        assertThatThrownBy(() -> host.set(pin(a), 0)).as("another pool's").hasMessageContaining("expected a CPU of pool, 1 to 2");
        assertThatThrownBy(() -> host.set(pin(a), -5)).hasMessageContaining("expected a CPU, or -1 as at first");
        assertThatThrownBy(() -> host.get(GuestKnob.of(KnobKind.AFFINITY, a, 1))).hasMessageContaining("no such virtual CPU");
    }
}
