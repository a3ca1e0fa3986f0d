// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.junit.jupiter.api.Test;

class SimHostTest {
    private static final long MIB = 1L << 20;

    private final SimMachine machine = new SimMachine(1);
    private final SimPool pool = machine.pool("Pool-0", SchedulerKind.CREDIT, 2, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
    private final SimGuest dom0 = machine.guest(GuestPlan.dom0(), pool, cpu -> unused -> NextAction.END);
    private final SimGuest burner = machine.guest(GuestPlan.of("burner").vcpus(2).memory(256 * MIB, 128 * MIB, 1024 * MIB), pool,
            cpu -> new Burner());
    private final SimHost host = new SimHost(machine, 1024 * MIB);

    private Guest guest(String name) {
        return host.guests().stream().filter(guest -> guest.name().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void tellsOfGuestsPoolsAndMemory() {
        assertThat(host.guests()).extracting(Guest::name).containsExactly("Domain-0", "burner");
        assertThat(guest("Domain-0").guestClass()).isEqualTo(GuestClass.HOST);
        assertThat(guest("burner").memMax()).isEqualTo(1024 * MIB);
        assertThat(host.pools()).containsExactly(new Pool("Pool-0", "credit", List.of(0, 1)));
        assertThat(host.free()).isEqualTo(256 * MIB);
        assertThatThrownBy(() -> new SimHost(machine, 512 * MIB)).hasMessageContaining("at first, 768 MiB, got 512 MiB");
    }

    @Test
    void samplesTheTimeThatPasses() {
        HostSample first = host.sample(Instant.EPOCH, Duration.ZERO);
        HostSample second = host.sample(Instant.EPOCH.plusSeconds(3), Duration.ofSeconds(3));

        assertThat(first.get(guest("burner"), GuestMetric.CPU_RUN)).isNaN();
        assertThat(first.byUuid().get(guest("burner").uuid()).why(GuestMetric.CPU_RUN)).isEqualTo("no time has passed");
        assertThat(second.get(guest("burner"), GuestMetric.CPU_RUN)).isCloseTo(2, within(1e-6));
        assertThat(second.get(guest("burner"), GuestMetric.MEM_ALLOC)).isEqualTo(256 * MIB);
        assertThat(second.get(guest("burner"), GuestMetric.MEM_USED)).isNaN();
        assertThat(second.get(guest("burner"), GuestMetric.APP_REQUESTS)).isZero();
        assertThat(second.get(guest("burner"), GuestMetric.APP_RT)).isNaN();
        assertThat(second.get(HostMetric.CPU_UTIL)).isCloseTo(1, within(1e-6));
        assertThat(second.get(HostMetric.VCPU_RATIO)).isEqualTo(1);
        assertThat(second.get(HostMetric.VM_COUNT)).isEqualTo(1);
        assertThat(dom0.counts().run()).isZero();
    }

    @Test
    void movesKnobsAndRefusesWhatCannotBe() {
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, guest("burner"));
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, guest("burner"));
        GuestKnob slice = GuestKnob.of(KnobKind.TSLICE, host.pools().get(0));
        GuestKnob limit = GuestKnob.of(KnobKind.RATELIMIT, host.pools().get(0));

        host.set(memory, 512);
        host.set(cap, 500);
        host.set(GuestKnob.of(KnobKind.WEIGHT, guest("burner")), 1024);
        host.set(slice, 5);
        host.set(limit, 5000);
        assertThat(List.of(host.get(memory), host.get(cap), host.get(slice), host.get(limit)))
                .containsExactly(512, 500, 5, 5000);
        assertThat(burner.weight()).isEqualTo(1024);
        host.set(memory, 1);
        assertThat(host.get(memory)).as("the balloon stops at its floor").isEqualTo(128);

        assertThatThrownBy(() -> host.set(memory, 600)).hasMessageContaining("at most 512 MiB, which is all that is free");
        assertThatThrownBy(() -> host.set(slice, 4)).hasMessageContaining("at most the time slice of 4000 us, got 5000");
        assertThatThrownBy(() -> host.set(cap, 2001)).hasMessageContaining("expected 0 to 2000, got 2001");
        Guest gone = new Guest("9", "gone", "gone", 1, 0, 0, GuestClass.NLS, Double.NaN, Double.NaN);
        assertThatThrownBy(() -> host.get(GuestKnob.of(KnobKind.CAP, gone))).hasMessageContaining("no such guest");
    }

    @Test
    void saysWhoseWeightPinningMakesVoid() {
        assertThat(host.notes()).isEmpty();
        machine.guest(GuestPlan.of("pinned").pinned(1), pool, cpu -> new Burner());
        assertThat(host.notes()).singleElement().asString().startsWith("pinned is pinned to part of Pool-0");
    }

    @Test
    void simulatorAndStudiesDoNoInputOutputAndKnowNoClock() throws IOException {
        for (String folder : List.of("sim", "study")) {
            try (Stream<Path> files = Files.list(Path.of("src/main/java/org/ic2/host/lab", folder))) {
                List<Path> all = files.toList();
                assertThat(all).hasSizeGreaterThan(5);
                for (Path file : all) {
                    assertThat(Files.readString(file)).as(file.toString())
                            .doesNotContainPattern(
                                    "import java\\.(io|nio\\.file)|\\bClock\\b|Instant\\.now|nanoTime|Random\\(\\)");
                }
            }
        }
    }
}
