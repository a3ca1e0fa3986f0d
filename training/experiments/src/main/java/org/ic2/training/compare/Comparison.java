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
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Detection.Latency;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.RunChange;
import org.ic2.training.report.Words;

/**
 * All runs of a comparison, and what they say. Everything comes from the files in its folder.
 *
 * @param plan       what was asked for
 * @param recordings the runs that are there, in the plan's order
 * @param missing    those that are not
 * @param episodes   of interference, of all runs
 * @param interferenceFree phases without interference, of all runs
 * @param figures    of several of these of one run
 * @param machine    what else the machine did meanwhile
 */
record Comparison(ComparePlan plan, List<Recording> recordings, List<PlannedRun> missing, List<InterferenceEpisode> episodes,
        List<InterferenceFree> interferenceFree, RunFigures figures, BusyMachine machine) {
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
                recordings.stream().flatMap(one -> InterferenceEpisode.of(one, plan).stream()).toList(),
                recordings.stream().flatMap(one -> InterferenceFree.of(one, plan).stream()).toList(), new RunFigures(recordings),
                BusyMachine.read(folder, plan));
    }

    /** An episode and the same one of the baseline arm. */
    private record Pair(InterferenceEpisode own, InterferenceEpisode base) {
    }

    /** What an episode, or a phase without interference, is compared by. */
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

    List<InterferenceEpisode> episodes(Arm arm, String neighbour) {
        return episodes.stream().filter(one -> one.slot().arm() == arm && wanted(neighbour, one.slot())).toList();
    }

    private List<Pair> pairs(Arm arm, String neighbour, EpisodePart part) {
        List<Pair> pairs = new ArrayList<>();
        for (InterferenceEpisode own : episodes(arm, neighbour)) {
            episodes(Arm.OFF, neighbour).stream().filter(own::pairs).filter(base -> known(part.of(own)) && known(part.of(base)))
                    .findFirst().ifPresent(base -> pairs.add(new Pair(own, base)));
        }
        return pairs;
    }

    /** A window in which not a single operation was completed has no response time. */
    private static boolean known(Map<String, Double> figures) {
        return Double.isFinite(figures.getOrDefault("response_time", Double.NaN));
    }

    /** How many episodes can be compared. */
    int count(Arm arm, String neighbour, EpisodePart part) {
        return pairs(arm, neighbour, part).size();
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

    private List<Both> both(Arm arm, String neighbour, EpisodePart part) {
        Map<PlannedRun, List<Pair>> runs = pairs(arm, neighbour, part).stream().collect(Collectors.groupingBy(pair -> pair.own().slot(),
                LinkedHashMap::new, Collectors.toList()));
        return runs.values().stream().map(pairs -> new Both(together(pairs.stream().map(Pair::base).toList(), part),
                together(pairs.stream().map(Pair::own).toList(), part))).toList();
    }

    /** The figures of episodes of one run together. */
    private Map<String, Double> together(List<InterferenceEpisode> episodes, EpisodePart part) {
        return figures.of(episodes.get(0).slot(), episodes.stream().map(one -> one.window(part, figures, plan.firstHalf())).toList());
    }

    /** How many runs can be compared. */
    int runs(Arm arm, String neighbour, EpisodePart part) {
        return both(arm, neighbour, part).size();
    }

    /** The change of a figure against the same episodes of the baseline arm; -0.3 is 30 % less. */
    Estimate change(Arm arm, String neighbour, EpisodePart part, String figure) {
        return change(both(arm, neighbour, part), figure);
    }

    private static Estimate change(List<Both> runs, String figure) {
        List<Both> whole = runs.stream().filter(one -> one.whole(figure)).toList();
        return RunChange.of(whole.stream().mapToDouble(one -> one.own(figure)).toArray(),
                whole.stream().mapToDouble(one -> one.base(figure)).toArray());
    }

    /** What may be said of that change. */
    Effect effect(Arm arm, String neighbour, EpisodePart part, String figure) {
        return Effect.of(change(arm, neighbour, part, figure), acted(arm, neighbour));
    }

    /** Whether anything was changed beside the neighbour: by the tenant's agent, by the host's, or from the begin where no agent is. */
    boolean acted(Arm arm, String neighbour) {
        return !arm.on() || episodes(arm, neighbour).stream().anyMatch(episode -> episode.reconfigurations() > 0)
                || recordings.stream().filter(one -> one.slot().arm() == arm && wanted(neighbour, one.slot()))
                        .anyMatch(one -> one.hosted().values().stream().anyMatch(values -> values.stream().map(Turns.Value::amount).distinct().count() > 1));
    }

    /** The mean of a figure over an arm's runs, each with all its episodes. */
    double mean(Arm arm, String neighbour, EpisodePart part, String figure) {
        Map<PlannedRun, List<InterferenceEpisode>> runs = episodes(arm, neighbour).stream().filter(one -> known(part.of(one)))
                .collect(Collectors.groupingBy(InterferenceEpisode::slot, LinkedHashMap::new, Collectors.toList()));
        return average(runs.values(), episodes -> together(episodes, part).get(figure));
    }

    /** The most of a figure in any of an arm's episodes; NaN if it is known of none. */
    double most(Arm arm, String neighbour, EpisodePart part, String figure) {
        return episodes(arm, neighbour).stream().map(part::of).filter(Comparison::known).mapToDouble(figures -> figures.get(figure))
                .filter(Double::isFinite).max().orElse(Double.NaN);
    }

    /** The mean over the baseline's runs that have a partner in this arm, and over those partners. */
    double[] both(Arm arm, String neighbour, EpisodePart part, String figure) {
        List<Both> runs = both(arm, neighbour, part);
        return new double[] {average(runs, one -> one.base(figure)), average(runs, one -> one.own(figure))};
    }

    private static <T> double average(Collection<T> all, ToDoubleFunction<T> figure) {
        return all.stream().mapToDouble(figure).filter(Double::isFinite).average().orElse(Double.NaN);
    }

    List<InterferenceFree> interferenceFree(Arm arm) {
        return interferenceFree.stream().filter(one -> one.slot().arm() == arm).toList();
    }

    /** The change of a figure without interference against the same phases of the baseline arm. */
    Estimate changeWithout(Arm arm, String figure) {
        Map<PlannedRun, List<InterferenceFree>> runs = bySlot(interferenceFree(arm).stream().filter(own -> partner(own).isPresent()));
        return change(runs.values().stream().map(own -> new Both(settled(own.stream().map(one -> partner(one).orElseThrow()).toList()),
                settled(own))).toList(), figure);
    }

    private static Map<PlannedRun, List<InterferenceFree>> bySlot(Stream<InterferenceFree> interferenceFree) {
        return interferenceFree.collect(Collectors.groupingBy(InterferenceFree::slot, LinkedHashMap::new, Collectors.toList()));
    }

    private Optional<InterferenceFree> partner(InterferenceFree own) {
        return interferenceFree(Arm.OFF).stream().filter(own::pairs).findFirst().filter(base -> known(base.figures()) && known(own.figures()));
    }

    /** The figures of phases of one run together. */
    private Map<String, Double> settled(List<InterferenceFree> interferenceFree) {
        return figures.of(interferenceFree.get(0).slot(), interferenceFree.stream().map(one -> figures.window(one.slot(), one.begin(), one.seconds())).toList());
    }

    /** The mean of a figure over an arm's runs, each with all its phases without interference. */
    double meanWithout(Arm arm, String figure) {
        return average(bySlot(interferenceFree(arm).stream()).values(), interferenceFree -> settled(interferenceFree).get(figure));
    }

    /** The mean of a figure in an arm's phases without interference. */
    double meanWithout(Arm arm, ToDoubleFunction<InterferenceFree> figure) {
        return average(interferenceFree(arm), figure);
    }

    /** Starts (true) or stops (false) of the neighbour, and how fast they were noticed. */
    EpisodeDelays noticed(Arm arm, String neighbour, boolean onset) {
        return delays(episodes(arm, neighbour).stream().map(onset ? InterferenceEpisode::onset : InterferenceEpisode::end));
    }

    /** From the stop to the baseline, of the episodes at whose end something else was in force. */
    EpisodeDelays baseline(Arm arm, String neighbour) {
        return delays(episodes(arm, neighbour).stream().map(InterferenceEpisode::baseline));
    }

    private static EpisodeDelays delays(Stream<Optional<Latency>> latencies) {
        return EpisodeDelays.of(latencies.flatMap(Optional::stream).map(Latency::seconds).toList());
    }

    /** From the start to something, of the episodes whose start could be noticed. */
    EpisodeDelays after(Arm arm, String neighbour, Function<InterferenceEpisode, Optional<Double>> what) {
        return EpisodeDelays.of(episodes(arm, neighbour).stream().filter(episode -> episode.onset().isPresent()).map(what).toList());
    }

    /** The share of all time without interference, from the neighbour's stop on, in which something else than the baseline was in force. */
    double away(Arm arm) {
        double away = 0;
        double all = 0;
        for (Recording one : recordings.stream().filter(recording -> recording.slot().arm() == arm).toList()) {
            for (Recording.Phase phase : one.phases().stream().filter(phase -> !phase.interference()).toList()) {
                away += one.away(phase.from(), phase.to()) * phase.length().toMillis();
                all += phase.length().toMillis();
            }
        }
        return away / all;
    }

    /** The application and the machines of the figures. */
    String measuredOn() {
        return "Measured on " + plan.subject().text() + "; machine: " + (machines().isEmpty() ? "none yet" : String.join(", and ", machines())) + ".";
    }

    /** What the runs were made on, each once. */
    List<String> machines() {
        return recordings.stream().map(one -> one.run().facts()).map(facts -> facts.getOrDefault("cpu", "a machine that is not known")
                + (facts.containsKey("cpus") ? ", " + Words.count(Long.parseLong(facts.get("cpus")), "CPU") : "")
                + (facts.containsKey("kernel") ? ", " + facts.get("kernel") : "")).distinct().toList();
    }

    /** The share of all operations for visitors who were not logged in; NaN if the load did not say it. */
    double anonymousShare() {
        return average(recordings, one -> one.figures(one.from(), one.to()).get("anonymous_share"));
    }

    /** What the mean of completed requests hides; empty if it hides nothing. */
    Optional<String> starvation(Arm arm, String neighbour, EpisodePart part) {
        return Starvation.words(figure -> change(arm, neighbour, part, figure).value(),
                figure -> both(arm, neighbour, part, figure));
    }

    /** The same for one episode. */
    boolean starved(InterferenceEpisode episode) {
        return Stream.of(EpisodePart.values()).anyMatch(part -> episodes(Arm.OFF, ALL).stream().filter(episode::pairs)
                .filter(base -> known(part.of(episode)) && known(part.of(base))).findFirst()
                .flatMap(base -> Starvation.words(figure -> part.of(episode).get(figure) / part.of(base).get(figure) - 1,
                        figure -> new double[] {part.of(base).get(figure), part.of(episode).get(figure)})).isPresent());
    }
}
