// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.training.compare.PaperFigures;
import org.ic2.training.evaluate.Figures;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;
import org.ic2.training.sweep.Directions;
import org.ic2.training.sweep.OptimaTable;
import org.ic2.training.sweep.Sweep;
import org.ic2.training.sweep.SweepReport;
import org.ic2.training.sweep.SweepRun;

/** Ours beside the paper's, figure by figure: as a page and as text. */
final class PaperPage {
    private final PaperPlan plan;
    private final PaperFigures figures;
    private final Map<SweepRun, List<Sweep.Point>> measured = new LinkedHashMap<>();
    private final Map<String, List<Directions>> directions = new LinkedHashMap<>();
    private final List<String> lacks = new ArrayList<>();
    private final Optional<Study> accuracy;

    /** @param accuracy figure 11, if there is anything to judge on */
    PaperPage(PaperPlan plan, PaperFigures figures, Map<String, List<SweepRun>> sweeps, Optional<Study> accuracy) throws IOException {
        this.plan = plan;
        this.figures = figures;
        this.accuracy = accuracy;
        for (Map.Entry<String, List<SweepRun>> one : sweeps.entrySet()) {
            for (SweepRun run : one.getValue()) {
                if (run.complete()) {
                    List<Sweep.Point> points = run.points();
                    measured.put(run, points);
                    directions.computeIfAbsent(one.getKey(), any -> new ArrayList<>()).addAll(Directions.of(run.sweep(), points));
                } else {
                    lacks.add("the sweep of " + run.sweep().name() + " beside " + one.getKey() + " is missing");
                }
            }
        }
        if (accuracy.isEmpty()) {
            lacks.add("figure 11 and the accuracy are missing: no run of the arm paper-online is there");
        } else if (accuracy.get().costs().stream().allMatch(one -> Double.isNaN(one.figures().missRate().value()))) {
            lacks.add("figure 11 is empty: in the runs of the arm paper-online the agent never knew what is normal, which takes " + MedianWindow.MIN_VALUES
                    + " samples without the neighbour");
        }
    }

    private String settings() {
        return figures.made() + " Neighbour on and off for " + plan.on().toSeconds() + " s at a time, an interval of " + plan.interval().toSeconds()
                + " s, Table 3 and Algorithm 1, no ladder, no starvation guard. The tree was trained on " + (plan.recorded().isPresent()
                ? "this tier." : "the repository's recordings, of another tier; --record trains on this one.");
    }

    /** The text: every table, and what the sweeps say. */
    List<String> text() {
        List<String> lines = new ArrayList<>(List.of("# The paper, measured here", ""));
        lines.addAll(figures.outcome());
        lines.addAll(List.of("", settings(), ""));
        lacks.forEach(lack -> lines.add("Note: " + lack + "."));
        tables().forEach(table -> lines.addAll(List.of(table.markdown().split("\n", -1))));
        measured.forEach((run, points) -> {
            lines.addAll(List.of("### " + run.sweep().name() + " beside " + run.neighbour() + " (figures 2 and 3)", ""));
            lines.addAll(SweepReport.verdicts(run.sweep(), points, Shipped.rules()));
            lines.add("");
        });
        return lines;
    }

    private List<Table> tables() {
        List<Table> tables = new ArrayList<>(figures.tables());
        tables.add(OptimaTable.of(directions));
        accuracy.ifPresent(study -> tables.add(costs(study)));
        return tables;
    }

    /** Figure 11 and section 5.1.3 in figures. */
    private static Table costs(Study study) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper, EC2", "1:1:1", "12 %", "", ""));
        rows.add(List.of("paper, EC2", "5:1:10", "6 %", "89 %", "73 %"));
        study.costs().forEach(one -> rows.add(List.of("ours", one.costs(), Figures.percent(one.figures().missRate()), Figures.percent(one.figures().recall()),
                Figures.percent(one.figures().precision()))));
        int runs = study.costs().get(0).figures().runs();
        return new Table("Accuracy by cost matrix (the paper's figure 11)", "Trees of load per operation, work done and response time, judged on what the agent of "
                + "the arm paper-online measured in " + (runs == 1 ? "one run" : runs + " runs") + "; what is truly transient is left out. In brackets: 95 % intervals, by "
                + "drawing runs.", List.of("whose", "costs a:b:c", "miss rate", "recall", "precision"), rows);
    }

    /** The page. */
    String html() {
        Html html = new Html("IC\u00b2: the paper, measured here");
        html.lead(String.join(" ", figures.outcome())).text(settings());
        if (!lacks.isEmpty()) {
            html.text("Note: " + String.join("; ", lacks) + ".");
        }
        figures.add(html);
        html.section("Table 2").table(OptimaTable.of(directions));
        measured.forEach((run, points) -> {
            html.section("Figures 2 and 3: " + run.sweep().name() + " beside " + run.neighbour());
            html.verbatim(String.join("\n", SweepReport.verdicts(run.sweep(), points, Shipped.rules())));
            SweepReport.figures(html, run.sweep(), points);
        });
        accuracy.ifPresent(study -> {
            StudyReport.costs(html, study);
            html.table(costs(study));
        });
        return html.page();
    }
}
