// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Detection;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.Figures;
import org.ic2.training.evaluate.Outliers;
import org.ic2.training.report.Html;
import org.ic2.training.report.Plot;
import org.ic2.training.report.TreePicture;
import org.ic2.training.report.Words;

/** A study as one HTML page that a reader understands without the paper. */
public final class StudyReport {
    private static final double GOAL_MISS = 0.02;
    private static final double GOAL_RECALL = 0.97;
    private static final double GOAL_PRECISION = 0.95;
    private static final double GOAL_ONSET = 3;
    private static final double GOAL_END = 10;
    private static final List<String> COLOURS = List.of("#4472a8", "#c2701c", "#2f8f5b", "#8a4fa3");

    private final Study study;
    private final Study.Case chosen;
    private final Map<String, String> facts;
    private final Html html = new Html("IC\u00b2: how well interference is detected");

    private StudyReport(Study study, String chosen, Map<String, String> facts) {
        this.study = study;
        this.chosen = study.of(chosen);
        this.facts = facts;
    }

    /**
     * The page.
     *
     * @param chosen the set of attributes whose tree is the result
     * @param facts  what was done and how long, for the end of the page
     */
    public static String html(Study study, String chosen, Map<String, String> facts) {
        StudyReport report = new StudyReport(study, chosen, facts);
        report.html.lead(report.outcome());
        report.figures();
        report.latencies();
        costs(report.html, study);
        KindsReport.add(report.html, study, report.chosen);
        report.example();
        report.tree();
        report.outliers();
        report.provenance();
        return report.html.page();
    }

    /** What came out, in plain words, good or bad. */
    private String outcome() {
        Figures figures = chosen.figures();
        StringBuilder text = new StringBuilder("On " + figures.runs()
                + (figures.runs() == 1 ? " run" : " runs") + " that no tree had seen, the tree of the attributes '"
                + chosen.name() + "' misses " + Figures.percent(figures.missRate()) + " of the samples (goal: at most 2 %), "
                + "sees " + Figures.percent(figures.recall()) + " of the interference (goal: at least 97 %), and is right in "
                + Figures.percent(figures.precision()) + " of the cases in which it says interference (goal: at least 95 %). ");
        List<String> missed = new ArrayList<>();
        gaps(missed, figures);
        text.append(missed.isEmpty() ? "All three goals are reached." : "Missed: " + String.join(", ", missed) + ".");
        List<String> inTraining = new ArrayList<>();
        chosen.product().validated().ifPresent(evaluation -> gaps(inTraining, chosen.figures(evaluation)));
        text.append(inTraining.isEmpty() ? "" : " In the cross-validation of the training runs these goals are missed: "
                + String.join(", ", inTraining) + ".");
        Detection.Spread onset = figures.onset();
        text.append(onset.detected() == 0 ? " No start of the neighbour was noticed." : String.format(Locale.ROOT, " Of %d starts of the "
                + "neighbour %d were noticed, half of them within %.1f s.", onset.count(), onset.detected(), onset.median()));
        return text.toString();
    }

    private static void gaps(List<String> missed, Figures figures) {
        gap(missed, "miss rate", figures.missRate().value() - GOAL_MISS);
        gap(missed, "recall", GOAL_RECALL - figures.recall().value());
        gap(missed, "precision", GOAL_PRECISION - figures.precision().value());
    }

    private static void gap(List<String> missed, String name, double gap) {
        if (gap > 0) {
            missed.add(String.format(Locale.ROOT, "%s by %.1f percentage points", name, 100 * gap));
        } else if (Double.isNaN(gap)) {
            missed.add(name + " (nothing to measure it on)");
        }
    }

    private void figures() {
        html.section("Miss rate, recall and precision");
        html.text("Every second (or five) of a recording is one sample. Its truth is known, because we started and stopped "
                + "the neighbour ourselves; the first seconds after each switch count as transient and are left out, as in the "
                + "paper. Miss rate: samples taken for the other side. Recall: how much of the interference is seen. Precision: "
                + "how often 'interference' is true. In brackets: the 95 % interval over runs, found by drawing whole "
                + "runs by chance; it is left out if there are fewer than three, or if all are alike. "
                + "'Held out': runs made for the judgement, also with a neighbour (llcprobe) that training "
                + "never saw. 'Cross-validated': each training run judged by a tree that was trained without it. "
                + "What was beside a neighbour that does next to no harm is in none of it, and has lines of its own below.");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper (EC2)", "5 s", "held out", "6 %", "89 %", "73 %"));
        rows.add(List.of("goal", "", "", "\u2264 2 %", "\u2265 97 %", "\u2265 95 %"));
        for (Study.Case one : study.cases()) {
            rows.add(row(one, "held out", one.figures()));
            one.product().validated().ifPresent(evaluation -> rows.add(row(one, "cross-validated", one.figures(evaluation))));
        }
        html.table(List.of("attributes", "interval", "judged on", "miss rate", "recall", "precision"), rows);
        study.leftOut().forEach(sentence -> html.text(Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1) + "."));
        html.text("paper: load per operation (CPU share / throughput), work done (response time x throughput x CPU share) and "
                + "response time, as measured. relative: the same, divided by what is normal on the machine. extended: relative, "
                + "and what a mitigation does not change (steal, memory latency, memory and disk pressure, the level).");
        chosen.figures(chosen.heldOut()).harmless().forEach((neighbour, one) -> html.text("Harmless: " + neighbour + ", " + one.text() + "."));
        confusion(chosen.figures().confusion());
    }

    private static List<String> row(Study.Case one, String on, Figures figures) {
        return List.of(one.attributes(), Words.seconds(one.interval()), on,
                judged(figures.missRate(), value -> value <= GOAL_MISS),
                judged(figures.recall(), value -> value >= GOAL_RECALL),
                judged(figures.precision(), value -> value >= GOAL_PRECISION));
    }

    private static String judged(Estimate estimate, Function<Double, Boolean> good) {
        String text = Figures.percent(estimate);
        return Double.isNaN(estimate.value()) ? text : (good.apply(estimate.value()) ? "+" : "!") + text;
    }

    private void confusion(Confusion confusion) {
        List<List<String>> rows = new ArrayList<>();
        for (Label truth : Label.values()) {
            List<String> row = new ArrayList<>(List.of(truth.name()));
            for (Label answer : Label.values()) {
                row.add(Long.toString(confusion.get(truth, answer)));
            }
            rows.add(row);
        }
        html.text("What the tree '" + chosen.name() + "' said of the held-out samples: each row is what was true, each column what "
                + "the tree said.");
        html.table(List.of("truth", "NO_INTERFERENCE", "TRANSIENT", "INTERFERENCE"), rows);
    }

    private void latencies() {
        html.section("How fast");
        html.text("From the start of the neighbour to the confirmed state I2 (the moment of mitigation), and from its stop to "
                + "NI2 (the moment of restoration). A state is confirmed by three samples in a row, so 3 intervals are the least. "
                + "By the tree's labels alone: a running agent may hold a mitigation for longer before it believes that it is over "
                + "(docs/knowledge-base.md). Counted over held-out and cross-validated runs. In brackets: 10th and 90th percentile. 'Not noticed' also "
                + "holds neighbours that do no harm, such as those on another core.");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper, private testbed", "5 s", "15 s", "", "10 s", ""));
        rows.add(List.of("paper, EC2", "5 s", "20 s", "", "65 s", ""));
        rows.add(List.of("goal", "", "\u2264 3 s", "", "\u2264 10 s", ""));
        for (Study.Case one : study.cases()) {
            List<Detection.Latency> all = new ArrayList<>(one.heldOut().latencies());
            one.product().validated().ifPresent(evaluation -> all.addAll(evaluation.latencies()));
            Detection.Spread onset = Detection.Spread.of(all, true);
            Detection.Spread end = Detection.Spread.of(all, false);
            rows.add(List.of(one.attributes(), Words.seconds(one.interval()), seconds(onset, GOAL_ONSET),
                    onset.detected() + " of " + onset.count(), seconds(end, GOAL_END), end.detected() + " of " + end.count()));
        }
        html.table(List.of("attributes", "interval", "start to mitigation (I2)", "noticed", "stop to restoration (NI2)",
                "noticed"), rows);
    }

    private static String seconds(Detection.Spread spread, double goal) {
        return spread.detected() == 0 ? "-" : String.format(Locale.ROOT, "%s%.1f s (%.1f to %.1f)",
                spread.median() <= goal ? "+" : "!", spread.median(), spread.low(), spread.high());
    }

    /** The paper's figure 11; nothing without cost matrices. */
    static void costs(Html html, Study study) {
        if (study.costs().isEmpty()) {
            return;
        }
        html.section("What wrong labels cost (the paper's figure 11)");
        List<String> matrices = study.costs().stream().map(Study.CostCase::costs).distinct().toList();
        for (String name : study.costs().stream().map(Study.CostCase::attributes).distinct().toList()) {
            List<Study.CostCase> own = study.costs().stream().filter(one -> one.attributes().equals(name)).toList();
            Plot plot = new Plot("costs a:b:c", "share of the samples, %").ticks(matrices);
            points(plot, own, "miss rate", 0, Figures::missRate);
            points(plot, own, "recall", 1, Figures::recall);
            points(plot, own, "precision", 2, Figures::precision);
            html.figure(plot.svg(), "Attributes '" + name + "', held-out runs, one tree for each cost matrix. a: the cost of taking "
                    + "none for interference, b: of taking a transient for anything else, c: of taking interference for none. "
                    + "The higher c against a, the fewer interferences are overlooked and the more false alarms there are. The "
                    + "paper went from 12 % missed with 1:1:1 to 6 % with 5:1:10.");
        }
    }

    private static void points(Plot plot, List<Study.CostCase> cases, String name, int colour,
            Function<Figures, Estimate> figure) {
        double[] x = new double[cases.size()];
        double[] y = new double[cases.size()];
        double[] low = new double[cases.size()];
        double[] high = new double[cases.size()];
        for (int i = 0; i < cases.size(); i++) {
            Estimate estimate = figure.apply(cases.get(i).figures());
            x[i] = i;
            y[i] = 100 * estimate.value();
            low[i] = 100 * estimate.low();
            high[i] = 100 * estimate.high();
        }
        plot.points(name, COLOURS.get(colour), x, y, low, high);
    }

    private void example() {
        chosen.heldOut().runs().stream().filter(run -> run.switches().size() > 1).findFirst().ifPresent(run -> {
            html.section("One run, second by second");
            html.figure(RunPlot.svg(run, chosen.heldOut().answers()), "The held-out run " + run.id() + ". Shaded: the neighbour ("
                    + KindsReport.neighbour(run) + ") runs. The band is the tree's label: green no interference, yellow transient, red "
                    + "interference; below, each change of the level, and the level that was in force.");
        });
    }

    private void tree() {
        html.section("The tree");
        html.text("Read it from the top: at each box compare the sample's value with the number; go left if it is less or equal, "
                + "right if it is greater. The wider a line, the more training weight went along it. A number in classifier.json "
                + "may be edited by hand; docs/training.md says how.");
        html.figure(TreePicture.svg(chosen.product().fitted().tree()), "The tree of '" + chosen.name() + "'.");
        html.verbatim(chosen.product().fitted().tree().toText());
    }

    private void outliers() {
        html.section("Interference found without labels");
        List<Run> runs = chosen.heldOut().runs();
        Outliers found = Outliers.of(runs, Metric.RESPONSE_TIME, 5, 1);
        html.text(String.format(Locale.ROOT, "A sample is an outlier if it lies further from the median (%.4f s) than five times the "
                + "median absolute deviation (%.4f s); the paper's equation 1. %d of %d held-out samples are. Stretches of them, "
                + "longest first:", found.median(), found.deviation(), found.outliers(), found.samples()));
        html.table(List.of("run", "seconds", "worst response time, s"), found.episodes().stream()
                .sorted((a, b) -> b.length().compareTo(a.length())).limit(12).map(episode -> List.of(episode.run(),
                        Long.toString(episode.length().toSeconds()), String.format(Locale.ROOT, "%.3f", episode.worst())))
                .toList());
    }

    private void provenance() {
        html.section("How it was made");
        List<List<String>> rows = new ArrayList<>();
        facts.forEach((name, value) -> rows.add(List.of(name, value)));
        Duration trained = length(study.plan().training());
        rows.add(List.of("recorded for the final tree", Progress.text(trained) + " in " + study.plan().training().size()
                + " runs; the paper: 10 h for each phase"));
        rows.add(List.of("recorded for the judgement", Progress.text(length(study.plan().heldOut())) + " in "
                + study.plan().heldOut().size() + " runs"));
        chosen.product().model().provenance().forEach((name, value) -> rows.add(List.of(name, value)));
        html.table(List.of("what", "value"), rows);
    }

    private static Duration length(List<Run> runs) {
        return runs.stream().map(Run::length).reduce(Duration.ZERO, Duration::plus);
    }
}
