// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.training.collect.Plans;
import org.ic2.training.compare.AgentSettings;
import org.ic2.training.compare.Arm;
import org.ic2.training.compare.ComparePlan;
import org.ic2.training.compare.Live;
import org.ic2.training.compare.Neighbour;
import org.ic2.training.compare.TestSubject;
import org.ic2.training.data.Attributes;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.fit.Product;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Setting;
import org.ic2.training.run.Testbed;
import org.ic2.training.sweep.Sweep;
import org.ic2.training.sweep.SweepRun;

/**
 * The paper as published, on a testbed: which runs it takes.
 *
 * @param folder   of everything
 * @param testbed  on which it runs
 * @param users    emulated users
 * @param seed     of all orders and of the load
 * @param brief    one neighbour, one episode, one run an arm
 * @param repeat   runs of each arm beside each neighbour
 * @param on       how long the neighbour runs at a time, and rests; the paper: 240 s
 * @param interval of the agent; the paper: 5 s
 * @param recorded how much of the paper's 30 hours of training is recorded again; empty: the repository's recordings teach
 */
public record PaperPlan(Path folder, Testbed testbed, int users, long seed, boolean brief, int repeat, Duration on, Duration interval,
        Optional<Double> recorded) {
    private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);
    /** Of an episode: with fewer, no label is confirmed before it ends. */
    private static final int LEAST_SAMPLES = 8;
    /** 60 s of 240. */
    private static final int FIRST_SHARE = 4;
    private static final double SETTLE_SHARE = 0.4;
    private static final Duration SETTLE = Duration.ofSeconds(30);
    private static final Duration TARGET = Duration.ofMillis(100);
    private static final Duration COOL_DOWN = Duration.ofSeconds(10);
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);
    private static final int ROUNDS = 3;
    private static final Neighbour STRONGEST = Neighbour.of("llcprobe");

    /** Refuses what no run can be made of. */
    public PaperPlan {
        must(repeat >= 1, "--repeat: expected 1 or more, got " + repeat);
        must(users >= 1, "--users: expected 1 or more, got " + users);
        Duration longest = on.dividedBy(LEAST_SAMPLES);
        must(interval.compareTo(LEAST_INTERVAL) >= 0 && interval.compareTo(longest) <= 0, "--interval: expected from " + LEAST_INTERVAL.toMillis()
                + "ms to an eighth of --on (" + longest.toMillis() + "ms), got " + interval.toMillis() + "ms");
        must(recorded.filter(part -> !(part > 0 && part <= 1)).isEmpty(), "--record: expected more than 0 and at most 1, got "
                + recorded.map(String::valueOf).orElse(""));
    }

    private static void must(boolean fits, String otherwise) {
        if (!fits) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** Half cycles of a run: the paper's hour holds 15 of 240 s. */
    private int parts() {
        return brief ? 2 : 15;
    }

    private Duration settle() {
        return Collections.min(List.of(SETTLE, Duration.ofMillis((long) (SETTLE_SHARE * on.toMillis()))));
    }

    /** How tier and agent are set. */
    Setting setting() {
        return Setting.of(interval, settle(), TARGET, COOL_DOWN, Setting.FABAN_LOG).published(users, testbed.number("baseline", "php_children"));
    }

    private List<Neighbour> neighbours() {
        return brief ? List.of(STRONGEST) : Neighbour.USUAL;
    }

    Path training() {
        return folder.resolve("training");
    }

    /** The tree that decides. */
    Path tree() {
        return PhaseTrees.tree(training(), ROUNDS).resolve(Product.CLASSIFIER);
    }

    Path compared() {
        return folder.resolve("compare");
    }

    /** Arms a, b and c beside each neighbour. */
    public ComparePlan compare() {
        return new ComparePlan(List.of(Arm.OFF, Arm.PAPER_ONLINE, Arm.PAPER_GRACEFUL), neighbours(), testbed.neighbourhood().placement(null), repeat,
                on.multipliedBy(parts()), on, on, on.dividedBy(FIRST_SHARE), settle(), users, seed,
                new AgentSettings(interval, TARGET, COOL_DOWN, Setting.FABAN_LOG, Optional.of(tree()), List.of()),
                new TestSubject(testbed.application(), testbed.profile(), testbed.server(), testbed.neighbourhood().layout()));
    }

    /** Makes the runs of an arm. */
    RunDriver driver(Arm arm, ComparePlan plan) {
        return new RunDriver(testbed, setting(), Live.agentHome(compared(), arm), InstantSource.system(), RunDriver.RAMP_UP.plus(plan.leadIn()));
    }

    /** The phases of training, if they are recorded. */
    Optional<Pipeline> pipeline() {
        return recorded.map(part -> {
            Scale scale = new Scale(part, interval, SETTLE);
            Setting setting = setting();
            Duration rampUp = Collections.min(List.of(RunDriver.RAMP_UP, scale.settling()));
            return new Pipeline(training(), scale, new Plans(users, seed, scale.phase(), scale.phase()), Attributes.PAPER, Double.parseDouble(Harm.USUAL),
                    new RunDriver(testbed, setting, training().resolve("agent"), InstantSource.system(), rampUp), AgentArm::published);
        });
    }

    /** Figures 2 and 3: each parameter alone, and MaxRequestWorkers with KeepAliveTimeout; by neighbour. */
    public Map<String, List<SweepRun>> sweeps() {
        Map<String, List<SweepRun>> result = new LinkedHashMap<>();
        for (Neighbour one : neighbours()) {
            List<List<Sweep.Axis>> swept = new ArrayList<>();
            if (brief) {
                swept.add(List.of(axis(Lever.MAX_REQUEST_WORKERS, 60, 240), axis(Lever.KEEP_ALIVE_TIMEOUT, 1000, 4000)));
                swept.add(List.of(axis(Lever.PHP_MAX_CHILDREN, 60, 120)));
            } else {
                Sweep.Axis workers = axis(Lever.MAX_REQUEST_WORKERS, 60, 90, 120, 180, 240);
                Sweep.Axis timeout = axis(Lever.KEEP_ALIVE_TIMEOUT, 400, 1000, 2000, 4000, 8000);
                swept.add(one.equals(STRONGEST) ? List.of(workers, timeout) : List.of(workers));
                if (!one.equals(STRONGEST)) {
                    swept.add(List.of(timeout));
                }
                swept.add(List.of(axis(Lever.PHP_MAX_CHILDREN, 8, 60, 200, 400)));
            }
            result.put(one.name(), swept.stream().map(axes -> new SweepRun(new Sweep(axes, Setting.of(SWEEP_INTERVAL, SETTLE, TARGET, COOL_DOWN,
                    "mod-status").baseline(), Duration.ofSeconds(5), Duration.ofSeconds(10), brief ? 1 : ROUNDS), folder.resolve("sweeps").resolve(one.name()),
                    users, seed, one.command(), testbed.neighbourhood().placement(null))).toList());
        }
        return result;
    }

    private static Sweep.Axis axis(Lever lever, Integer... values) {
        return new Sweep.Axis(lever, List.of(values));
    }

    /** Makes the runs of a sweep. */
    RunDriver sweeper(SweepRun run) {
        return new RunDriver(testbed, Setting.of(SWEEP_INTERVAL, SETTLE, TARGET, COOL_DOWN, "mod-status"), run.folder().resolve("agent"), InstantSource.system());
    }

    /** What is still to be made takes so long. */
    public Duration estimate() {
        return pipeline().map(Pipeline::estimate).orElse(Duration.ZERO).plus(Live.estimate(compared(), compare()))
                .plus(sweeps().values().stream().flatMap(List::stream).map(SweepRun::estimate).reduce(Duration.ZERO, Duration::plus));
    }

    /** Every run, in order. */
    public List<String> runs() {
        List<String> runs = new ArrayList<>(pipeline().map(Pipeline::runs).orElse(List.of()).stream().map(id -> "training: " + id).toList());
        compare().runs().forEach(run -> runs.add("compare: " + run.id()));
        sweeps().forEach((neighbour, some) -> some.stream().flatMap(run -> run.plans().stream()).map(RunPlan::id)
                .forEach(id -> runs.add("beside " + neighbour + ": " + id)));
        return runs;
    }
}
