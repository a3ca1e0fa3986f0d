// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.training.cli.DryRun;
import org.ic2.training.cli.TestbedOptions;
import org.ic2.training.cli.Times;
import org.ic2.training.run.Testbed;
import org.ic2.training.study.Paper;
import org.ic2.training.study.PaperPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train paper}: the paper as published, in one command. */
@Command(name = "paper", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Runs the paper: its tree, its IC2 on both httpds against the baseline, and sweeps of its three parameters.",
            "Prints Tables 2 and 4 and figures 2, 3, 7, 10 and 11 beside the paper's numbers; paper.html has the pictures, figure 9 too.",
            "Resumable: the same command makes only the runs that are missing. docs/paper.md says what came out."})
final class PaperCommand implements Callable<Integer> {
    /** With three neighbours 45 hours; the paper: 48. */
    private static final int USUAL_REPEAT = 5;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of everything")
    private Path out;

    @Option(names = "--short", description = "half an hour: one neighbour (llcprobe), one episode, one run an arm, smaller sweeps; without intervals")
    private boolean brief;

    @Option(names = "--record", paramLabel = "PART", arity = "0..1", fallbackValue = "0.1",
            description = {"records the three phases of training on this tier, at PART of the paper's 30 hours, such as 0.1 (${FALLBACK-VALUE} if none is",
                "given); by default the tree is trained on the recordings in training/data, which are of another tier"})
    private Double record;

    @Option(names = "--repeat", paramLabel = "N", description = "runs of each arm beside each neighbour (default: 5, with --short 1)")
    private Integer repeat;

    @Option(names = "--on", paramLabel = "T", converter = Times.class, defaultValue = "240s",
            description = "how long the neighbour runs at a time, and rests; an hour's run is shortened alike (default: ${DEFAULT-VALUE}, as in the paper)")
    private Duration on;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class, defaultValue = "5s",
            description = "of the agent's samples (default: ${DEFAULT-VALUE}, as in the paper)")
    private Duration interval;

    @Option(names = "--testbed", paramLabel = "DIR", description = "folder of the running testbed (default: build/testbed)")
    private Path folder;

    @Option(names = "--users", paramLabel = "N", description = "emulated users (default: as the testbed was started with)")
    private Integer users;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of all orders and of the load (default: ${DEFAULT-VALUE})")
    private long seed;

    @Mixin
    private DryRun dryRun;

    @Option(names = "--again", description = {"measure nothing: make the report again from the files in DIR;",
        "it needs only testbed.json of the testbed"})
    private boolean again;

    @Override
    public Integer call() throws Exception {
        Testbed testbed = TestbedOptions.testbed(folder);
        int runs = repeat != null ? repeat : brief ? 1 : USUAL_REPEAT;
        PaperPlan plan = new PaperPlan(out.toAbsolutePath(), testbed, users == null ? testbed.number("options", "users") : users, seed, brief, runs, on,
                interval, Optional.ofNullable(record));
        if (dryRun.asked()) {
            dryRun.say(plan.runs(), plan.estimate());
            return 0;
        }
        Paper paper = new Paper(plan, testbed.home());
        if (!again) {
            paper.measure();
        }
        paper.report().forEach(System.out::println);
        return 0;
    }
}
