// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.training.compare.AgentSettings;
import org.ic2.training.compare.Arm;
import org.ic2.training.compare.Compare;
import org.ic2.training.compare.ComparePlan;
import org.ic2.training.compare.Live;
import org.ic2.training.compare.Neighbour;
import org.ic2.training.compare.TestSubject;
import org.ic2.training.run.HostLever;
import org.ic2.training.run.QuieterMinute;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Setting;
import org.ic2.training.run.Testbed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2-train compare}: what IC² gains beside a neighbour, and what it costs without one. */
@Command(name = "compare", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Runs the same load beside the same neighbour with IC2 off and on, in turn.",
            "Makes the paper's Table 4 and figures 9 and 10. Writes report.html, summary.md, summary.json,"
            + " periods.csv, quiet.csv and every recording.",
            "Resumable: the same command makes only the runs that are missing; an interrupt keeps what was measured."})
final class CompareCommand implements Callable<Integer> {
    private static final double SETTLE_SHARE = 0.4;

    @Mixin
    private TestbedOptions common;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of recordings and report")
    private Path out;

    @Option(names = "--arms", paramLabel = "ARMS", split = ",", defaultValue = "off,paper-online,paper-graceful,ladder",
            description = {"off: IC2 off, at the optimum without interference; paper-online: IC2 as the paper published it (profile: paper), with",
                "httpd-online; paper-graceful: the same with httpd-basic (graceful restarts); ladder: IC2 as its package configures it, set to act,",
                "the agent on the tier's CPU and share; own-cpu: the same with an agent that has a CPU of its own; tuned: the ladder and",
                "MaxRequestWorkers with the experiment's target, times and budget; one-level: the same with a level an action; off-again: off,",
                "measured once more, which tells what is noise; always-on-1 to always-on-6: that level of the ladder and those below it all the",
                "time, without an agent; only-2, only-3, only-4 and only-6: that level alone; host-caps, host-caps+ladder and others: see --host;",
                "limit: a concurrency limiter instead, which answers 503 to what is too much. Default: ${DEFAULT-VALUE}"})
    private List<String> arms;

    @Option(names = "--host", paramLabel = "LEVER", arity = "0..1", split = ",", fallbackValue = "caps",
            description = {"both sides, on a testbed that was started with `testbed up --hosted`: neither agent (off); the tenant's with the ladder",
                "(tuned); ic2-host (host-LEVER), and both, with the contract between them (host-LEVER+ladder). LEVERs: caps of tier and neighbour",
                "(what --host alone means), weights by class, pins: the neighbour on another CPU. The report judges whether the two fight"})
    private List<HostLever> host = List.of();

    @Mixin
    private DryRun dryRun;

    @Mixin
    private ClusterOptions cluster;

    @Spec
    private CommandSpec spec;

    @Option(names = "--application", paramLabel = "NAME", defaultValue = "olio",
            description = {"what the running testbed has to be: olio, our own, or wordpress, started with `testbed up",
                "--application wordpress` (default: ${DEFAULT-VALUE}). On a stock httpd there are no arms paper-online and paper-graceful"})
    private String application;

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "public",
            description = {"load and pages that the running testbed has to have: public, mostly visitors who are not logged in, or olio,",
                "as the original Olio's, started with `testbed up --profile olio` (default: ${DEFAULT-VALUE})"})
    private String profile;

    @Option(names = "--neighbour", paramLabel = "NAME[=COMMAND]",
            description = {"interference: any program, such as 'mine=dcopy --size 64MB --threads 2' or 'packing=gzip -c /dev/zero', or one of",
                "dcopy-low, dcopy-high, llcprobe; repeat it for several (default: these three)"})
    private List<String> neighbours = List.of();

    @Option(names = "--duty", paramLabel = "PERCENT,...", split = ",",
            description = {"each neighbour for these parts of the time, such as 5,20,100, in place of --off: it stays for --on and rests in",
                "proportion; at 100 it is there for the whole run"})
    private List<Integer> duties = List.of();

    @Option(names = "--load-only", description = "no neighbour at all: with many --users IC2 must still do nothing")
    private boolean loadOnly;

    @Option(names = "--placement", paramLabel = "P",
            description = "of the neighbour: same-core or other-core (default: same-core; on a testbed in the layout apart other-core)")
    private String placement;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
            description = "runs of each arm beside each neighbour (default: ${DEFAULT-VALUE}; the paper: 16)")
    private int repeat;

    @Option(names = "--run", paramLabel = "T", converter = Times.class, defaultValue = "20m",
            description = "how long a run is, beginning with --off (default: ${DEFAULT-VALUE}; the paper: 1h)")
    private Duration length;

    @Option(names = "--on", paramLabel = "T", converter = Times.class, defaultValue = "240s",
            description = "how long the neighbour runs at a time (default: ${DEFAULT-VALUE}, as in the paper)")
    private Duration on;

    @Option(names = "--off", paramLabel = "T", converter = Times.class, defaultValue = "240s",
            description = "how long it rests (default: ${DEFAULT-VALUE}, as in the paper)")
    private Duration off;

    @Option(names = "--first-half", paramLabel = "T", converter = Times.class, defaultValue = "60s",
            description = "how much of --on counts as its first half, in which IC2 notices and acts (default: ${DEFAULT-VALUE},"
                    + " as in the paper)")
    private Duration firstHalf;

    @Option(names = "--levels", paramLabel = "N,N...", split = ",",
            description = "levels of the ladder that a mitigation goes through, ascending, such as 3,5,6 (default: all of them)")
    private List<Integer> levels = List.of();

    @Option(names = "--classifier", paramLabel = "FILE", description = "classifier.json to decide with (default: the shipped one)")
    private Path classifier;

    @Option(names = "--wait-for-quiet", paramLabel = "T", converter = Times.class, defaultValue = "0s",
            description = "how long each run waits at most for a minute in which others leave the machine alone (default: ${DEFAULT-VALUE})")
    private Duration wait;

    @Option(names = "--repeat-disturbed", paramLabel = "N", defaultValue = "0",
            description = {"how often a run is made again in which more than a tenth of the CPU went elsewhere, or the load was late;",
                "all tries are kept, the last one counts (default: ${DEFAULT-VALUE})"})
    private int repeatDisturbed;

    @Option(names = "--again", description = "measure nothing: make the report again from the files in DIR")
    private boolean again;

    @Override
    public Integer call() throws Exception {
        cluster.check(spec);
        if (cluster.cluster) {
            Optional<List<String>> asked = spec.commandLine().getParseResult().hasMatchedOption("--arms") ? Optional.of(arms) : Optional.empty();
            cluster.call(new ClusterOptions.Common(common, out.toAbsolutePath(), asked, neighbours, repeat, on, off,
                    readable().map(Path::toAbsolutePath), dryRun), again);
            return 0;
        }
        if (dryRun.asked()) {
            ComparePlan plan = checked(common.testbed());
            dryRun.say(plan.runs().stream().map(RunPlan::id).toList(), Live.estimate(out, plan));
            return 0;
        }
        Compare compare = new Compare(out.toAbsolutePath());
        if (!again) {
            measure(compare);
        }
        compare.report().forEach(System.out::println);
        return 0;
    }

    private void measure(Compare compare) throws IOException, InterruptedException {
        Testbed testbed = common.testbed();
        ComparePlan plan = checked(testbed);
        Live live = Live.of(out.toAbsolutePath(), plan);
        QuieterMinute quieter = new QuieterMinute(wait, live::waits);
        compare.run(plan, repeatDisturbed, arm -> new RunDriver(testbed, setting(testbed, plan, arm), Live.agentHome(out.toAbsolutePath(), arm),
                InstantSource.system(), RunDriver.RAMP_UP.plus(plan.leadIn())).after(quieter), live);
    }

    /** The paper's arms have its bounds, too, which let users starve. */
    private Setting setting(Testbed testbed, ComparePlan plan, Arm arm) {
        Setting usual = common.setting(testbed, plan.users()).withLevels(levels);
        return arm.published() ? usual.published(plan.users(), testbed.number("baseline", "php_children")) : usual;
    }

    /** The plan, on a testbed that is fit for it. */
    private ComparePlan checked(Testbed testbed) {
        must("--application", application, testbed, testbed.application());
        must("--profile", profile, testbed, testbed.profile());
        ComparePlan plan = plan(testbed);
        if (plan.hosted()) {
            testbed.hostGroup();
        }
        if (plan.arms().contains(Arm.LIMIT) && !testbed.limits()) {
            throw new IllegalArgumentException("--arms limit: the testbed in " + testbed.folder() + " was started before the limiter was "
                    + "built; `make limiter`, `testbed down`, then `testbed up`");
        }
        return plan;
    }

    private static void must(String option, String asked, Testbed testbed, String runs) {
        if (!runs.equals(asked)) {
            throw new IllegalArgumentException(option + " " + asked + ": the testbed in " + testbed.folder() + " runs " + runs
                    + "; `testbed down`, then `testbed up " + option + " " + asked + "`");
        }
    }

    private Optional<Path> readable() {
        if (classifier != null && !Files.isReadable(classifier)) {
            throw new IllegalArgumentException("--classifier: expected a classifier.json, got '" + classifier + "'");
        }
        return Optional.ofNullable(classifier);
    }

    private ComparePlan plan(Testbed testbed) {
        if (loadOnly && !neighbours.isEmpty()) {
            throw new IllegalArgumentException("expected either --load-only or --neighbour");
        }
        if (repeatDisturbed < 0) {
            throw new IllegalArgumentException("--repeat-disturbed: expected 0 or more, got " + repeatDisturbed);
        }
        Optional<Path> tree = readable();
        for (int i = 0; i < levels.size(); i++) {
            if (levels.get(i) <= (i == 0 ? 0 : levels.get(i - 1)) || levels.get(i) > Ladder.SHIPPED_LEVELS) {
                throw new IllegalArgumentException("--levels: expected levels from 1 to " + Ladder.SHIPPED_LEVELS + ", ascending, got " + levels);
            }
        }
        if (!duties.isEmpty() && (loadOnly || spec.commandLine().getParseResult().hasMatchedOption("--off"))) {
            throw new IllegalArgumentException("--duty: expected neither --off nor --load-only beside it");
        }
        List<Neighbour> named = neighbours.isEmpty() ? Neighbour.USUAL : neighbours.stream().map(Neighbour::of).toList();
        List<Neighbour> chosen = loadOnly ? List.of() : duties.isEmpty() ? named
                : named.stream().flatMap(one -> duties.stream().map(one::withDuty)).toList();
        Duration rest = duties.isEmpty() ? off : on;
        Duration most = Duration.ofMillis((long) (SETTLE_SHARE * rest.toMillis()));
        Setting setting = common.setting();
        List<Arm> measured = host.isEmpty() ? arms.stream().map(Arm::of).toList() : Stream.concat(Stream.of(Arm.OFF, Arm.TUNED),
                host.stream().flatMap(lever -> Stream.of(Arm.of(lever, false), Arm.of(lever, true)))).toList();
        return new ComparePlan(measured, chosen, testbed.neighbourhood().placement(placement), repeat, length, on, off, firstHalf,
                setting.settling().compareTo(most) < 0 ? setting.settling() : most, common.users(testbed), common.seed(),
                new AgentSettings(setting.interval(), setting.target(), setting.coolDown(), setting.response(),
                        tree.map(Path::toAbsolutePath), levels),
                new TestSubject(application, profile, testbed.server(), testbed.neighbourhood().layout()));
    }
}
