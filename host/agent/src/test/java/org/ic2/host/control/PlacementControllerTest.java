// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ic2.host.control.PlacementController.State;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Topology;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** A plan as knobs, and as commands for a person. */
class PlacementControllerTest {
    private static final Pool EIGHT = new Pool("Pool-0", "credit", IntStream.range(0, 8).boxed().toList());

    private static PlacementController controller(boolean pins, boolean declared, Map<String, Integer> sizes) {
        return new PlacementController(new PlacementSettings(pins, new WorkloadProfiler(declared, declared ? 1 : 1e6, Optional.empty()),
                MemoryIntensity.USUAL, Duration.ofSeconds(15), sizes));
    }

    private static Guest guest(String id, String name, int vcpus, GuestClass guestClass, double intensity) {
        return new Guest(id, name + "-1", name, vcpus, 1, 2, guestClass, Double.NaN, intensity);
    }

    private static List<Guest> paper() {
        List<Guest> guests = new ArrayList<>(List.of(guest("0", "Domain-0", 8, GuestClass.HOST, Double.NaN),
                guest("1", "cache", 2, GuestClass.LS1, 0.2)));
        IntStream.range(0, 6).forEach(i -> guests.add(guest("" + (2 + i), "lbm" + i, 1, GuestClass.NLS, 1)));
        IntStream.range(0, 6).forEach(i -> guests.add(guest("" + (8 + i), "sjeng" + i, 1, GuestClass.NLS, Double.NaN)));
        return guests;
    }

    private static HostView view(List<Guest> guests, Map<GuestKnob, Integer> inForce, double cpus, Pool... pools) {
        return new HostView(guests, List.of(pools), 1, 1, cpus, Settings.of(inForce));
    }

    private static Map<GuestKnob, Integer> free(List<Guest> guests) {
        Map<GuestKnob, Integer> free = new LinkedHashMap<>();
        guests.stream().filter(guest -> guest.guestClass() != GuestClass.HOST)
                .forEach(guest -> GuestKnob.all(KnobKind.AFFINITY, guest).forEach(knob -> free.put(knob, -1)));
        return free;
    }

    private static HostWindow unmeasured(List<Guest> guests) {
        return Hosts.window(guests, guests.stream().map(guest -> Hosts.readings()).toList());
    }

    @Test
    void thePlanBecomesAffinitiesAndASecondCallChangesNothing() {
        List<Guest> guests = paper();
        PlacementController controller = controller(true, true, Map.of());
        Map<GuestKnob, Integer> inForce = free(guests);
        Step<State> first = controller.step(controller.begin(), unmeasured(guests), view(guests, inForce, 8, EIGHT));

        assertThat(first.held()).isEmpty();
        assertThat(first.proposals()).hasSize(14).allMatch(proposal -> proposal.knob().kind() == KnobKind.AFFINITY
                && proposal.controller().equals("placement"));
        assertThat(first.proposals().get(0).knob()).isEqualTo(GuestKnob.of(KnobKind.AFFINITY, guests.get(1), 0));
        assertThat(first.proposals().get(0).why().numbers()).containsEntry("dedicated cores", 2.0).containsEntry("memory cores", 3.0);
        first.proposals().forEach(proposal -> inForce.put(proposal.knob(), proposal.value()));
        Step<State> second = controller.step(first.state(), unmeasured(guests), view(guests, inForce, 8, EIGHT));
        assertThat(second.proposals()).allMatch(proposal -> inForce.get(proposal.knob()) == proposal.value());
        // nor does an agent that was started anew
        Step<State> anew = controller.step(controller.begin(), unmeasured(guests), view(guests, inForce, 8, EIGHT));
        assertThat(anew.proposals()).isEqualTo(second.proposals());
    }

    @Test
    void siblingsStayIdleHelpersGoToTheOthersAndThePriceIsSaid() {
        List<Guest> guests = List.of(guest("1", "cache", 2, GuestClass.LS1, 0.2), guest("2", "burn", 2, GuestClass.NLS, 0.1),
                guest("3", "batch", 2, GuestClass.NLS, 0.1));
        Pool pool = new Pool("linux", "cfs", List.of(0, 1, 2, 3, 4, 5), new Topology(Map.of(3, 0, 4, 1, 5, 2), Map.of()));
        Map<GuestKnob, Integer> inForce = free(guests);
        guests.forEach(guest -> inForce.put(GuestKnob.of(KnobKind.CPUSET, guest), 0x3f));
        PlacementController controller = controller(true, true, Map.of());
        HostWindow window = Hosts.window(guests, List.of(Hosts.readings(GuestMetric.CPU_RUN, 1.5), Hosts.readings(GuestMetric.CPU_RUN, 1.75),
                Hosts.readings(GuestMetric.CPU_RUN, 1)));
        Step<State> step = controller.step(controller.begin(), window, view(guests, inForce, 6, pool));

        assertThat(step.proposals()).filteredOn(proposal -> proposal.knob().kind() == KnobKind.AFFINITY).extracting(KnobProposal::value)
                .containsExactly(0, 1, 2, 5, 2, 5);
        assertThat(step.proposals()).filteredOn(proposal -> proposal.knob().kind() == KnobKind.CPUSET).hasSize(3)
                .allMatch(proposal -> CpuSets.cpus(proposal.value()).equals(List.of(2, 5)) && proposal.why().formula().startsWith("emulator and I/O threads"));
        assertThat(step.proposals().get(0).why().numbers()).containsEntry("idle siblings", 2.0);
        assertThat(step.held()).containsExactly("alarm: the guests without a core of their own use 2.75 CPUs, and the plan has 2 for them: they lose 0.75");
        assertThat(controller.step(controller.begin(), unmeasured(guests), view(guests, inForce, 6, pool)).held()).as("not measured").isEmpty();
        Pool flat = new Pool("linux", "cfs", pool.cpus());
        assertThat(controller.step(controller.begin(), window, view(guests, inForce, 6, flat)).held()).as("four are left").isEmpty();
    }

    @Test
    void theReserveIsTheLowestCpus() {
        List<Guest> guests = paper();
        Step<State> step = controller(true, true, Map.of()).step(new State(java.util.Set.of(), Map.of()), unmeasured(guests),
                view(guests, free(guests), 6.5, EIGHT));

        assertThat(step.proposals()).extracting(KnobProposal::value).doesNotContain(0, 1).contains(2, 7);
    }

    @Test
    void guestsWithoutVirtualCpusGetSets() {
        List<Guest> guests = List.of(guest("/web", "web", 4, GuestClass.LS1, 0.1), guest("/burn", "burn", 4, GuestClass.NLS, 0.9),
                guest("/batch", "batch", 4, GuestClass.NLS, 0.1));
        PlacementController controller = controller(true, true, Map.of("web", 1));
        Map<GuestKnob, Integer> inForce = new LinkedHashMap<>();
        guests.forEach(guest -> inForce.put(GuestKnob.of(KnobKind.CPUSET, guest), 0));
        Pool four = new Pool("linux", "cfs", List.of(0, 1, 2, 3));
        Step<State> step = controller.step(controller.begin(), unmeasured(guests), view(guests, inForce, 4, four));

        assertThat(step.proposals()).extracting(proposal -> CpuSets.cpus(proposal.value()))
                .containsExactly(List.of(0), List.of(1), List.of(2, 3));
        step.proposals().forEach(proposal -> inForce.put(proposal.knob(), proposal.value()));
        for (State state : List.of(step.state(), controller.begin())) {
            assertThat(controller.step(state, unmeasured(guests), view(guests, inForce, 4, four)).proposals())
                    .allMatch(proposal -> inForce.get(proposal.knob()) == proposal.value());
        }
    }

    @Test
    void whatIsNotKnownIsHeldWithItsReason() {
        List<Guest> guests = List.of(guest("1", "cache", 1, GuestClass.LS1, Double.NaN), guest("2", "new", 1, GuestClass.NLS, Double.NaN),
                guest("3", "said", 1, GuestClass.NLS, 0.9), guest("4", "hidden", 1, GuestClass.LS2, 0.1));
        Map<GuestKnob, Integer> inForce = free(guests.subList(0, 3));
        PlacementController controller = controller(true, false, Map.of());
        HostWindow window = Hosts.window(guests, List.of(Hosts.readings(GuestMetric.MEM_INTENSITY, 2e5),
                Hosts.readings().without(GuestMetric.MEM_INTENSITY, "its first interval"), Hosts.readings(), Hosts.readings()));
        Step<State> step = controller.step(controller.begin(), window, view(guests, inForce, 8, EIGHT));

        assertThat(step.held()).containsExactly("new: mem.intensity: its first interval", "hidden: on which CPUs it may run is not known");
        assertThat(step.state().intensive()).containsExactly("said-1");
        assertThat(step.proposals()).hasSize(2);
        Pool large = new Pool("linux", "cfs", IntStream.range(0, 40).boxed().toList());
        assertThat(controller.step(controller.begin(), window, view(guests, Map.of(GuestKnob.of(KnobKind.CPUSET, guests.get(0)), 0), 40,
                large)).held()).contains("cache: a set can name CPUs up to 30 alone");
    }

    @Test
    void eachOfSeveralPoolsIsPlannedByItselfAndTheReserveIsTheLowestOfAll() {
        List<Guest> guests = List.of(guest("1", "cache", 1, GuestClass.LS1, 0.1), guest("2", "burn", 2, GuestClass.NLS, 0.9),
                guest("3", "web", 1, GuestClass.LS2, 0.1), guest("4", "batch", 2, GuestClass.NLS, 0.1), guest("5", "lost", 1, GuestClass.NLS, 0.1));
        Pool left = new Pool("left", "credit", List.of(0, 1, 4));
        Pool right = new Pool("right", "credit2", List.of(2, 3));
        Map<String, String> homes = Map.of("1", "left", "2", "left", "3", "right", "4", "right");
        PlacementController controller = controller(true, true, Map.of());
        Step<State> step = controller.step(controller.begin(), unmeasured(guests),
                new HostView(guests, List.of(left, right), homes, 1, 1, 4, Settings.of(free(guests))));

        assertThat(step.held()).containsExactly("lost: in which pool it lives is not known");
        assertThat(step.proposals()).extracting(KnobProposal::value).as("0 is the reserve's").containsExactly(1, 4, 4, 2, 3, 3);
        Step<State> less = controller.step(controller.begin(), unmeasured(guests),
                new HostView(guests.subList(0, 4), List.of(right, left), homes, 1, 1, 1, Settings.of(free(guests))));
        assertThat(less.held()).contains("the reserve leaves no CPU to the guests of pool right");
        assertThat(less.proposals()).extracting(KnobProposal::value).containsOnly(4);
        assertThat(controller(false, true, Map.of()).step(controller.begin(), unmeasured(guests),
                view(guests, Map.of(), 5, left, right)).held()).containsExactly("expected one pool of CPUs to divide, got 2; with realise: affinity "
                        + "each is planned by itself");
    }

    @Test
    void moreLatencySensitiveVirtualCpusThanCoresAreAnAlarm() {
        List<Guest> guests = List.of(guest("1", "cache", 8, GuestClass.LS1, 0.1), guest("2", "batch", 1, GuestClass.NLS, 0.1));
        Step<State> step = controller(true, true, Map.of()).step(new State(java.util.Set.of(), Map.of()), unmeasured(guests),
                view(guests, free(guests), 8, EIGHT));

        assertThat(step.held()).singleElement().asString().startsWith("alarm: 1 latency-sensitive virtual CPUs have no core of their own");
    }

    @Test
    void forCpupoolsNothingIsProposedAndCommandsComeInAnOrderThatWorks() {
        List<Guest> guests = paper();
        Step<State> step = controller(false, true, Map.of()).step(new State(java.util.Set.of(), Map.of()), unmeasured(guests),
                view(guests, Map.of(), 8, EIGHT));

        assertThat(step.proposals()).isEmpty();
        assertThat(step.held()).allMatch(PlacementController::isByHand);
        assertThat(step.held().subList(1, step.held().size())).containsExactly(
                "by hand: xl cpupool-cpu-remove Pool-0 7", "by hand: xl cpupool-create 'name=\"ic2-ls\"' 'sched=\"credit\"' 'cpus=[\"7\"]'",
                "by hand: xl cpupool-cpu-remove Pool-0 6", "by hand: xl cpupool-cpu-add ic2-ls 6", "by hand: xl cpupool-migrate 1 ic2-ls",
                "by hand: xl cpupool-cpu-remove Pool-0 5", "by hand: xl cpupool-create 'name=\"ic2-mem\"' 'sched=\"credit\"' 'cpus=[\"5\"]'",
                "by hand: xl cpupool-cpu-remove Pool-0 4", "by hand: xl cpupool-cpu-add ic2-mem 4",
                "by hand: xl cpupool-cpu-remove Pool-0 3", "by hand: xl cpupool-cpu-add ic2-mem 3",
                "by hand: xl cpupool-migrate 2 ic2-mem", "by hand: xl cpupool-migrate 3 ic2-mem", "by hand: xl cpupool-migrate 4 ic2-mem",
                "by hand: xl cpupool-migrate 5 ic2-mem", "by hand: xl cpupool-migrate 6 ic2-mem", "by hand: xl cpupool-migrate 7 ic2-mem",
                "by hand: weights and caps again, of each guest that has moved: Xen gives it weight 256 and no cap in its new pool");
    }
}
