// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.compare.Arm;
import org.ic2.training.compare.FalseAlarms;
import org.ic2.training.compare.AlarmScenario;
import org.ic2.training.compare.TestSubject;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Testbed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train alarms}: what IC² does when something slows the pages that is no neighbour. */
@Command(name = "alarms", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Runs the load without a neighbour while something else slows the pages, and counts what the agent does.",
            "The agent is expected to do nothing. Writes alarms.csv, alarms.md and every recording. Resumable."})
final class AlarmsCommand implements Callable<Integer> {
    @Mixin
    private TestbedOptions common;

    @Mixin
    private DryRun dryRun;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of recordings and table")
    private Path out;

    @Option(names = "--scenarios", paramLabel = "NAMES", split = ",", defaultValue = "surge,deployment,mix,cron,backup,database",
            description = {"surge: twice the users; deployment: dearer pages; mix: half of the users do other things; cron, backup: jobs in the",
                "tier's group; database: it answers late. Default: ${DEFAULT-VALUE}"})
    private List<String> scenarios;

    @Option(names = "--arm", paramLabel = "ARM", defaultValue = "ladder",
            description = "how the agent is configured, as in compare: paper-online, paper-graceful, ladder, tuned, one-level or own-cpu (default: ${DEFAULT-VALUE})")
    private String arm;

    @Option(names = "--run", paramLabel = "T", converter = Times.class, defaultValue = "6m",
            description = "how long a run is; it happens in the middle third (default: ${DEFAULT-VALUE})")
    private Duration length;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1", description = "runs of each (default: ${DEFAULT-VALUE})")
    private int repeat;

    @Override
    public Integer call() throws Exception {
        Testbed testbed = common.testbed();
        Path folder = out.toAbsolutePath();
        int users = common.users(testbed);
        FalseAlarms alarms = new FalseAlarms(scenarios.stream().map(AlarmScenario::of).distinct().toList(), repeat, length, users, common.seed(),
                Arm.of(arm), new TestSubject(testbed.application(), testbed.profile(), testbed.server(), testbed.neighbourhood().layout()));
        if (dryRun.asked()) {
            dryRun.say(alarms.runs().stream().map(RunPlan::id).toList(), Collection.estimate(folder, alarms.runs()));
            return 0;
        }
        Progress progress = new Progress(System.err, System.console() != null, Collection.estimate(folder, alarms.runs()));
        alarms.run(folder, new RunDriver(testbed, common.setting(testbed, users), FalseAlarms.agentHome(folder), InstantSource.system()), progress);
        System.out.println(alarms.report(folder));
        return 0;
    }
}
