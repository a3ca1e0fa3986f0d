// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Testbed;
import org.ic2.training.sweep.Directions;
import org.ic2.training.sweep.Sweep;
import org.ic2.training.sweep.SweepReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train sweep}: one parameter at a time, with and without interference. */
@Command(name = "sweep", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Varies one parameter with and without the neighbour and compares the directions with those of rules.yaml.",
            "The windows are interleaved, as in the paper's figures 2 and 3. Only directions that the data support count."
            + " Resumable."})
final class SweepCommand implements Callable<Integer> {
    private static final Map<Lever, List<Integer>> USUAL = Map.of(
            Lever.MAX_REQUEST_WORKERS, List.of(60, 120, 180, 240),
            Lever.KEEP_ALIVE_TIMEOUT, List.of(300, 1000, 2000, 4000),
            Lever.PHP_MAX_CHILDREN, List.of(8, 30, 60, 120),
            Lever.MITIGATION, IntStream.rangeClosed(0, Ladder.SHIPPED_RUNGS).boxed().toList());

    @Mixin
    private TestbedOptions common;

    @Mixin
    private DryRun dryRun;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of recordings and report")
    private Path out;

    @Option(names = "--lever", required = true, paramLabel = "NAME",
            description = "max-request-workers, keep-alive-timeout, php-max-children or mitigation")
    private String lever;

    @Option(names = "--values", paramLabel = "N", split = ",",
            description = "its values, the baseline's among them; KAT in milliseconds (default: some around it, of mitigation all)")
    private List<Integer> values;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "runs a point (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--settle", paramLabel = "T", converter = Times.class, defaultValue = "5s",
            description = "of each window, does not count (default: ${DEFAULT-VALUE})")
    private Duration settle;

    @Option(names = "--window", paramLabel = "T", converter = Times.class, defaultValue = "10s",
            description = "what counts (default: ${DEFAULT-VALUE}; the paper: 5m)")
    private Duration window;

    @Option(names = "--neighbour", paramLabel = "PROGRAM", defaultValue = "llcprobe --size 32MiB",
            description = "default: ${DEFAULT-VALUE}")
    private String neighbour;

    @Option(names = "--placement", paramLabel = "P",
            description = "same-core or other-core (default: same-core; on a testbed in the layout apart other-core)")
    private String placement;

    @Option(names = "--rules", paramLabel = "FILE", description = "rules.yaml to compare with (default: the shipped one)")
    private Path rules;

    @Override
    public Integer call() throws Exception {
        Lever chosen = Arrays.stream(Lever.values()).filter(one -> one.key().equals(lever)).findFirst().orElseThrow(() -> new IllegalArgumentException("--lever: expected one of "
                + Arrays.stream(Lever.values()).map(Lever::key).collect(Collectors.joining(", ")) + ", got '" + lever + "'"));
        KnowledgeBase knowledge = rules == null ? Shipped.rules()
                : RulesYaml.read(rules.toString(), TextFiles.joined(TextFiles.lines(rules)));
        Testbed testbed = common.testbed();
        Sweep sweep = new Sweep(chosen, values == null ? USUAL.get(chosen) : values, common.setting().baseline(), settle,
                window, rounds);
        List<RunPlan> plans = sweep.plans(common.users(testbed), common.seed(), neighbour,
                testbed.neighbourhood().placement(placement));
        if (dryRun.asked()) {
            dryRun.say(plans.stream().map(RunPlan::id).toList(), Collection.estimate(out, plans));
            return 0;
        }
        Progress progress = new Progress(System.err, System.console() != null, Collection.estimate(out, plans));
        progress.say(plans.size() + " rounds, about " + Progress.text(Collection.estimate(out, plans)) + " to measure");
        List<Run> runs = new Collection(out.toAbsolutePath(), common.driver(testbed, out), progress).make(plans);
        List<Sweep.Point> points = sweep.points(out, runs, common.seed());
        TextFiles.write(out.resolve(lever + ".csv"), TextFiles.joined(SweepReport.csv(sweep, points)));
        Map<String, String> facts = new LinkedHashMap<>(runs.get(0).facts());
        facts.put("windows", settle.toSeconds() + " s to settle, " + window.toSeconds() + " s counted");
        TextFiles.write(out.resolve(lever + ".html"), SweepReport.html(sweep, points, knowledge, facts));
        SweepReport.verdicts(Directions.of(sweep, points), knowledge).forEach(System.out::println);
        System.out.println(out.resolve(lever + ".html"));
        return 0;
    }
}
