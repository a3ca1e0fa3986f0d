// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
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
import org.ic2.training.collect.Progress;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Testbed;
import org.ic2.training.sweep.Sweep;
import org.ic2.training.sweep.SweepRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train sweep}: one parameter, or two at once, with and without interference. */
@Command(name = "sweep", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Varies one parameter, or two at once, with and without the neighbour, and compares the directions with those of rules.yaml.",
            "One is the paper's figure 2, two are the map of its figure 3. The windows are interleaved. Only directions that the data",
            "support count. Writes NAME.csv and NAME.html. Resumable."})
final class SweepCommand implements Callable<Integer> {
    private static final Map<Lever, List<Integer>> USUAL = Map.of(
            Lever.MAX_REQUEST_WORKERS, List.of(60, 120, 180, 240),
            Lever.KEEP_ALIVE_TIMEOUT, List.of(300, 1000, 2000, 4000),
            Lever.PHP_MAX_CHILDREN, List.of(8, 30, 60, 120),
            Lever.MITIGATION, IntStream.rangeClosed(0, Ladder.SHIPPED_LEVELS).boxed().toList());

    @Mixin
    private TestbedOptions common;

    @Mixin
    private DryRun dryRun;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of recordings and report")
    private Path out;

    @Option(names = "--lever", required = true, paramLabel = "NAME[=VALUE,...]",
            description = {"max-request-workers, keep-alive-timeout, php-max-children or mitigation; twice: each value of the first with each of the",
                "second. Values, the baseline's among them: numbers, KAT with its unit, such as keep-alive-timeout=300ms,1s,4s",
                "(default: some around the baseline's, of mitigation all)"})
    private List<String> levers;

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
        KnowledgeBase knowledge = rules == null ? Shipped.rules()
                : RulesYaml.read(rules.toString(), TextFiles.joined(TextFiles.lines(rules)));
        Testbed testbed = common.testbed();
        Sweep sweep = new Sweep(levers.stream().map(SweepCommand::axis).toList(), common.setting().baseline(), settle, window, rounds);
        SweepRun run = new SweepRun(sweep, out.toAbsolutePath(), common.users(testbed), common.seed(), neighbour,
                testbed.neighbourhood().placement(placement));
        if (dryRun.asked()) {
            dryRun.say(run.plans().stream().map(RunPlan::id).toList(), run.estimate());
            return 0;
        }
        Progress progress = new Progress(System.err, System.console() != null, run.estimate());
        progress.say(rounds + " rounds, about " + Progress.text(run.estimate()) + " to measure");
        run.make(common.driver(testbed, out), progress, knowledge).forEach(System.out::println);
        System.out.println(run.page());
        return 0;
    }

    /** {@code NAME} or {@code NAME=VALUE,...}. */
    static Sweep.Axis axis(String text) {
        String[] parts = text.split("=", 2);
        Lever lever = Arrays.stream(Lever.values()).filter(one -> one.key().equals(parts[0].strip())).findFirst().orElseThrow(() ->
                new IllegalArgumentException("--lever: expected one of " + Arrays.stream(Lever.values()).map(Lever::key)
                        .collect(Collectors.joining(", ")) + ", got '" + parts[0] + "'"));
        if (parts.length == 1) {
            return new Sweep.Axis(lever, USUAL.get(lever));
        }
        try {
            return new Sweep.Axis(lever, Arrays.stream(parts[1].split(",", -1)).map(value -> lever.parse(value.strip())).toList());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--lever " + text + ": " + e.getMessage(), e);
        }
    }
}
