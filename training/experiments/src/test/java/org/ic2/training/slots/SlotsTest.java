// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.ic2.training.run.Change;
import org.ic2.training.run.NeighbourPlan;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SlotsTest {
    private static final List<String> PLACEMENTS = List.of("same-core", "other-core");
    private static final NeighbourSlot LLC = new NeighbourSlot("llc", "llcprobe --size 32MiB", "same-core");
    private static final WebTierSetting A = new WebTierSetting("a", Map.of("MITIGATION", "0"), OptionalInt.empty());
    private static final WebTierSetting B = new WebTierSetting("b", Map.of("MITIGATION", "1"), OptionalInt.empty());

    private static Slots slots(int rounds) {
        return new Slots(List.of(A, B), List.of(NeighbourSlot.ALONE, LLC), rounds, Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    @Test
    void eachRoundHoldsEveryPairOnceInAnOrderOfItsOwn() {
        List<Slot> all = slots(20).all(3);
        List<List<String>> orders = IntStream.rangeClosed(1, 20).mapToObj(round -> all.stream().filter(slot -> slot.round() == round)
                .map(slot -> slot.tuning().label() + " " + slot.beside().label()).toList()).toList();
        assertThat(orders).allSatisfy(order -> assertThat(order).containsExactlyInAnyOrder("a alone", "a llc", "b alone", "b llc"));
        assertThat(orders.stream().distinct()).hasSizeGreaterThan(5);
        assertThat(slots(20).all(3)).isEqualTo(all).isNotEqualTo(slots(20).all(4));
    }

    @Test
    void aNeighboursScheduleIsThePlanSeenFromItsSide() {
        NeighbourSlot dcopy = new NeighbourSlot("dcopy", "dcopy --size 20MB", "other-core");
        RunPlan run = slots(1).counted("x", "measure", List.of(new Slot(1, A, NeighbourSlot.ALONE), new Slot(1, A, LLC), new Slot(1, A, dcopy),
                new Slot(1, B, LLC)), 10, 1);
        assertThat(run.neighbours()).containsExactly(
                new NeighbourPlan("llcprobe --size 32MiB", "same-core", "15000ms off, 15000ms on, 15000ms off, 15000ms on"),
                new NeighbourPlan("dcopy --size 20MB", "other-core", "15000ms off, 15000ms off, 15000ms on, 15000ms off"));
    }

    @Test
    void aSettingIsMadeAtTheBeginOfItsSlotAndTheCountersAreReadAtBothEndsOfItsWindow() {
        RunPlan run = slots(1).counted("x", "measure", List.of(new Slot(1, B, LLC), new Slot(1, A, NeighbourSlot.ALONE)), 10, 1);
        assertThat(run.changes()).containsExactly(new Change.SetValues(Duration.ZERO, B.values(), B.php()),
                new Change.SetValues(Duration.ofSeconds(15), A.values(), A.php()));
        assertThat(run.readings()).extracting(Duration::toSeconds).containsExactly(5L, 15L, 20L, 30L);
        assertThat(run.length()).isGreaterThan(Duration.ofSeconds(30));
    }

    static List<Experiment> experiments() {
        return Experiments.all(PLACEMENTS);
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void everyExperimentHasWindowsOfWholeLinesAndFitsIntoEightMinutes(Experiment experiment) {
        Slots slots = experiment.slots();
        assertThat(slots.window().toMillis() % experiment.interval().toMillis()).isZero();
        assertThat(slots.settle().toMillis() % experiment.interval().toMillis()).isZero();
        assertThat(experiment.rampUp().toMillis() % experiment.interval().toMillis()).isZero();
        assertThat(slots.counted("x", "measure", slots.all(1), 10, 1).neighbours()).isNotEmpty().allMatch(plan -> plan.schedule()
                .matches("\\d+ms (on|off)(, \\d+ms (on|off)){0,1023}"), "a schedule that the program neighbour reads");
        assertThat(slots.length().multipliedBy(slots.all(1).size()).plusSeconds(25)).isLessThan(Duration.ofMinutes(8));
    }

    @Test
    void inTheLayoutApartNoNeighbourSharesTheTiersCpu() {
        assertThat(Experiments.all(List.of("other-core"))).allSatisfy(experiment -> assertThat(experiment.slots().neighbours())
                .filteredOn(NeighbourSlot::present).isNotEmpty().allMatch(one -> one.placement().equals("other-core")));
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void everyValueOfAnExperimentIsOneThatHttpdReads(Experiment experiment) {
        assertThat(experiment.slots().tunings()).allSatisfy(tuning -> {
            assertThat(tuning.values().get("KeepAliveTimeout")).matches("\\d+(ms|s|min|h)?");
            assertThat(tuning.values().get("MaxRequestWorkers")).matches("\\d+");
            assertThat(tuning.values().get("MITIGATION")).matches("[0-6]");
        });
    }

    @Test
    void anUnknownExperimentIsAnsweredWithTheKnownOnes() {
        assertThat(Experiments.find("starvation", PLACEMENTS).slots().tunings()).hasSize(4);
        assertThatThrownBy(() -> Experiments.find("nonsense", PLACEMENTS)).hasMessageContaining("starvation");
        assertThatThrownBy(() -> Experiments.find("kat", PLACEMENTS).rounds(0)).hasMessageContaining("--rounds");
    }
}
