// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.training.collect.Progress;
import org.ic2.training.compare.Arm;
import org.ic2.training.compare.Compare;
import org.ic2.training.compare.ComparePlan;
import org.ic2.training.compare.Live;
import org.ic2.training.compare.PaperFigures;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.fit.Costs;
import org.ic2.training.sweep.SweepRun;

/**
 * Runs the paper: trains its tree in three phases, compares the baseline with its IC² on both httpds, sweeps its parameters. What is there
 * is not made again, and the report is of what is there.
 */
public final class Paper {
    /** The page for people, and the same as text. */
    public static final String REPORT = "paper.html";
    private static final String TEXT = "paper.md";
    private static final double LEAST_HARM = Double.parseDouble(Harm.USUAL);

    private final PaperPlan plan;
    private final Path home;

    /** @param home of the sources, with their recordings in {@code training/data} */
    public Paper(PaperPlan plan, Path home) {
        this.plan = plan;
        this.home = home;
    }

    /** Makes all runs that are missing. */
    public void measure() throws IOException, InterruptedException {
        Optional<Pipeline> pipeline = plan.pipeline();
        if (pipeline.isPresent()) {
            pipeline.get().run(new Progress(System.err, System.console() != null, pipeline.get().estimate()), List.of(plan.interval()));
        }
        train();
        ComparePlan arms = plan.compare();
        new Compare(plan.compared()).run(arms, 0, arm -> plan.driver(arm, arms), Live.of(plan.compared(), arms));
        for (List<SweepRun> some : plan.sweeps().values()) {
            for (SweepRun run : some) {
                run.make(plan.sweeper(run), new Progress(System.err, System.console() != null, run.estimate()), Shipped.rules());
            }
        }
    }

    /**
     * Trains the three trees. The repository's phases are so short that one alone holds too few intervals of 5 s, so all three teach its
     * last tree; of new recordings the third alone does, as in the paper.
     */
    void train() throws IOException {
        PhaseTrees trees = new PhaseTrees(plan.training(), Attributes.PAPER, LEAST_HARM, plan.seed());
        trees.first(phase(1));
        trees.second(phase(2));
        if (plan.recorded().isPresent()) {
            trees.third(phase(3));
        } else {
            trees.all(phase(3));
        }
    }

    /** What teaches the last tree. */
    List<Run> taught() throws IOException {
        List<Run> first = phase(1);
        Harm harm = Harm.of(first);
        List<Run> runs = new ArrayList<>(phase(3));
        if (plan.recorded().isEmpty()) {
            runs.addAll(first);
            runs.addAll(phase(2));
        }
        return harm.labelled(Run.inOrderOfTime(runs), LEAST_HARM);
    }

    private List<Run> phase(int number) throws IOException {
        Path folder = (plan.recorded().isPresent() ? plan.training() : home.resolve("training/data")).resolve("phase-" + number);
        List<Run> runs = DataSet.read(List.of(folder));
        List<Run> result = new ArrayList<>();
        for (Run run : runs) {
            result.add(run.interval().compareTo(plan.interval()) < 0 ? Resampling.to(plan.interval(), run) : run);
        }
        return result;
    }

    /** Figure 11 and the accuracy: trees for each cost matrix, judged on what the paper's IC² measured here. */
    Optional<Study> accuracy(List<Run> taught) throws IOException {
        List<Run> judged = DataSet.read(List.of(plan.compared())).stream().filter(run -> run.id().endsWith("-" + Arm.PAPER_ONLINE.key()) && run.fact(Run.BROKEN).isEmpty()
                && !run.samples().isEmpty()).toList();
        if (judged.isEmpty()) {
            return Optional.empty();
        }
        Duration interval = judged.get(0).interval();
        return Optional.of(Study.make(new Study.Plan(taught, List.of(), judged, List.of(Attributes.PAPER), List.of(interval), Costs.PRODUCTION,
                Costs.FIGURE_11, plan.seed())));
    }

    /** Writes the report of all that is there; returns it as lines. */
    public List<String> report() throws IOException {
        if (!Files.isDirectory(plan.compared())) {
            throw new IOException(plan.folder() + ": expected what `ic2-train paper` has measured, with the folder compare in it");
        }
        Map<String, List<SweepRun>> sweeps = plan.sweeps();
        PaperPage page = new PaperPage(plan, PaperFigures.read(plan.compared()), sweeps, accuracy(taught()));
        new Compare(plan.compared()).report();
        TextFiles.write(plan.folder().resolve(REPORT), page.html());
        List<String> lines = new ArrayList<>(page.text());
        TextFiles.write(plan.folder().resolve(TEXT), TextFiles.joined(lines));
        lines.add("report: " + plan.folder().resolve(REPORT));
        return lines;
    }
}
