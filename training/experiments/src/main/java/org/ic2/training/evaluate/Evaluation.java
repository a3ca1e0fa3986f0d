// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;

/**
 * All figures of one tree on labelled runs.
 *
 * @param runs       what it was judged on
 * @param byRun      one matrix a run
 * @param detections one a run, in the order of {@code runs}
 * @param steady     how firmly it sees what is mitigated
 * @param answers    every row with its answer
 */
public record Evaluation(List<Run> runs, Map<String, Confusion> byRun, List<Detection> detections, Steady steady,
        List<Answer> answers) {
    private static final double SECONDS_AN_HOUR = 3600;

    /** Evaluates a tree on runs. */
    public static Evaluation of(List<Run> runs, Function<Row, Label> tree) {
        return of(runs, Answer.of(Rows.of(runs), tree));
    }

    /** Evaluates given answers, such as those of a cross-validation. */
    public static Evaluation of(List<Run> runs, List<Answer> answers) {
        List<Run> ordered = Run.inOrderOfTime(runs);
        Map<String, List<Answer>> byRun = new LinkedHashMap<>();
        answers.forEach(answer -> byRun.computeIfAbsent(answer.row().run(), id -> new ArrayList<>()).add(answer));
        List<Detection> detections = new ArrayList<>();
        Steady steady = new Steady(0, 0, 0, 0, Duration.ZERO);
        for (Run run : ordered) {
            List<Answer> own = byRun.getOrDefault(run.id(), List.of());
            detections.add(Detection.of(run, own));
            steady = steady.plus(Steady.of(run, own));
        }
        return new Evaluation(ordered, Confusion.by(answer -> answer.row().run(), answers), detections, steady,
                List.copyOf(answers));
    }

    /** All runs together. */
    public Confusion confusion() {
        return byRun.values().stream().reduce(Confusion.empty(), Confusion::plus);
    }

    /** The same figures on some of the runs only. */
    public Evaluation only(java.util.function.Predicate<Run> which) {
        List<Run> some = runs.stream().filter(which).toList();
        List<String> ids = some.stream().map(Run::id).toList();
        return of(some, answers.stream().filter(answer -> ids.contains(answer.row().run())).toList());
    }

    /** What the tree said beside harmless neighbours, by neighbour. */
    public Map<String, Harmless> harmless() {
        Map<String, Run> byId = new HashMap<>();
        runs.forEach(run -> byId.put(run.id(), run));
        Map<String, Harmless> result = new TreeMap<>();
        for (Answer answer : answers) {
            Run run = byId.get(answer.row().run());
            if (answer.label().isPresent() && run != null && Harm.harmless(run, answer.row().sample())) {
                result.merge(Harm.neighbour(run), Harmless.of(run.interval(), answer.label().get()), Harmless::plus);
            }
        }
        return result;
    }

    /** The latencies of all runs. */
    public List<Detection.Latency> latencies() {
        return detections.stream().flatMap(detection -> detection.latencies().stream()).toList();
    }

    /** Reconfigurations in all runs. */
    public int reconfigurations() {
        return detections.stream().mapToInt(one -> one.mitigations() + one.restorations()).sum();
    }

    /** Reconfigurations that a wrong label caused, in all runs. */
    public int wrongReconfigurations() {
        return detections.stream().mapToInt(Detection::wrong).sum();
    }

    /** The same for an hour of judged time, NaN if nothing was judged. */
    public double wrongAnHour() {
        double seconds = detections.stream().mapToDouble(one -> one.judged().toMillis() / 1000.0).sum();
        return seconds > 0 ? wrongReconfigurations() / seconds * SECONDS_AN_HOUR : Double.NaN;
    }
}
