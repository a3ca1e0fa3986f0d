// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.Direction;
import org.ic2.training.Generated;
import org.ic2.training.run.Change;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.WindowFigures;
import org.junit.jupiter.api.Test;

class SweepTest {
    private static final Sweep SWEEP = new Sweep(Lever.KEEP_ALIVE_TIMEOUT, List.of(300, 1000, 4000), Generated.BASELINE,
            Duration.ofSeconds(5), Duration.ofSeconds(10), 3);

    /** Throughput beside the neighbour by value and round. */
    private static List<Sweep.Point> points(double[] low, double[] base, double[] high) {
        List<Sweep.Point> points = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            points.add(point(round, 300, low));
            points.add(point(round, 1000, base));
            points.add(point(round, 4000, high));
        }
        return points;
    }

    private static Sweep.Point point(int round, int value, double[] throughput) {
        return new Sweep.Point(round, value, true, Map.of("throughput", throughput[round - 1]));
    }

    @Test
    void aGainInEveryRoundIsADirection() {
        Directions found = Directions.of(SWEEP, points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 100, 98}));
        assertThat(found.supported()).contains(Direction.UP);
        assertThat(found.verdict(Direction.UP)).isEqualTo(Directions.Verdict.AGREE);
        assertThat(found.verdict(Direction.DOWN)).isEqualTo(Directions.Verdict.DISAGREE);
    }

    @Test
    void driftOfTheMachineHitsAWholeRoundAndIsTakenOut() {
        Directions found = Directions.of(SWEEP, points(new double[] {80, 40, 120}, new double[] {90, 45, 135},
                new double[] {99, 50, 148}));
        assertThat(found.supported()).contains(Direction.UP);
    }

    @Test
    void noiseIsNoDirection() {
        Directions found = Directions.of(SWEEP, points(new double[] {88, 93, 91}, new double[] {90, 92, 91},
                new double[] {95, 90, 92}));
        assertThat(found.supported()).isEmpty();
        assertThat(found.verdict(Direction.UP)).isEqualTo(Directions.Verdict.NOT_DISTINGUISHABLE);
    }

    @Test
    void threeRoundsThatAgreeByChanceAreNoDirection() {
        // 2, 4 and 9 % more: the mean is 2.4 times its standard error, which chance gives one triple in seven
        Directions found = Directions.of(SWEEP, points(new double[] {90, 92, 91}, new double[] {100, 100, 100},
                new double[] {102, 104, 109}));
        assertThat(found.changes().get(1).low()).isPositive();
        assertThat(found.changes().get(1).sure()).isFalse();
    }

    @Test
    void whatGainsAloneTooIsShown() {
        List<Sweep.Point> points = new ArrayList<>(points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 101, 100}));
        points.addAll(points(new double[] {80, 82, 81}, new double[] {90, 92, 91}, new double[] {99, 101, 100}).stream()
                .map(point -> new Sweep.Point(point.round(), point.value(), false, point.figures())).toList());
        assertThat(SweepReport.verdicts(Directions.of(SWEEP, points), Shipped.rules())).anyMatch(line -> line.endsWith("; alone +9.9 %"));
    }

    @Test
    void aRuledDirectionThatHarmsIsDisagreement() {
        Directions found = Directions.of(SWEEP, points(new double[] {90, 92, 91}, new double[] {90, 92, 91},
                new double[] {70, 72, 71}));
        assertThat(found.verdict(Direction.UP)).isEqualTo(Directions.Verdict.DISAGREE);
        assertThat(found.verdict(Direction.DOWN)).isEqualTo(Directions.Verdict.NOT_DISTINGUISHABLE);
    }

    @Test
    void everyRoundHasEveryPointOnceInItsOwnOrder() {
        List<RunPlan> plans = SWEEP.plans(100, 7, "llcprobe --size 32MiB", "same-core");
        assertThat(plans).hasSize(3).allMatch(plan -> plan.length().equals(Duration.ofSeconds(90)) && plan.changes().size() == 6);
        List<List<String>> orders = plans.stream().map(plan -> plan.changes().stream()
                .map(change -> ((Change.SetValues) change).values().get("KeepAliveTimeout")).toList()).toList();
        assertThat(orders).allMatch(order -> order.containsAll(List.of("0.3", "1", "4"))).doesNotHaveDuplicates();
        assertThat(plans.get(0).neighbours().get(0).schedule().split(", ")).hasSize(6)
                .filteredOn(phase -> phase.equals("15000ms on")).hasSize(3);
        assertThat(SWEEP.plans(100, 7, "llcprobe", "same-core").get(1).changes()).isEqualTo(plans.get(1).changes());
    }

    @Test
    void verdictsNameTheRuleAndTheNumbers() {
        Directions found = Directions.of(SWEEP, points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 101, 100}));
        assertThat(SweepReport.verdicts(found, Shipped.rules())).contains(
                "llc-miss-rate says keep-alive-timeout up; the data say up: agree",
                "  4s: throughput beside the neighbour +9.9 % [+9.8 to +10.0] against the baseline, distinguishable");
    }

    @Test
    void thePageAndTheFileHoldEveryPoint() {
        List<Sweep.Point> points = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            for (int value : SWEEP.values()) {
                for (boolean loud : new boolean[] {false, true}) {
                    Map<String, Double> figures = new java.util.HashMap<>();
                    WindowFigures.FIGURES.forEach(name -> figures.put(name, 0.5));
                    figures.put("throughput", (loud ? 80 : 100) + value / 1000.0 + round);
                    points.add(new Sweep.Point(round, value, loud, figures));
                }
            }
        }
        List<String> csv = SweepReport.csv(SWEEP, points);
        assertThat(csv).hasSize(1 + 3 * 3 * 2).contains("keep-alive-timeout,0.3,1,off,101.3" + ",0.5".repeat(WindowFigures.FIGURES.size() - 1));
        String page = SweepReport.html(SWEEP, points, Shipped.rules(), Map.of("windows", "made up"));
        assertThat(page.split("<svg").length - 1).as("response time, throughput, N/X - Z, longest wait").isEqualTo(4);
        assertThat(page).contains("llc-miss-rate says keep-alive-timeout up; the data say up: agree", "made up")
                .doesNotContain("NaN").doesNotContain("src=");
    }

    @Test
    void aSweepNeedsTheBaselineToCompareWith() {
        assertThatThrownBy(() -> new Sweep(Lever.MITIGATION, List.of(1, 2), Generated.BASELINE, Duration.ZERO,
                Duration.ofSeconds(1), 1)).hasMessageContaining("baseline");
    }
}
