// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Plans;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Testbed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train collect}: labelled recordings from the testbed. */
@Command(name = "collect", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Runs load and neighbour on the testbed, records what the agent measures and labels it.",
            "Resumable: the same command makes only the runs that are missing."})
final class CollectCommand implements Callable<Integer> {
    /** What the runs are like. */
    enum Shape { ALTERNATING, LADDER, SURGE, MIX, DEPLOYMENT, STEADY }

    @Mixin
    private TestbedOptions common;

    @Mixin
    private DryRun dryRun;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "the data set")
    private Path out;

    @Option(names = "--shape", paramLabel = "SHAPE", defaultValue = "alternating",
            description = {"alternating: the neighbour comes and goes; ladder: so too, with every level set by hand;",
                "surge: twice the users for a while; mix: half of them ask for other things for a while (our own application);",
                "deployment: dearer pages for a while; steady: the neighbour stays. Default: ${DEFAULT-VALUE}"})
    private Shape shape;

    @Option(names = "--kind", paramLabel = "NAME",
            description = "what the runs are for, also the begin of their names (default: collected); runs of the shapes surge, mix,"
                    + " deployment and steady are for these, NAME is the begin of their names")
    private String kind;

    @Option(names = "--time", paramLabel = "T", converter = Times.class, defaultValue = "20m",
            description = "for all runs together (default: ${DEFAULT-VALUE}; the paper: 10h)")
    private Duration time;

    @Option(names = "--on", paramLabel = "T", converter = Times.class, defaultValue = "60s",
            description = "how long the neighbour runs at a time (default: ${DEFAULT-VALUE}; the paper: 240s)")
    private Duration on;

    @Option(names = "--off", paramLabel = "T", converter = Times.class, defaultValue = "60s",
            description = "how long it rests (default: ${DEFAULT-VALUE}; the paper: 240s)")
    private Duration off;

    @Option(names = "--cycles", paramLabel = "N", defaultValue = "1",
            description = "how often it comes and goes in one run (default: ${DEFAULT-VALUE})")
    private int cycles;

    @Option(names = "--quiet-first", paramLabel = "T", converter = Times.class,
            description = "how long the neighbour first rests in a run, so that what is normal is learned"
                    + " (default: --off)")
    private Duration quietFirst;

    @Option(names = "--neighbour", paramLabel = "PROGRAM",
            description = "such as 'dcopy --size 20MB'; repeat it for several, which take turns (default: dcopy in five"
                    + " sizes and thread counts)")
    private List<String> neighbours = new ArrayList<>();

    @Option(names = "--placement", paramLabel = "P",
            description = {"same-core, other-core or both in turn (default: both; ladder and steady: same-core; on a testbed in the",
                "layout apart all of them other-core)"})
    private String placement;

    @Option(names = "--act-with", paramLabel = "FILE",
            description = "a classifier.json: the agent decides with it and acts (phases 2 and 3); default: it only observes")
    private Path classifier;

    @Override
    public Integer call() throws Exception {
        Testbed testbed = common.testbed();
        List<RunPlan> plans = plans(new Plans(common.users(testbed), common.seed(), on, off), testbed.neighbourhood().inTurn(placement),
                testbed.application());
        if (dryRun.asked()) {
            dryRun.say(plans.stream().map(RunPlan::id).toList(), Collection.estimate(out, plans));
            return 0;
        }
        PrintStream err = System.err;
        Progress progress = new Progress(err, System.console() != null, Collection.estimate(out, plans));
        progress.say(plans.size() + " runs, about " + Progress.text(Collection.estimate(out, plans)) + " to measure");
        new Collection(out.toAbsolutePath(), common.driver(testbed, out), progress).make(plans);
        List<Run> runs = DataSet.read(List.of(out));
        DataFiles.write(out, runs);
        long samples = runs.stream().mapToLong(run -> run.samples().size()).sum();
        System.out.println(out + ": " + runs.size() + " runs, " + samples + " samples; data.csv and data.arff hold them all");
        return 0;
    }

    private List<RunPlan> plans(Plans plans, List<String> placements, String application) {
        List<String> programs = neighbours.isEmpty() ? Plans.TRAINING : neighbours;
        if (quietFirst != null && shape != Shape.ALTERNATING) {
            throw new IllegalArgumentException("--quiet-first: only with --shape alternating");
        }
        if (classifier != null && shape == Shape.LADDER) {
            throw new IllegalArgumentException("--act-with: not with --shape ladder, in which the levels are set by hand");
        }
        if (shape == Shape.MIX && !application.equals("olio")) {
            throw new IllegalArgumentException("--shape mix: only with our own application, this testbed runs " + application);
        }
        String name = kind == null ? "collected" : kind;
        Duration first = quietFirst == null ? off : quietFirst;
        AgentArm agent = classifier == null ? AgentArm.observer() : AgentArm.acting(classifier.toAbsolutePath());
        return switch (shape) {
            case ALTERNATING -> plans.alternating(name, time, new Plans.Cycles(cycles, first, Duration.ZERO), programs,
                    placements, agent);
            case LADDER -> plans.ladder(name, (int) Math.max(1, time.toMillis()
                    / plans.cycle().plus(Progress.OVERHEAD).toMillis()), programs, placements.get(0),
                    common.setting().settling());
            case SURGE -> named(plans.surge(time, agent));
            case MIX -> named(plans.mix(time, agent));
            case DEPLOYMENT -> named(plans.deployment(time, agent));
            case STEADY -> named(plans.steady(time, programs.get(0), placements.get(0), agent));
        };
    }

    private List<RunPlan> named(RunPlan plan) {
        return List.of(kind == null || kind.equals(plan.kind()) ? plan : plan.named(kind + "-" + plan.id()));
    }
}
