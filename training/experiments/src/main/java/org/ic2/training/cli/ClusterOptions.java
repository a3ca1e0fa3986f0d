// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.training.cluster.ClusterArm;
import org.ic2.training.cluster.ClusterCompare;
import org.ic2.training.cluster.ClusterPlan;
import org.ic2.training.collect.Progress;
import org.ic2.training.compare.Neighbour;
import org.ic2.training.run.ClusterDriver;
import org.ic2.training.run.ClusterRun;
import org.ic2.training.run.Testbed;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of {@code ic2-train compare --cluster}, and what it does. */
final class ClusterOptions {
    /** What is for a single tier. */
    private static final List<String> NOT_HERE = List.of("--host", "--application", "--profile", "--load-only", "--placement", "--run",
            "--first-half", "--levels", "--wait-for-quiet", "--repeat-disturbed", "--duty");
    private static final List<String> ONLY_HERE = List.of("--noisy", "--open", "--sticky", "--keep-alive", "--least-share",
            "--share-headroom");

    @Option(names = "--cluster", description = {"servers behind a balancer, on a testbed that was started with `testbed up --webs 3 --balancer",
        "haproxy`; --off, then --on with neighbours, then --off again. Arms: roundrobin and leastconn, without agents; with",
        "roundrobin share (the share of the requests only), ladder (cheaper pages only) and share+ladder; leastconn+share+ladder; default: all"})
    boolean cluster;

    @Option(names = "--noisy", paramLabel = "N,N...", split = ",", description = "with --cluster: at how many servers there is a neighbour, each"
            + " in turn (default: 1 to all of them)")
    private List<Integer> noisy = List.of();

    @Option(names = "--open", paramLabel = "RATE", description = "with --cluster: an open loop of RATE operations per second (default: a closed one)")
    private Double rate;

    @Option(names = "--sticky", description = "with --cluster: a cookie keeps users at a server")
    private boolean sticky;

    @Option(names = "--keep-alive", paramLabel = "on|off", defaultValue = "on", description = "with --cluster: whether users keep their"
            + " connections (default: ${DEFAULT-VALUE})")
    private String keepAlive;

    @Option(names = "--least-share", paramLabel = "PERCENT", defaultValue = "20", description = "with --cluster: the least share of its requests that an"
            + " agent may ask for (default: ${DEFAULT-VALUE})")
    private int leastShare;

    @Option(names = "--share-headroom", paramLabel = "RATIO", defaultValue = "" + Sharing.HEADROOM, description = "with --cluster: how many times its usual"
            + " requests a server can serve, as agents are told (default: ${DEFAULT-VALUE})")
    private double headroom;

    /** Refuses options that would be of no effect. */
    void check(CommandSpec spec) {
        for (String option : cluster ? NOT_HERE : ONLY_HERE) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new IllegalArgumentException(option + ": " + (cluster ? "not with --cluster" : "only with --cluster"));
            }
        }
        if (!keepAlive.equals("on") && !keepAlive.equals("off")) {
            throw new IllegalArgumentException("--keep-alive: expected on or off, got '" + keepAlive + "'");
        }
    }

    /** What the command line says of single tiers and of clusters alike. */
    record Common(TestbedOptions testbed, Path out, Optional<List<String>> arms, List<String> neighbours, int repeat, Duration on, Duration off,
            Optional<Path> classifier, DryRun dryRun) {
    }

    /** Measures, and says where the report is. */
    void call(Common common, boolean again) throws Exception {
        ClusterCompare compare = new ClusterCompare(common.out());
        if (common.dryRun().asked()) {
            Testbed testbed = common.testbed().testbed();
            List<ClusterPlan.Slot> slots = plan(common, testbed, testbed.servers().size()).slots();
            common.dryRun().say(slots.stream().map(slot -> slot.run().id()).toList(), common.off().multipliedBy(2).plus(common.on())
                    .plus(Progress.OVERHEAD).multipliedBy(slots.size()));
            return;
        }
        if (!again) {
            Testbed testbed = common.testbed().testbed();
            List<Testbed> servers = testbed.servers();
            ClusterPlan plan = plan(common, testbed, servers.size());
            compare.run(plan, new ClusterDriver(testbed, common.testbed().setting(servers.get(0), plan.load().users()), common.classifier(),
                    InstantSource.system()), System.err::println);
        }
        System.out.println(compare.report());
        System.out.println(common.out().resolve(ClusterCompare.REPORT));
    }

    private ClusterPlan plan(Common common, Testbed testbed, int servers) {
        if (common.neighbours().size() > 1) {
            throw new IllegalArgumentException("--neighbour: with --cluster expected one kind of neighbour, got " + common.neighbours());
        }
        String program = Neighbour.of(common.neighbours().isEmpty() ? "llcprobe" : common.neighbours().get(0)).command();
        return new ClusterPlan(common.arms().map(all -> all.stream().map(ClusterArm::of).toList()).orElse(Arrays.asList(ClusterArm.values())),
                noisy.isEmpty() ? IntStream.rangeClosed(1, servers).boxed().toList() : noisy, servers, common.repeat(), program,
                new ClusterRun.Times(common.off(), common.on(), common.off()), new ClusterPlan.Load(common.testbed().users(testbed),
                        rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate), sticky, keepAlive.equals("on")),
                new ClusterRun.Shares(leastShare, headroom), common.testbed().seed());
    }
}
