// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Plans;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Phases;
import org.ic2.training.fit.Product;
import org.ic2.training.fit.Trainer;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;

/**
 * The paper's training, from an empty folder to a tree and a report: record at the baseline, train; record with that tree
 * acting, train on half of each; record with that one acting, train; record again, with a neighbour that training never
 * saw, and judge. Resumable: recorded runs are not made again, trees are trained anew.
 */
public final class Pipeline {
    private final Path folder;
    private final Scale scale;
    private final Plans plans;
    private final String attributes;
    private final double leastHarm;
    private final RunDriver driver;

    /**
     * @param folder     of everything that is recorded and made
     * @param plans      the runs
     * @param attributes of the tree that acts and that is the result
     * @param leastHarm  see {@link Harm#labelled}
     */
    public Pipeline(Path folder, Scale scale, Plans plans, String attributes, double leastHarm, RunDriver driver) {
        this.folder = folder;
        this.scale = scale;
        this.plans = plans;
        this.attributes = attributes;
        this.leastHarm = leastHarm;
        this.driver = driver;
    }

    /** How long the recording will take that is still to be done. */
    public Duration estimate() {
        Path tree = tree(3);
        return Collection.estimate(folder.resolve("phase-1"), phase(1)).plus(Collection.estimate(folder.resolve("phase-2"),
                phase(2))).plus(Collection.estimate(folder.resolve("phase-3"), phase(3)))
                .plus(Collection.estimate(folder.resolve("evaluation"), judgement(tree)));
    }

    private Path tree(int phase) {
        return folder.resolve("tree-" + phase);
    }

    private Plans.Cycles once(Duration rest) {
        return new Plans.Cycles(1, plans.off(), rest);
    }

    private List<RunPlan> phase(int number) {
        AgentArm agent = number == 1 ? AgentArm.observer()
                : AgentArm.acting(tree(number - 1).resolve(Product.CLASSIFIER));
        List<RunPlan> result = new ArrayList<>(plans.alternating("phase-" + number, scale.part(), once(Duration.ZERO),
                Plans.TRAINING, Plans.PLACEMENTS, agent));
        if (number == 3) {
            int ladders = Math.max(1, result.size() / 3);
            result = new ArrayList<>(result.subList(0, Math.max(1, result.size() - ladders)));
            result.addAll(plans.ladder("phase-3", ladders, Plans.TRAINING, Plans.PLACEMENTS.get(0), scale.settling()));
        }
        return result;
    }

    private List<RunPlan> judgement(Path tree) {
        AgentArm agent = AgentArm.acting(tree.resolve(Product.CLASSIFIER));
        Duration some = scale.part().multipliedBy(6).dividedBy(10);
        Duration other = scale.other();
        List<RunPlan> result = new ArrayList<>(plans.alternating("evaluation", some, once(plans.off()),
                Plans.EVALUATION, List.of(Plans.PLACEMENTS.get(0)), agent));
        result.add(plans.surge(other, agent));
        result.add(plans.deployment(other, agent));
        result.add(plans.steady(other, Plans.EVALUATION.get(0), Plans.PLACEMENTS.get(0), agent));
        result.addAll(plans.alternating(Study.BESIDE, Duration.ZERO, once(plans.off()), Plans.EVALUATION,
                List.of(Plans.PLACEMENTS.get(1)), agent));
        return result;
    }

    /**
     * Does all of it.
     *
     * @param intervals of the samples that the report compares; the first is the recorded one
     */
    public Study run(Progress progress, List<Duration> intervals) throws IOException, InterruptedException {
        for (int number = 1; number <= 3; number++) {
            new Collection(folder.resolve("phase-" + number), driver, progress).requireSame(phase(number));
        }
        new Collection(folder.resolve("evaluation"), driver, progress).requireSame(judgement(tree(3)));
        List<Run> quiet = collect("phase-1", phase(1), progress);
        Harm harm = Harm.of(quiet);
        harm.ratios().forEach((neighbour, ratio) -> progress.say(String.format(Locale.ROOT,
                "%s: response time %.1f times the quiet one%s", neighbour, ratio,
                ratio < leastHarm ? ", too little harm to be interference" : "")));
        List<Run> first = harm.labelled(quiet, leastHarm);
        List<Row> rows = Rows.of(first);
        fit(1, first, rows, Rows.labelled(rows), progress);
        List<Run> second = harm.labelled(collect("phase-2", phase(2), progress), leastHarm);
        List<Run> both = Run.inOrderOfTime(Study.concat(first, second));
        rows = Rows.of(both);
        fit(2, both, rows, Phases.second(Study.of(first, Rows.labelled(rows)), Study.of(second, Rows.labelled(rows)),
                plans.seed()), progress);
        List<Run> third = harm.labelled(collect("phase-3", phase(3), progress), leastHarm);
        rows = Study.of(third, Rows.of(Study.concat(both, third)));
        fit(3, third, rows, Rows.labelled(rows), progress);
        List<Run> heldOut = harm.labelled(collect("evaluation", judgement(tree(3)), progress), leastHarm);
        progress.say("judging");
        Study study = Study.make(new Study.Plan(third, both, heldOut, List.of(Attributes.PAPER, Attributes.RELATIVE, attributes)
                .stream().distinct().toList(), intervals, Costs.PRODUCTION, Costs.FIGURE_11, plans.seed()));
        write(study);
        return study;
    }

    private List<Run> collect(String name, List<RunPlan> runs, Progress progress) throws IOException, InterruptedException {
        progress.say(name + ": " + runs.size() + " runs");
        return new Collection(folder.resolve(name), driver, progress).make(runs);
    }

    private void fit(int phase, List<Run> runs, List<Row> rows, List<Row> teaching, Progress progress) throws IOException {
        Product product = Product.make(new Product.Order("phase " + phase, runs, rows, teaching, Attributes.parse(attributes),
                Trainer.Settings.of(Costs.parse(Costs.PRODUCTION)), 10, plans.seed()));
        product.write(tree(phase));
        progress.say("tree of phase " + phase + ": " + tree(phase).resolve(Product.CLASSIFIER));
    }

    private void write(Study study) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "ic2-train pipeline, attributes " + attributes + ", least harm " + leastHarm + ", seed "
                + plans.seed());
        facts.put("scale", scale.text());
        facts.put("order", "phase 1 at the baseline; phase 2 with the phase-1 tree acting, trained on half of each; phase 3 with"
                + " the phase-2 tree acting and every rung set by hand; judged on runs with the final tree acting");
        StudyFiles.write(study, attributes, folder.resolve("report.html"), facts);
        study.of(attributes).product().write(folder);
    }
}
