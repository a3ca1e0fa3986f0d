// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.ic2.host.model.GuestClass;
import org.junit.jupiter.api.Test;

/** The search of a setting on hosts whose best setting is known. */
class AnnealerTest {
    private static final Objective OBJECTIVE = Objective.waitAndThrottled();

    /** One guest of each class; they wait the less the nearer the setting is to 5 ms, 300 us and a large weight of LS1. */
    private static Outcome hill(SchedulerVector vector) {
        double slice = Math.abs(Math.log(vector.tslice().orElse(5) / 5.0));
        double limit = Math.abs(Math.log(vector.ratelimit().orElse(300) / 300.0));
        double weight = Math.abs(Math.log(vector.weights().getOrDefault(GuestClass.LS1, 40_000) / 40_000.0));
        List<CpuShare> shares = new ArrayList<>();
        for (GuestClass guestClass : vector.weights().keySet()) {
            shares.add(new CpuShare(guestClass.name(), guestClass, 0.5, 0.1 + (slice + limit + weight) / 20, 0));
        }
        return new Outcome(shares);
    }

    private static Annealer annealer(Annealer.Acceptance acceptance) {
        return new Annealer(acceptance, Annealer.Effort.standard(), evaluation -> { });
    }

    private static void isAllowed(SchedulerVector vector) {
        List<Integer> weights = List.copyOf(vector.weights().values());
        boolean allowed = vector.ratelimit().orElse(0) <= 1000 * vector.tslice().orElse(1000);
        for (int i = 0; i < weights.size(); i++) {
            allowed &= weights.get(i) % 256 == 0 && (i == 0 || weights.get(i) < weights.get(i - 1));
        }
        if (!allowed) {
            fail(vector.describe());
        }
    }

    @Test
    void findsMostOfWhatThereIsToGain() throws InterruptedException {
        for (Annealer.Acceptance acceptance : Annealer.Acceptance.values()) {
            for (int seed = 1; seed <= 10; seed++) {
                Annealer.Found found = annealer(acceptance).anneal(AnnealerTest::hill, OBJECTIVE, SchedulerVector.credit1(),
                        new SplittableRandom(seed));
                double gain = (found.baseCost() - found.cost()) / (found.baseCost() - 50);
                assertThat(gain).as("%s, seed %d: %s", acceptance, seed, found.best().describe()).isGreaterThan(0.6);
                assertThat(found.cost()).isLessThan(found.baseCost());
                assertThat(found.cost()).isEqualTo(OBJECTIVE.value(hill(found.best())));
                isAllowed(found.best());
            }
        }
    }

    @Test
    void triesOnlyWhatIsAllowedAndOnlySoOften() throws InterruptedException {
        List<Annealer.Evaluation> told = new ArrayList<>();
        Annealer.Found found = new Annealer(Annealer.Acceptance.METROPOLIS, Annealer.Effort.standard(), told::add)
                .anneal(AnnealerTest::hill, OBJECTIVE, SchedulerVector.credit1(), new SplittableRandom(1));
        assertThat(found.evaluations()).hasSizeBetween(53, 150).isEqualTo(told);
        assertThat(found.evaluations().get(0).vector()).isEqualTo(SchedulerVector.credit1());
        found.evaluations().stream().skip(1).forEach(evaluation -> isAllowed(evaluation.vector()));
        assertThat(found.evaluations()).extracting(Annealer.Evaluation::number).containsExactlyElementsOf(
                java.util.stream.IntStream.rangeClosed(1, found.evaluations().size()).boxed().toList());
    }

    @Test
    void theSameSeedSeeksTheSameWay() throws InterruptedException {
        assertThat(annealer(Annealer.Acceptance.METROPOLIS).anneal(AnnealerTest::hill, OBJECTIVE, SchedulerVector.credit1(),
                new SplittableRandom(3))).isEqualTo(annealer(Annealer.Acceptance.METROPOLIS).anneal(AnnealerTest::hill, OBJECTIVE,
                SchedulerVector.credit1(), new SplittableRandom(3)));
    }

    @Test
    void greedyGoesOnlyWhereItIsBetter() throws InterruptedException {
        List<Annealer.Evaluation> all = annealer(Annealer.Acceptance.GREEDY).anneal(AnnealerTest::hill, OBJECTIVE,
                SchedulerVector.credit1(), new SplittableRandom(2)).evaluations();
        List<Double> accepted = all.stream().skip(42).filter(Annealer.Evaluation::accepted).map(Annealer.Evaluation::cost)
                .toList();
        assertThat(accepted).isNotEmpty().isSortedAccordingTo((a, b) -> Double.compare(b, a));
        assertThat(annealer(Annealer.Acceptance.METROPOLIS).anneal(AnnealerTest::hill, OBJECTIVE, SchedulerVector.credit1(),
                new SplittableRandom(2)).evaluations().stream().skip(42).filter(Annealer.Evaluation::accepted)
                .map(Annealer.Evaluation::cost).toList()).isNotEqualTo(accepted);
    }

    @Test
    void whereNothingHelpsTheDefaultStaysAndTheSearchEnds() throws InterruptedException {
        Outcome always = new Outcome(List.of(new CpuShare("web", GuestClass.LS1, 0.5, 0.2, 0)));
        Annealer.Found found = annealer(Annealer.Acceptance.METROPOLIS).anneal(vector -> always, OBJECTIVE,
                SchedulerVector.credit1(), new SplittableRandom(1));
        assertThat(found.candidates(0)).isEmpty();
        assertThat(found.best()).isEqualTo(SchedulerVector.credit1());
        assertThat(found.evaluations()).hasSize(2 + 30 + 10 + 40);
    }

    @Test
    void whatStarvesSomebodyIsNeverGoneTo() throws InterruptedException {
        // the lower the rate limit, the lower the cost; below 1 ms the batch guest gets nothing
        Trial<RuntimeException> trial = vector -> new Outcome(List.of(
                new CpuShare("web", GuestClass.LS1, 1.0, vector.ratelimit().orElseThrow() / 1000.0, 0),
                new CpuShare("batch", GuestClass.NLS, vector.ratelimit().orElseThrow() < 1000 ? 0.1 : 1.0, 0, 0)));
        Annealer.Found found = annealer(Annealer.Acceptance.METROPOLIS).anneal(trial, OBJECTIVE,
                new SchedulerVector(OptionalInt.empty(), OptionalInt.of(20_000), Map.of()), new SplittableRandom(1));
        assertThat(found.best().ratelimit().orElseThrow()).isBetween(1000, 2000);
        assertThat(found.evaluations()).anyMatch(evaluation -> evaluation.infeasible().isPresent())
                .noneMatch(evaluation -> evaluation.infeasible().isPresent() && evaluation.accepted());
    }

    @Test
    void aSearchGoesOnBesideWhatTheHostDoesNotTake() throws InterruptedException {
        // the lower the rate limit, the lower the cost; below 1 ms the host refuses
        Trial<RuntimeException> trial = vector -> vector.ratelimit().orElseThrow() < 1000 ? Outcome.refused("not below 1 ms")
                : new Outcome(List.of(new CpuShare("web", GuestClass.LS1, 1.0, vector.ratelimit().orElseThrow() / 1000.0, 0)));
        Annealer.Found found = annealer(Annealer.Acceptance.METROPOLIS).anneal(trial, OBJECTIVE,
                new SchedulerVector(OptionalInt.empty(), OptionalInt.of(20_000), Map.of()), new SplittableRandom(1));
        assertThat(found.best().ratelimit().orElseThrow()).isBetween(1000, 2000);
        assertThat(found.evaluations()).anyMatch(evaluation -> evaluation.infeasible().equals(java.util.Optional.of("not below 1 ms")))
                .noneMatch(evaluation -> evaluation.infeasible().isPresent() && evaluation.accepted());
        assertThat(found.candidates(0)).allMatch(evaluation -> evaluation.infeasible().isEmpty());
    }

    @Test
    void onlyWhatTheDefaultHasIsMoved() throws InterruptedException {
        Annealer.Found credit2 = annealer(Annealer.Acceptance.METROPOLIS).anneal(AnnealerTest::hill, OBJECTIVE,
                SchedulerVector.credit2().only(List.of(GuestClass.LS1, GuestClass.NLS)), new SplittableRandom(1));
        assertThat(credit2.best().tslice()).isEmpty();
        assertThat(credit2.best().ratelimit()).isPresent();
        assertThat(credit2.best().weights()).containsOnlyKeys(GuestClass.LS1, GuestClass.NLS);
        assertThat(annealer(Annealer.Acceptance.GREEDY).anneal(AnnealerTest::hill, OBJECTIVE, SchedulerVector.linux(),
                new SplittableRandom(1)).best().ratelimit()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> annealer(Annealer.Acceptance.GREEDY).anneal(AnnealerTest::hill,
                OBJECTIVE, SchedulerVector.linux().only(List.of()), new SplittableRandom(1))).withMessageContaining("nothing");
    }

    @Test
    void aHostThatFailsEndsTheSearch() {
        assertThatThrownBy(() -> annealer(Annealer.Acceptance.METROPOLIS).<Exception>anneal(vector -> {
            throw new java.io.IOException("xl does not answer");
        }, OBJECTIVE, SchedulerVector.credit1(), new SplittableRandom(1))).hasMessage("xl does not answer");
    }

    @Test
    void everyMoveOfAHundredThousandIsAllowed() {
        VectorGrid grid = new VectorGrid(SchedulerVector.table3());
        SplittableRandom random = new SplittableRandom(5);
        int[] point = grid.nearest(SchedulerVector.table3());
        for (int i = 0; i < 100_000; i++) {
            int[] next = grid.neighbour(point, 200 * random.nextDouble(), random);
            if (Arrays.equals(next, point)) {
                fail("no move from " + Arrays.toString(point));
            }
            isAllowed(grid.vector(next));
            point = next;
        }
    }

    @Test
    void whatLooksAnywhereLooksEverywhereThatIsAllowed() {
        VectorGrid grid = new VectorGrid(SchedulerVector.table3());
        SplittableRandom random = new SplittableRandom(5);
        List<SchedulerVector> seen = java.util.stream.IntStream.range(0, 2000).mapToObj(i -> grid.vector(grid.anywhere(random))).toList();
        seen.forEach(AnnealerTest::isAllowed);
        assertThat(seen).anyMatch(vector -> vector.tslice().orElseThrow() < 3).anyMatch(vector -> vector.tslice().orElseThrow() > 500)
                .anyMatch(vector -> vector.weights().get(GuestClass.HOST) > 100 * vector.weights().get(GuestClass.NLS))
                .anyMatch(vector -> vector.weights().get(GuestClass.HOST) < 3000);
    }

    @Test
    void theGridIsThatOfTheDesign() {
        assertThat(VectorGrid.RATELIMITS).hasSize(100).isSorted().startsWith(100).endsWith(500_000);
        assertThat(VectorGrid.TSLICES).isSorted().doesNotHaveDuplicates().startsWith(1, 2, 3).endsWith(1000).hasSizeBetween(70,
                100);
        assertThat(VectorGrid.WEIGHTS).hasSize(255).startsWith(256, 512).endsWith(65_280);
        VectorGrid grid = new VectorGrid(SchedulerVector.credit1());
        assertThat(grid.vector(grid.nearest(SchedulerVector.table3())).weights()).isEqualTo(SchedulerVector.table3().weights());
        assertThat(grid.vector(grid.nearest(SchedulerVector.credit1())).weights().values()).containsExactly(1280, 1024, 768, 512,
                256);
    }

    @Test
    void whatCannotBeSetIsNoVector() {
        assertThatIllegalArgumentException().isThrownBy(() -> new SchedulerVector(OptionalInt.of(1), OptionalInt.of(1001),
                Map.of()))
                .withMessageContaining("ratelimit").withMessageContaining("1 ms").withMessageContaining("1001 us");
        assertThatIllegalArgumentException().isThrownBy(() -> new SchedulerVector(OptionalInt.of(0), OptionalInt.empty(),
                Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new SchedulerVector(OptionalInt.empty(), OptionalInt.of(99),
                Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new SchedulerVector(OptionalInt.empty(), OptionalInt.empty(),
                Map.of(GuestClass.NLS, 65_536)));
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuShare("web", GuestClass.LS1, 0.5, Double.NaN, 0))
                .withMessageContaining("web: cpu.wait");
    }

    @Test
    void aSettingIsInForceForTwoSlicesBeforeItIsMeasured() {
        assertThat(Trial.settle(SchedulerVector.credit1())).isEqualTo(Duration.ofSeconds(1));
        assertThat(Trial.settle(new SchedulerVector(OptionalInt.of(800), OptionalInt.empty(), Map.of())))
                .isEqualTo(Duration.ofMillis(1600));
    }
}
