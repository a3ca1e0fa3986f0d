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
    private static final Sweep SWEEP = new Sweep(List.of(new Sweep.Axis(Lever.KEEP_ALIVE_TIMEOUT, List.of(300, 4000, 1000))),
            Generated.BASELINE, Duration.ofSeconds(5), Duration.ofSeconds(10), 3);

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

    private static Directions directions(List<Sweep.Point> points) {
        return Directions.of(SWEEP, points).get(0);
    }

    private static Sweep.Point point(int round, int value, double[] throughput) {
        return new Sweep.Point(round, List.of(value), true, Map.of("throughput", throughput[round - 1]));
    }

    @Test
    void aGainInEveryRoundIsADirection() {
        Directions found = directions(points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 100, 98}));
        assertThat(found.supported()).contains(Direction.UP);
        assertThat(found.verdict(Direction.UP)).isEqualTo(Directions.Verdict.AGREE);
        assertThat(found.verdict(Direction.DOWN)).isEqualTo(Directions.Verdict.DISAGREE);
    }

    @Test
    void driftOfTheMachineHitsAWholeRoundAndIsTakenOut() {
        Directions found = directions(points(new double[] {80, 40, 120}, new double[] {90, 45, 135},
                new double[] {99, 50, 148}));
        assertThat(found.supported()).contains(Direction.UP);
    }

    @Test
    void noiseIsNoDirection() {
        Directions found = directions(points(new double[] {88, 93, 91}, new double[] {90, 92, 91},
                new double[] {95, 90, 92}));
        assertThat(found.supported()).isEmpty();
        assertThat(found.verdict(Direction.UP)).isEqualTo(Directions.Verdict.NOT_DISTINGUISHABLE);
    }

    @Test
    void threeRoundsThatAgreeByChanceAreNoDirection() {
        // 2, 4 and 9 % more: the mean is 2.4 times its standard error, which chance gives one triple in seven
        Directions found = directions(points(new double[] {90, 92, 91}, new double[] {100, 100, 100},
                new double[] {102, 104, 109}));
        assertThat(found.changes().get(1).low()).isPositive();
        assertThat(found.changes().get(1).sure()).isFalse();
    }

    @Test
    void gainsWithoutTheNeighbourAreShownToo() {
        List<Sweep.Point> points = new ArrayList<>(points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 101, 100}));
        points.addAll(points(new double[] {80, 82, 81}, new double[] {90, 92, 91}, new double[] {99, 101, 100}).stream()
                .map(point -> new Sweep.Point(point.round(), point.values(), false, point.figures())).toList());
        assertThat(SweepReport.verdicts(SWEEP, points, Shipped.rules())).anyMatch(line -> line.endsWith("; alone +9.9 %"));
    }

    @Test
    void aRuledDirectionThatHarmsIsDisagreement() {
        Directions found = directions(points(new double[] {90, 92, 91}, new double[] {90, 92, 91},
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
        Directions found = directions(points(new double[] {80, 82, 81}, new double[] {90, 92, 91},
                new double[] {99, 101, 100}));
        assertThat(SweepReport.verdicts(found, Shipped.rules())).contains(
                "llc-miss-rate says keep-alive-timeout up; the data say up: agree",
                "  4s: throughput beside the neighbour +9.9 % [+9.8 to +10.0] against the baseline, distinguishable");
    }

    @Test
    void thePageAndTheFileHoldEveryPoint() {
        List<Sweep.Point> points = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            for (int value : SWEEP.axes().get(0).values()) {
                for (boolean loud : new boolean[] {false, true}) {
                    Map<String, Double> figures = new java.util.HashMap<>();
                    WindowFigures.FIGURES.forEach(name -> figures.put(name, 0.5));
                    figures.put("throughput", (loud ? 80 : 100) + value / 1000.0 + round);
                    points.add(new Sweep.Point(round, List.of(value), loud, figures));
                }
            }
        }
        List<String> csv = SweepReport.csv(SWEEP, points);
        assertThat(csv).hasSize(1 + 3 * 3 * 2).contains("0.3,1,off,101.3" + ",0.5".repeat(WindowFigures.FIGURES.size() - 1));
        String page = SweepReport.html(SWEEP, points, Shipped.rules(), Map.of("windows", "made up"));
        assertThat(page.split("<svg").length - 1).as("response time, throughput, N/X - Z, longest wait").isEqualTo(4);
        assertThat(page).contains("llc-miss-rate says keep-alive-timeout up; the data say up: agree", "made up")
                .doesNotContain("NaN").doesNotContain("src=");
    }

    private static final Sweep MAP = new Sweep(List.of(new Sweep.Axis(Lever.MAX_REQUEST_WORKERS, List.of(60, 240)),
            new Sweep.Axis(Lever.KEEP_ALIVE_TIMEOUT, List.of(300, 1000, 4000))), Generated.BASELINE, Duration.ofSeconds(5), Duration.ofSeconds(10), 3);

    /** Beside the neighbour fewer workers are better with a long timeout alone; without it nothing differs but by the timeout. */
    private static List<Sweep.Point> map() {
        List<Sweep.Point> points = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            for (int workers : List.of(60, 240)) {
                for (int timeout : List.of(300, 1000, 4000)) {
                    for (boolean loud : new boolean[] {false, true}) {
                        Map<String, Double> figures = new java.util.HashMap<>();
                        WindowFigures.FIGURES.forEach(name -> figures.put(name, 0.5));
                        double throughput = (loud ? 60 : 100) - timeout / 1000.0 * (loud ? -1 : 1) + round / 100.0;
                        figures.put("throughput", throughput);
                        figures.put("interactive_response_time", 100 / throughput - 0.9 + (loud && workers == 60 && timeout == 4000 ? -0.3 : 0));
                        figures.put("connects", loud ? 200.0 : 400.0);
                        points.add(new Sweep.Point(round, List.of(workers, timeout), loud, figures));
                    }
                }
            }
        }
        return points;
    }

    @Test
    void twoLeversHaveASlotForEachPairInEveryRound() {
        List<RunPlan> plans = MAP.plans(100, 7, "llcprobe --size 32MiB", "same-core");
        assertThat(plans).hasSize(3).extracting(RunPlan::id).first().isEqualTo("sweep-max-request-workers-x-keep-alive-timeout-1");
        List<Map<String, String>> values = plans.get(0).changes().stream().map(change -> ((Change.SetValues) change).values()).toList();
        assertThat(values).hasSize(12).contains(Map.of("MaxRequestWorkers", "60", "KeepAliveTimeout", "4"),
                Map.of("MaxRequestWorkers", "240", "KeepAliveTimeout", "0.3"));
        assertThat(values.stream().distinct()).as("each alone and beside the neighbour").hasSize(6);
    }

    @Test
    void ofTwoLeversEachIsJudgedWhileTheOtherIsAtTheBaseline() {
        List<Directions> found = Directions.of(MAP, map());
        assertThat(found).extracting(Directions::lever).containsExactly(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT);
        assertThat(found.get(0).changes()).hasSize(1).allMatch(change -> change.value() == 60 && change.mean() == 0 && !change.sure());
        assertThat(found.get(1).changes()).hasSize(2);
        assertThat(found.get(1).supported()).contains(Direction.UP);
    }

    @Test
    void theMapSaysWhichTimeoutIsBestForSoManyWorkers() {
        assertThat(SweepReport.verdicts(MAP, map(), Shipped.rules())).contains(
                "MXC 60: N/X - Z is least with KAT 300ms (0.103 s) alone, 4s (0.362 s) beside the neighbour; MXC / new connections: 1.5 s alone, 3.0 s beside it",
                "MXC 240: N/X - Z is least with KAT 300ms (0.103 s) alone, 4s (0.662 s) beside the neighbour; MXC / new connections: 6.0 s alone, 12.0 s beside it");
        assertThat(SweepReport.verdicts(SWEEP, points(new double[] {80, 82, 81}, new double[] {90, 92, 91}, new double[] {99, 101, 100}),
                Shipped.rules())).as("one lever has no map").noneMatch(line -> line.startsWith("KAT "));
    }

    @Test
    void theMapsPageHasAllPairsAndItsFileAllPoints() {
        List<String> csv = SweepReport.csv(MAP, map());
        assertThat(csv).hasSize(1 + 3 * 2 * 3 * 2);
        assertThat(csv.get(0)).startsWith("max-request-workers,keep-alive-timeout,round,neighbour,throughput,");
        assertThat(csv).filteredOn(line -> line.startsWith("60,0.3,2,on,60.32,")).hasSize(1);
        String page = SweepReport.html(MAP, map(), Shipped.rules(), Map.of());
        assertThat(page.split("<svg").length - 1).as("four figures: two maps each, and a curve for each lever").isEqualTo(16);
        assertThat(page.split("class=\"cell\"").length - 1).isEqualTo(4 * 2 * 6);
        assertThat(page).doesNotContain("NaN").doesNotContain("src=").contains("(the paper&#39;s figure 3)".replace("&#39;", "'"));
    }

    @Test
    void aMapWithoutAFigureHasAnEmptyCellAndAllEqualFiguresAreNoDivisionByZero() {
        List<Sweep.Point> some = map().stream().filter(point -> point.values().get(0) == 240).toList();
        assertThat(SweepMap.words(MAP, some).get(0)).startsWith("MXC 60: N/X - Z is least with KAT - alone, - beside the neighbour; MXC / new connections: - alone");
        String flat = new org.ic2.training.report.HeatMap("t", "x", List.of("a", "b"), "y", List.of("c"), new double[][] {{Double.NaN, 1}}).svg(1, 1);
        assertThat(flat).contains(">-</text>", ">1.000</text>").doesNotContain("NaN");
    }

    @Test
    void theTableOfOptimaHasThePapersRowsAndSaysWhatWasNotMeasured() {
        List<List<String>> rows = OptimaTable.of(Map.of("llcprobe", Directions.of(MAP, map()))).rows();
        assertThat(rows).hasSize(5);
        assertThat(rows.get(1)).containsExactly("paper, interference", "decrease, high impact", "increase, high impact", "increase, low impact");
        assertThat(rows.get(3).get(0)).isEqualTo("ours, llcprobe");
        assertThat(rows.get(3).get(1)).startsWith("neither way: 60 0.0 %".replace(" 0.0", " +0.0"));
        assertThat(rows.get(3).get(2)).isEqualTo("increase: 4s +4.9 % [+4.9 to +4.9]");
        assertThat(rows.get(3).get(3)).isEqualTo("not measured");
        assertThat(rows.get(4).subList(1, 4)).containsOnly("not measured");
    }

    @Test
    void leversThatCannotBeSweptTogetherAreRefused() {
        Sweep.Axis axis = MAP.axes().get(0);
        for (List<Sweep.Axis> axes : List.of(List.<Sweep.Axis>of(), List.of(axis, axis))) {
            assertThatThrownBy(() -> new Sweep(axes, Generated.BASELINE, Duration.ZERO, Duration.ofSeconds(1), 1))
                    .hasMessageStartingWith("--lever: expected one lever or two different ones, got [");
        }
    }

    @Test
    void aSweepNeedsTheBaselineToCompareWith() {
        assertThatThrownBy(() -> new Sweep(List.of(new Sweep.Axis(Lever.MITIGATION, List.of(1, 2))), Generated.BASELINE, Duration.ZERO,
                Duration.ofSeconds(1), 1)).hasMessageContaining("baseline");
    }
}
