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
import org.ic2.training.evaluate.Detection.Latency;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.RunChange;

/**
 * All runs of a comparison, and what they say. Everything comes from the files in its folder.
 *
 * @param plan       what was asked for
 * @param recordings the runs that are there, in the plan's order
 * @param missing    those that are not
 * @param periods    of interference, of all runs
 * @param quiets     stretches without interference, of all runs
 * @param figures    of several of these of one run
 * @param machine    what else the machine did meanwhile
 */
record Comparison(ComparePlan plan, List<Recording> recordings, List<PlannedRun> missing, List<Period> periods,
        List<Quiet> quiets, RunFigures figures, BusyMachine machine) {
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
                recordings.stream().flatMap(one -> Quiet.of(one, plan).stream()).toList(), new RunFigures(recordings),
                BusyMachine.read(folder, plan));
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

    /** What a run and the same one of the baseline arm did in the same windows. */
    private record Both(Map<String, Double> base, Map<String, Double> own) {
        double base(String figure) {
            return base.get(figure);
        }

        double own(String figure) {
            return own.get(figure);
        }

        boolean whole(String figure) {
            return Double.isFinite(own(figure)) && Double.isFinite(base(figure));
        }
    }

    private List<Both> both(Arm arm, String neighbour, Half half) {
        Map<PlannedRun, List<Pair>> runs = pairs(arm, neighbour, half).stream().collect(Collectors.groupingBy(pair -> pair.own().slot(),
                LinkedHashMap::new, Collectors.toList()));
        return runs.values().stream().map(pairs -> new Both(together(pairs.stream().map(Pair::base).toList(), half),
                together(pairs.stream().map(Pair::own).toList(), half))).toList();
    }

    /** Of periods of one run. */
    private Map<String, Double> together(List<Period> periods, Half half) {
        return figures.of(periods.get(0).slot(), periods.stream().map(one -> one.window(half, figures, plan.firstHalf())).toList());
    }

    /** How many runs can be compared. */
    int runs(Arm arm, String neighbour, Half half) {
        return both(arm, neighbour, half).size();
    }

    /** The change of a figure against the same periods of the baseline arm; -0.3 is 30 % less. */
    Estimate change(Arm arm, String neighbour, Half half, String figure) {
        return change(both(arm, neighbour, half), figure);
    }

    private static Estimate change(List<Both> runs, String figure) {
        List<Both> whole = runs.stream().filter(one -> one.whole(figure)).toList();
        return RunChange.of(whole.stream().mapToDouble(one -> one.own(figure)).toArray(),
                whole.stream().mapToDouble(one -> one.base(figure)).toArray());
    }

    /** What may be said of that change. */
    Effect effect(Arm arm, String neighbour, Half half, String figure) {
        return Effect.of(change(arm, neighbour, half, figure), acted(arm, neighbour));
    }

    /** Whether anything was changed beside the neighbour: by the tenant's agent, by the host's, or from the begin where no agent is. */
    boolean acted(Arm arm, String neighbour) {
        return !arm.on() || periods(arm, neighbour).stream().anyMatch(period -> period.reconfigurations() > 0)
                || recordings.stream().filter(one -> one.slot().arm() == arm && wanted(neighbour, one.slot()))
                        .anyMatch(one -> one.hosted().values().stream().anyMatch(values -> values.stream().map(Turns.Value::amount).distinct().count() > 1));
    }

    /** The mean of a figure over an arm's runs, each with all its periods. */
    double mean(Arm arm, String neighbour, Half half, String figure) {
        Map<PlannedRun, List<Period>> runs = periods(arm, neighbour).stream().filter(one -> known(half.of(one)))
                .collect(Collectors.groupingBy(Period::slot, LinkedHashMap::new, Collectors.toList()));
        return average(runs.values(), periods -> together(periods, half).get(figure));
    }

    /** The most of a figure in any of an arm's periods; NaN if it is known of none. */
    double most(Arm arm, String neighbour, Half half, String figure) {
        return periods(arm, neighbour).stream().map(half::of).filter(Comparison::known).mapToDouble(figures -> figures.get(figure))
                .filter(Double::isFinite).max().orElse(Double.NaN);
    }

    /** The mean over the baseline's runs that have a partner in this arm, and over those partners. */
    double[] both(Arm arm, String neighbour, Half half, String figure) {
        List<Both> runs = both(arm, neighbour, half);
        return new double[] {average(runs, one -> one.base(figure)), average(runs, one -> one.own(figure))};
    }

    private static <T> double average(Collection<T> all, ToDoubleFunction<T> figure) {
        return all.stream().mapToDouble(figure).filter(Double::isFinite).average().orElse(Double.NaN);
    }

    List<Quiet> quiets(Arm arm) {
        return quiets.stream().filter(one -> one.slot().arm() == arm).toList();
    }

    /** The change of a figure in the quiet against the same stretches of the baseline arm. */
    Estimate quietChange(Arm arm, String figure) {
        Map<PlannedRun, List<Quiet>> runs = bySlot(quiets(arm).stream().filter(own -> partner(own).isPresent()));
        return change(runs.values().stream().map(own -> new Both(settled(own.stream().map(one -> partner(one).orElseThrow()).toList()),
                settled(own))).toList(), figure);
    }

    private static Map<PlannedRun, List<Quiet>> bySlot(Stream<Quiet> quiets) {
        return quiets.collect(Collectors.groupingBy(Quiet::slot, LinkedHashMap::new, Collectors.toList()));
    }

    private Optional<Quiet> partner(Quiet own) {
        return quiets(Arm.OFF).stream().filter(own::pairs).findFirst().filter(base -> known(base.figures()) && known(own.figures()));
    }

    /** Of stretches of one run. */
    private Map<String, Double> settled(List<Quiet> quiets) {
        return figures.of(quiets.get(0).slot(), quiets.stream().map(one -> figures.window(one.slot(), one.begin(), one.seconds())).toList());
    }

    /** The mean of a figure over an arm's runs, each with all its quiet stretches. */
    double quietMean(Arm arm, String figure) {
        return average(bySlot(quiets(arm).stream()).values(), quiets -> settled(quiets).get(figure));
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

    /** Of what and on what the figures are. */
    String measuredOn() {
        return "Measured on " + plan.subject().text() + "; machine: " + (machines().isEmpty() ? "none yet" : String.join(", and ", machines())) + ".";
    }

    /** What the runs were made on, each once. */
    List<String> machines() {
        return recordings.stream().map(one -> one.run().facts()).map(facts -> facts.getOrDefault("cpu", "a machine that is not known")
                + (facts.containsKey("cpus") ? ", " + Words.count(Long.parseLong(facts.get("cpus")), "CPU") : "")
                + (facts.containsKey("kernel") ? ", " + facts.get("kernel") : "")).distinct().toList();
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
