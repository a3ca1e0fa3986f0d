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
import java.util.function.Function;
import java.util.stream.Stream;
import org.ic2.knowledge.Lever;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Plans;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Product;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;

/**
 * The paper's training, from an empty folder to a tree and a report: record at the baseline, train; record with that tree
 * acting, train on half of each; record with that one acting, train; record again, with a neighbour that training never
 * saw, and judge. Resumable: recorded runs are not made again, trees are trained again.
 */
public final class Pipeline {
    private final Path folder;
    private final Scale scale;
    private final Plans plans;
    private final String attributes;
    private final double leastHarm;
    private final RunDriver driver;
    private final Function<Path, AgentArm> acting;

    /**
     * @param folder     of everything that is recorded and made
     * @param plans      the runs
     * @param attributes of the tree that acts and that is the result
     * @param leastHarm  see {@link Harm#labelled}
     * @param acting     who decides with a tree in phases 2 and 3
     */
    public Pipeline(Path folder, Scale scale, Plans plans, String attributes, double leastHarm, RunDriver driver, Function<Path, AgentArm> acting) {
        this.folder = folder;
        this.scale = scale;
        this.plans = plans;
        this.attributes = attributes;
        this.leastHarm = leastHarm;
        this.driver = driver;
        this.acting = acting;
    }

    /** How long the recording will take that is still to be done. */
    public Duration estimate() {
        Path tree = tree(3);
        return Collection.estimate(folder.resolve("phase-1"), phase(1)).plus(Collection.estimate(folder.resolve("phase-2"),
                phase(2))).plus(Collection.estimate(folder.resolve("phase-3"), phase(3)))
                .plus(Collection.estimate(folder.resolve("evaluation"), judgement(tree)));
    }

    /** Every run, in order. */
    public List<String> runs() {
        return Stream.of(phase(1), phase(2), phase(3), judgement(tree(3))).flatMap(List::stream).map(RunPlan::id).toList();
    }

    private Path tree(int phase) {
        return PhaseTrees.tree(folder, phase);
    }

    private Plans.Cycles once(Duration rest) {
        return new Plans.Cycles(1, plans.off(), rest);
    }

    private List<RunPlan> phase(int number) {
        AgentArm agent = number == 1 ? AgentArm.observer()
                : acting.apply(tree(number - 1).resolve(Product.CLASSIFIER));
        List<RunPlan> result = new ArrayList<>(plans.alternating("phase-" + number, scale.part(), once(Duration.ZERO),
                Plans.TRAINING, Plans.PLACEMENTS, agent));
        if (number == 3 && agent.levers().contains(Lever.MITIGATION)) {
            int ladders = Math.max(1, result.size() / 3);
            result = new ArrayList<>(result.subList(0, Math.max(1, result.size() - ladders)));
            result.addAll(plans.ladder("phase-3", ladders, Plans.TRAINING, Plans.PLACEMENTS.get(0), scale.settling()));
        }
        return result;
    }

    private List<RunPlan> judgement(Path tree) {
        AgentArm agent = acting.apply(tree.resolve(Product.CLASSIFIER));
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
        PhaseTrees trees = new PhaseTrees(folder, attributes, leastHarm, plans.seed());
        say(progress, 1, trees.first(collect("phase-1", phase(1), progress)));
        trees.harm().ratios().forEach((neighbour, ratio) -> progress.say(String.format(Locale.ROOT,
                "%s: response time %.1f times the one without interference%s", neighbour, ratio,
                ratio < leastHarm ? ", too little harm to be interference" : "")));
        say(progress, 2, trees.second(collect("phase-2", phase(2), progress)));
        say(progress, 3, trees.third(collect("phase-3", phase(3), progress)));
        List<Run> heldOut = trees.labelled(collect("evaluation", judgement(tree(3)), progress));
        progress.say("judging");
        Study study = Study.make(new Study.Plan(trees.taught(), trees.earlier(), heldOut, List.of(Attributes.PAPER, Attributes.RELATIVE, attributes)
                .stream().distinct().toList(), intervals, Costs.PRODUCTION, Costs.FIGURE_11, plans.seed()));
        write(study);
        return study;
    }

    private List<Run> collect(String name, List<RunPlan> runs, Progress progress) throws IOException, InterruptedException {
        progress.say(name + ": " + runs.size() + " runs");
        return new Collection(folder.resolve(name), driver, progress).make(runs);
    }

    private static void say(Progress progress, int phase, Path tree) {
        progress.say("tree of phase " + phase + ": " + tree);
    }

    private void write(Study study) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "ic2-train pipeline, attributes " + attributes + ", least harm " + leastHarm + ", seed "
                + plans.seed());
        facts.put("scale", scale.text());
        facts.put("order", "phase 1 at the baseline; phase 2 with the phase-1 tree acting, trained on half of each; phase 3 with"
                + " the phase-2 tree acting and every level set by hand; judged on runs with the final tree acting");
        StudyFiles.write(study, attributes, folder.resolve("report.html"), facts);
        study.of(attributes).product().write(folder);
    }
}
