// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.learn.Scaling;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Readings;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** iTune's Observer: when a region's setting is loaded, and when not. */
class RegionObserverTest {
    private static final Set<KnobKind> ALL = EnumSet.of(KnobKind.WEIGHT, KnobKind.TSLICE, KnobKind.RATELIMIT);
    private static final Library LIBRARY = new Library(
            new Scaling(Scaling.Kind.NONE, List.of(0.0, 0.0, 0.0, 0.0), List.of(1.0, 1.0, 1.0, 1.0)), 0.8,
            List.of(region(1, 20, Optional.of(SchedulerVector.credit1())), region(2, 60, Optional.of(SchedulerVector.table3())),
                    region(3, 90, Optional.empty())));
    private static final Guest DOM0 = Hosts.guest("Domain-0", GuestClass.HOST);
    private static final Guest WEB = Hosts.guest("web", GuestClass.LS1);
    private static final Guest BATCH = Hosts.guest("batch", GuestClass.NLS);
    private static final List<Guest> GUESTS = List.of(DOM0, WEB, BATCH);
    private static final HostView HOST = Hosts.view(GUESTS, 2, 4096, 1024,
            Hosts.settings(KnobKind.WEIGHT, GUESTS, 256, 256, 256),
            Settings.of(GuestKnob.of(KnobKind.TSLICE, Hosts.POOL), 30),
            Settings.of(GuestKnob.of(KnobKind.RATELIMIT, Hosts.POOL), 1000));

    private final RegionObserver observer = new RegionObserver(LIBRARY, Duration.ofSeconds(15), 5, ALL);
    private RegionObserver.State state = observer.begin();
    private Step<RegionObserver.State> last;

    private static Region region(int number, double cpu, Optional<SchedulerVector> vector) {
        return new Region(number, List.of(cpu, 2.0, 10.0, 5.0), 8, 100,
                vector.map(setting -> new RegionSettings(setting, 100, 80, 0.1, "test")));
    }

    private static HostWindow load(double cpu) {
        return Hosts.window(Duration.ofSeconds(15), List.of(), List.of(), new Readings<>(HostMetric.class)
                .with(HostMetric.CPU_UTIL, cpu / 100).with(HostMetric.VCPU_RATIO, 2).with(HostMetric.VM_COUNT, 10)
                .with(HostMetric.NET_RATE, 5));
    }

    private void observe(double cpu, int times) {
        for (int i = 0; i < times; i++) {
            last = observer.step(state, load(cpu), HOST);
            state = last.state();
        }
    }

    @Test
    void theFifthConfirmationInARowLoads() {
        observe(21, 4);
        assertThat(state.loaded()).isZero();
        assertThat(last.proposals()).isEmpty();
        assertThat(last.held()).singleElement().asString().startsWith("region 1 (CPU 20.0 %").endsWith("confirmed 4 times of 5");
        observe(21, 1);
        assertThat(state.loaded()).isEqualTo(1);
        assertThat(last.held()).isEmpty();
        // 5 x 15 s
        assertThat(observer.period().multipliedBy(5)).isEqualTo(Duration.ofSeconds(75));
    }

    @Test
    void theSettingGoesToEachGuestByItsClassAndToThePool() {
        observe(60, 5);
        assertThat(last.proposals()).extracting(proposal -> proposal.knob().label() + " " + proposal.value())
                .containsExactly("Pool-0's tslice 34", "Pool-0's ratelimit 1600", "Domain-0's weight 62208", "web's weight 43008",
                        "batch's weight 256");
        assertThat(last.proposals().get(0).why().numbers()).containsEntry("region", 2.0).containsEntry("cpu_percent", 60.0)
                .containsEntry("vm_count", 10.0);
        assertThat(last.proposals()).allMatch(proposal -> proposal.controller().equals("schedule"));
    }

    @Test
    void fourThenAnotherBeginAnew() {
        observe(20, 5);
        observe(60, 4);
        observe(20, 1);
        observe(60, 4);
        assertThat(state.loaded()).isEqualTo(1);
        observe(60, 1);
        assertThat(state.loaded()).isEqualTo(2);
    }

    @Test
    void theSameRegionIsNotLoadedAgain() {
        observe(20, 5);
        RegionObserver.State loaded = state;
        observe(20, 20);
        assertThat(state).isEqualTo(loaded);
        assertThat(last.proposals()).hasSize(5);
        assertThat(last.held()).isEmpty();
    }

    @Test
    void unknownLoadChangesNothingAndBreaksTheRow() {
        observe(60, 5);
        observe(20, 4);
        observe(40, 1);
        assertThat(last.held()).singleElement().asString().startsWith("unknown load (CPU 40.0 %").contains("20.00 from region 1")
                .endsWith("within 8.00");
        assertThat(last.proposals()).extracting(proposal -> proposal.value()).contains(34);
        observe(20, 4);
        assertThat(state.loaded()).isEqualTo(2);
    }

    @Test
    void whatIsMissingHolds() {
        observe(60, 5);
        HostWindow blind = Hosts.window(Duration.ofSeconds(15), List.of(), List.of(),
                load(20).last().host().without(HostMetric.NET_RATE, "no counters"));
        last = observer.step(state, blind, HOST);
        assertThat(last.held()).containsExactly("net.rate: no counters");
        assertThat(last.state().loaded()).isEqualTo(2);
        assertThat(last.proposals()).hasSize(5);
    }

    @Test
    void aRegionWithoutASettingChangesNothing() {
        observe(20, 5);
        observe(90, 7);
        assertThat(state.loaded()).isEqualTo(1);
        assertThat(last.held()).singleElement().asString().contains("ic2-host optimize");
    }

    @Test
    void onlyWhatItOwnsAndWhatIsKnownIsMoved() {
        RegionObserver weights = new RegionObserver(LIBRARY, Duration.ofSeconds(15), 1, EnumSet.of(KnobKind.WEIGHT));
        assertThat(weights.step(weights.begin(), load(60), HOST).proposals()).hasSize(3)
                .allMatch(proposal -> proposal.knob().kind() == KnobKind.WEIGHT);
        HostView linux = Hosts.view(GUESTS, 2, 4096, 1024, Hosts.settings(KnobKind.WEIGHT, List.of(WEB), 256));
        RegionObserver all = new RegionObserver(LIBRARY, Duration.ofSeconds(15), 1, ALL);
        assertThat(all.step(all.begin(), load(60), linux).proposals()).extracting(proposal -> proposal.knob().label())
                .containsExactly("web's weight");
    }

    @Test
    void itExplainsItselfAndRefusesOthersKnobs() {
        assertThat(observer.explain()).hasSize(5).anyMatch(line -> line.contains("after 5 times in a row"))
                .anyMatch(line -> line.contains("region 2") && line.contains("LS1 43008")
                && line.contains("held-out gain 10.0 %"))
                .anyMatch(line -> line.contains("region 3") && line.endsWith("no setting"));
        assertThatIllegalArgumentException().isThrownBy(() -> new RegionObserver(LIBRARY, Duration.ofSeconds(15), 5,
                EnumSet.of(KnobKind.CAP))).withMessageContaining("got [cap]");
        assertThatIllegalArgumentException().isThrownBy(() -> new RegionObserver(LIBRARY, Duration.ofSeconds(15), 0, ALL))
                .withMessageContaining("confirm");
    }
}
