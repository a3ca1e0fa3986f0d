// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.training.compare.Period.Half;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Detection.Latency;
import org.ic2.training.evaluate.Estimate;

/**
 * All runs of a comparison, and what they say. Everything comes from the files in its folder.
 *
 * @param plan       what was asked for
 * @param recordings the runs that are there, in the plan's order
 * @param missing    those that are not
 * @param periods    of interference, of all runs
 * @param quiets     stretches without interference, of all runs
 */
record Comparison(ComparePlan plan, List<Recording> recordings, List<PlannedRun> missing, List<Period> periods,
        List<Quiet> quiets) {
    /** All kinds of interference together. */
    static final String ALL = "all";

    static Comparison read(Path folder) throws IOException {
        ComparePlan plan = PlanJson.read(folder);
        List<Recording> recordings = new ArrayList<>();
        List<PlannedRun> missing = new ArrayList<>();
        for (PlannedRun slot : plan.slots()) {
            Optional<Recording> recording = Recording.read(folder, slot);
            recording.ifPresent(recordings::add);
            if (recording.isEmpty()) {
                missing.add(slot);
            }
        }
        return new Comparison(plan, recordings, missing,
                recordings.stream().flatMap(one -> Period.of(one, plan).stream()).toList(),
                recordings.stream().flatMap(one -> Quiet.of(one, plan).stream()).toList());
    }

    /** A period and the same one of the baseline arm. */
    private record Pair(Period own, Period base) {
    }

    /** What a period of interference or a quiet stretch is compared by. */
    private static boolean wanted(String neighbour, PlannedRun slot) {
        return neighbour.equals(ALL) || slot.neighbour().equals(neighbour);
    }

    /** Kinds of interference for tables: each, and all together if there are several. */
    List<String> kinds() {
        List<String> names = plan.neighbours().stream().map(Neighbour::name).toList();
        return names.size() < 2 ? names : Stream.concat(names.stream(), Stream.of(ALL)).toList();
    }

    /** The arms that are compared with the baseline. */
    List<Arm> others() {
        return plan.arms().stream().filter(Arm::compared).toList();
    }

    List<Period> periods(Arm arm, String neighbour) {
        return periods.stream().filter(one -> one.slot().arm() == arm && wanted(neighbour, one.slot())).toList();
    }

    private List<Pair> pairs(Arm arm, String neighbour, Half half) {
        List<Pair> pairs = new ArrayList<>();
        for (Period own : periods(arm, neighbour)) {
            periods(Arm.OFF, neighbour).stream().filter(own::pairs).filter(base -> known(half.of(own)) && known(half.of(base)))
                    .findFirst().ifPresent(base -> pairs.add(new Pair(own, base)));
        }
        return pairs;
    }

    /** A window in which not a single operation was completed has no response time. */
    private static boolean known(Map<String, Double> figures) {
        return Double.isFinite(figures.getOrDefault("response_time", Double.NaN));
    }

    /** How many periods can be compared. */
    int count(Arm arm, String neighbour, Half half) {
        return pairs(arm, neighbour, half).size();
    }

    /** The change of a figure against the same periods of the baseline arm; -0.3 is 30 % less. */
    Estimate change(Arm arm, String neighbour, Half half, String figure) {
        return change(pairs(arm, neighbour, half).stream().map(pair -> new Measured(pair.own().slot(), half.of(pair.own()).get(figure),
                half.of(pair.base()).get(figure))));
    }

    /** A figure of a period or a stretch, and of the same one of the baseline arm. */
    private record Measured(PlannedRun slot, double own, double base) {
        boolean whole() {
            return Double.isFinite(own) && Double.isFinite(base);
        }
    }

    /** The unit of the interval is the run: periods of one run are more alike than those of several. */
    private Estimate change(Stream<Measured> pairs) {
        Collection<double[]> runs = pairs.filter(Measured::whole).collect(Collectors.toMap(Measured::slot,
                one -> new double[] {one.own(), one.base()}, (x, y) -> new double[] {x[0] + y[0], x[1] + y[1]},
                LinkedHashMap::new)).values();
        return new Bootstrap(plan.seed()).change(runs.stream().mapToDouble(sums -> sums[0]).toArray(),
                runs.stream().mapToDouble(sums -> sums[1]).toArray());
    }

    /** The mean of a figure over an arm's periods. */
    double mean(Arm arm, String neighbour, Half half, String figure) {
        return average(periods(arm, neighbour).stream().map(half::of).filter(Comparison::known).toList(),
                figures -> figures.get(figure));
    }

    /** The most of a figure in any of an arm's periods; NaN if it is known of none. */
    double most(Arm arm, String neighbour, Half half, String figure) {
        return periods(arm, neighbour).stream().map(half::of).filter(Comparison::known).mapToDouble(figures -> figures.get(figure))
                .filter(Double::isFinite).max().orElse(Double.NaN);
    }

    /** The mean over the baseline's periods that have a partner in this arm, and over those partners. */
    double[] both(Arm arm, String neighbour, Half half, String figure) {
        List<Pair> pairs = pairs(arm, neighbour, half);
        return new double[] {average(pairs, pair -> half.of(pair.base()).get(figure)),
            average(pairs, pair -> half.of(pair.own()).get(figure))};
    }

    private static <T> double average(List<T> list, ToDoubleFunction<T> figure) {
        return list.stream().mapToDouble(figure).filter(Double::isFinite).average().orElse(Double.NaN);
    }

    List<Quiet> quiets(Arm arm) {
        return quiets.stream().filter(one -> one.slot().arm() == arm).toList();
    }

    /** The change of a figure in the quiet against the same stretches of the baseline arm. */
    Estimate quietChange(Arm arm, String figure) {
        return change(quiets(arm).stream().flatMap(own -> quiets(Arm.OFF).stream().filter(own::pairs).map(base -> new Measured(own.slot(),
                own.figures().get(figure), base.figures().get(figure))).filter(Measured::whole).limit(1)));
    }

    /** The mean of a figure in an arm's quiet stretches. */
    double quietMean(Arm arm, ToDoubleFunction<Quiet> figure) {
        return average(quiets(arm), figure);
    }

    /** Starts (true) or stops (false) of the neighbour, and how fast they were noticed. */
    VisitDelays noticed(Arm arm, String neighbour, boolean onset) {
        return delays(periods(arm, neighbour).stream().map(onset ? Period::onset : Period::end));
    }

    /** From the stop to the baseline, of the visits at whose end something else was in force. */
    VisitDelays home(Arm arm, String neighbour) {
        return delays(periods(arm, neighbour).stream().map(Period::baseline));
    }

    private static VisitDelays delays(Stream<Optional<Latency>> latencies) {
        return VisitDelays.of(latencies.flatMap(Optional::stream).map(Latency::seconds).toList());
    }

    /** From the start to something, of the visits whose start could be noticed. */
    VisitDelays after(Arm arm, String neighbour, Function<Period, Optional<Double>> what) {
        return VisitDelays.of(periods(arm, neighbour).stream().filter(period -> period.onset().isPresent()).map(what).toList());
    }

    /** The share of all quiet time, from the neighbour's stop on, in which something else than the baseline was in force. */
    double away(Arm arm) {
        double away = 0;
        double all = 0;
        for (Recording one : recordings.stream().filter(recording -> recording.slot().arm() == arm).toList()) {
            for (Recording.Stretch quiet : one.stretches().stream().filter(stretch -> !stretch.loud()).toList()) {
                away += one.away(quiet.from(), quiet.to()) * quiet.length().toMillis();
                all += quiet.length().toMillis();
            }
        }
        return away / all;
    }

    /** The share of all operations that somebody had who was not logged in; NaN if the load did not say it. */
    double anonymousShare() {
        return average(recordings, one -> one.figures(one.from(), one.to()).get("anonymous_share"));
    }

    /** What the mean of completed requests hides; empty if it hides nothing. */
    Optional<String> starvation(Arm arm, String neighbour, Half half) {
        return Starvation.words(figure -> change(arm, neighbour, half, figure).value(),
                figure -> both(arm, neighbour, half, figure));
    }

    /** The same for one period. */
    boolean starved(Period period) {
        return Stream.of(Half.values()).anyMatch(half -> periods(Arm.OFF, ALL).stream().filter(period::pairs)
                .filter(base -> known(half.of(period)) && known(half.of(base))).findFirst()
                .flatMap(base -> Starvation.words(figure -> half.of(period).get(figure) / half.of(base).get(figure) - 1,
                        figure -> new double[] {half.of(base).get(figure), half.of(period).get(figure)})).isPresent());
    }
}
