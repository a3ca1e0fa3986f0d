// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;

/**
 * Makes one run: the baseline is set, load, agent and neighbour start, the measured time begins once the load is steady
 * and the neighbour has touched its memory, changes happen at their times, and at the end (also after an interrupt or a
 * failure) everything is stopped, the baseline put back and what was measured written.
 *
 * <p>A run's folder holds {@code run.json} and {@code samples.csv} (see {@link RunFolder}), {@code load/} (the client's
 * view), {@code usage.csv} (CPU of tier and agent), {@code machine.csv} (of all else),
 * {@code counters.csv} if the plan asks for readings, {@code neighbour.csv}, {@code journal.jsonl}, the agent's {@code agent.yaml} and the logs.
 */
public final class RunDriver {
    /** Time until all users are there. */
    public static final Duration RAMP_UP = Duration.ofSeconds(5);
    private static final String READY = "the neighbour has touched its memory";
    /** The least time for the neighbours to start and to touch their memory. */
    private static final Duration NEIGHBOURS_WITHIN = Duration.ofSeconds(6);
    private static final Duration POLL_EVERY = Duration.ofMillis(100);
    private static final int LOAD_SLACK_SECONDS = 150;

    private final Testbed testbed;
    private final Setting setting;
    private final InstantSource clock;
    private final Path agentHome;
    private final Duration rampUp;
    private final Optional<QuieterMinute> quieter;

    /** A driver whose runs begin with the usual ramp-up. */
    public RunDriver(Testbed testbed, Setting setting, Path agentHome, InstantSource clock) {
        this(testbed, setting, agentHome, clock, RAMP_UP);
    }

    /**
     * @param agentHome where the agents of all runs of an experiment keep their state, so that what is normal is learned
     *                  once
     * @param rampUp    how long the load runs before the measured time begins
     */
    public RunDriver(Testbed testbed, Setting setting, Path agentHome, InstantSource clock, Duration rampUp) {
        this(testbed, setting, agentHome, clock, rampUp, Optional.empty());
    }

    private RunDriver(Testbed testbed, Setting setting, Path agentHome, InstantSource clock, Duration rampUp, Optional<QuieterMinute> quieter) {
        this.testbed = testbed;
        this.setting = setting;
        this.agentHome = agentHome;
        this.clock = clock;
        this.rampUp = rampUp;
        this.quieter = quieter;
    }

    /** The same, which looks at the machine ahead of each run. */
    public RunDriver after(QuieterMinute look) {
        return new RunDriver(testbed, setting, agentHome, clock, rampUp, Optional.of(look));
    }

    /**
     * Makes a run.
     *
     * @param folder   of the run; new, or what a broken run left
     * @param progress gets the measured time so far, about once a second
     * @throws InterruptedException after cleaning up and writing what was measured
     */
    public Run run(RunPlan plan, Path folder, Consumer<Duration> progress) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Files.createDirectories(agentHome);
        Path journal = agentHome.resolve("journal.jsonl");
        long journalBefore = Files.exists(journal) ? Files.size(journal) : 0;
        Optional<Instant> end = Optional.empty();
        String problem = "";
        try (Stage stage = new Stage()) {
            end = Optional.of(measure(plan, folder, stage, progress));
        } catch (IOException | InterruptedException | RuntimeException e) {
            problem = e instanceof InterruptedException ? "interrupted" : String.valueOf(e.getMessage());
            throw e;
        } finally {
            Optional<Instant> to = end;
            String reason = problem;
            calmly(() -> {
                RunCompletion.journal(folder, journal, journalBefore);
                RunCompletion.end(folder, to, reason);
            });
        }
        return RunFolder.read(folder);
    }

    /** What a run of this plan will say about how it was made, without what the testbed and the machine add. */
    public Map<String, String> settings(RunPlan plan) {
        Map<String, String> facts = new LinkedHashMap<>(plan.facts());
        facts.put("settling", setting.settling().toSeconds() + " s");
        facts.put("response", setting.response());
        facts.put("target", plan.agent().shipped() && !setting.given().target() ? "as shipped" : setting.target().toMillis() + " ms");
        facts.put("cool-down", plan.agent().shipped() && !setting.given().coolDown() ? "as shipped" : setting.coolDown().toMillis() + " ms");
        return facts;
    }

    /** The time between two samples. */
    public Duration interval() {
        return setting.interval();
    }

    private Map<String, String> facts(RunPlan plan) throws IOException {
        Map<String, String> facts = settings(plan);
        facts.putAll(testbed.options());
        facts.putAll(Machine.facts());
        return facts;
    }

    private Instant measure(RunPlan plan, Path folder, Stage stage, Consumer<Duration> progress)
            throws IOException, InterruptedException {
        WebTier tier = new WebTier(testbed, folder.resolve("tier.log"));
        tier.restore(setting.baseline());
        stage.add(() -> calmly(() -> {
            if (plan.agent().graceful()) {
                tier.restart();
            }
            tier.restore(setting.baseline());
        }));
        MachineMeter machine = new MachineMeter(folder.resolve(MachineUse.FILE), testbed);
        if (quieter.isPresent()) {
            quieter.get().await(machine, clock);
        }
        Path load = folder.resolve("load");
        stage.need(startLoad(plan.users(), plan.seed(), plan.length().plusSeconds(LOAD_SLACK_SECONDS), rampUp, load,
                List.of()));
        if (plan.host().isPresent()) {
            stage.need(HostSide.start(testbed, setting, plan.host().get(), folder));
        }
        Optional<ChildProcess> agent = plan.agent().on() ? Optional.of(stage.need(startAgent(plan, folder))) : Optional.empty();
        Instant begin = plan.readings().isEmpty() ? whenReady(plan, folder, stage, load, agent) : onTheBeat(plan, folder, stage, load);
        RunCompletion.begin(folder, new Run(plan.id(), setting.interval(), Optional.of(setting.baseline()), List.of(), facts(plan),
                List.of()), begin, setting.settling());
        Meter meter = new Meter(folder.resolve(Meter.FILE), testbed.directory("cgroups", "web", "usage"), agent.map(ChildProcess::handle),
                plan.agent().place());
        return proceed(plan, folder, stage, tier, time -> {
            meter.read(begin.plus(time));
            machine.read(begin.plus(time), MachineUse.RUN);
            progress.accept(time);
        }, begin);
    }

    /** Begins as soon as load, agent and neighbour are ready. */
    private Instant whenReady(RunPlan plan, Path folder, Stage stage, Path load, Optional<ChildProcess> agent)
            throws IOException, InterruptedException {
        // the plan's ramp-up, which a long interval makes long, and the interval whose line tells of its end
        Duration within = rampUp.plus(setting.interval()).plus(Stage.READY_WITHIN);
        stage.await(clock, "the load reaches its steady state", within, () -> Intervals.steady(load.resolve(Intervals.FILE)));
        stage.await(clock, "the agent records samples", () -> agent.isEmpty() || RunCompletion.recorded(folder) > 0);
        for (NeighbourPlan one : plan.neighbours()) {
            ChildProcess neighbour = stage.need(startNeighbour(folder, one.words(folder.resolve(RunCompletion.NEIGHBOUR).toString())));
            stage.await(clock, READY, () -> Neighbours.ready(neighbour.handle()));
        }
        return clock.instant();
    }

    /** Begins after the ramp-up, where one of the load's intervals ends, and so do the neighbours' schedules. */
    private Instant onTheBeat(RunPlan plan, Path folder, Stage stage, Path load) throws IOException, InterruptedException {
        Path intervals = load.resolve(Intervals.FILE);
        stage.await(clock, "the load writes its first line", () -> Files.exists(intervals) && !Intervals.read(intervals).isEmpty());
        Instant begin = Instant.ofEpochMilli(Math.round(1000 * Intervals.read(intervals).get(0).begin())).plus(rampUp);
        while (begin.isBefore(clock.instant().plus(NEIGHBOURS_WITHIN))) {
            begin = begin.plus(setting.interval());
        }
        Instant from = begin;
        List<ChildProcess> neighbours = new ArrayList<>();
        for (NeighbourPlan one : plan.neighbours()) {
            neighbours.add(stage.expect(startNeighbour(folder,
                    one.words(folder.resolve(RunCompletion.NEIGHBOUR).toString(), from, plan.length()))));
        }
        for (ChildProcess neighbour : neighbours) {
            stage.await(clock, READY, () -> Neighbours.ready(neighbour.handle()));
        }
        if (clock.instant().isAfter(from)) {
            throw new RunException("the neighbours were not ready in the time that was left of the ramp-up of " + rampUp.toSeconds()
                    + " s, at least " + NEIGHBOURS_WITHIN.toSeconds() + " s; is the machine busy with something else?");
        }
        return from;
    }

    private ChildProcess startNeighbour(Path folder, List<String> words) throws IOException {
        return ChildProcess.start("the neighbour", testbed.command("neighbour", words), folder.resolve("neighbour.log"));
    }

    private ChildProcess startAgent(RunPlan plan, Path folder) throws IOException {
        Path config = folder.resolve("agent.yaml");
        Files.writeString(config, AgentYaml.yaml(testbed, plan, setting, folder, agentHome.resolve("journal.jsonl"),
                Machine.hasCounters()));
        return ChildProcess.start("the agent", testbed.agent(plan.agent().place(), List.of("run", "-c", config.toString(), "--record",
                folder.resolve(RunCompletion.RECORDING).toString())), folder.resolve("agent.log"));
    }

    private Instant proceed(RunPlan plan, Path folder, Stage stage, WebTier tier, Consumer<Duration> progress, Instant begin)
            throws IOException, InterruptedException {
        Instant end = begin.plus(plan.length());
        Deque<Duration> readings = new ArrayDeque<>(plan.readings());
        Deque<Change> coming = new ArrayDeque<>(plan.changes());
        Instant told = begin;
        while (clock.instant().isBefore(end)) {
            stage.mustLive();
            while (due(begin, readings.peek())) { // before the changes: what ends now must not see them
                readings.pop();
                read(folder);
            }
            while (!coming.isEmpty() && due(begin, coming.peek().at())) {
                apply(coming.pop(), plan, folder, stage, tier);
            }
            Instant now = clock.instant();
            if (!now.isBefore(told)) {
                progress.accept(Duration.between(begin, now));
                told = told.plusSeconds(1);
            }
            Thread.sleep(pause(begin, readings.peek()));
        }
        return end;
    }

    private boolean due(Instant begin, Duration at) {
        return at != null && !clock.instant().isBefore(begin.plus(at));
    }

    /** Milliseconds until the next look; a reading is not missed by that much. */
    private long pause(Instant begin, Duration reading) {
        long left = reading == null ? Long.MAX_VALUE : Duration.between(clock.instant(), begin.plus(reading)).toMillis();
        return Math.max(0, Math.min(POLL_EVERY.toMillis(), left));
    }

    private void read(Path folder) throws IOException {
        Path file = folder.resolve(TierCounters.FILE);
        Files.writeString(file, (Files.exists(file) ? "" : TierCounters.HEADER + "\n") + TierCounters.now(testbed, clock.instant()).line()
                + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void apply(Change change, RunPlan plan, Path folder, Stage stage, WebTier tier)
            throws IOException, InterruptedException {
        if (change instanceof Change.SetValues set) {
            if (!set.values().isEmpty()) {
                tier.set(set.values());
            }
            if (set.php().isPresent()) {
                tier.phpChildren(set.php().getAsInt());
            }
        } else if (change instanceof Change.PageCost cost) {
            tier.pageCost(cost.rounds());
        } else if (change instanceof Change.Surge surge) {
            stage.expect(startLoad(surge.users(), plan.seed() + 1, surge.length(), Duration.ZERO,
                    folder.resolve("load-surge-" + surge.at().toSeconds()), List.of()));
        } else if (change instanceof Change.Crowd crowd) {
            stage.expect(startLoad(crowd.users(), plan.seed() + 1, crowd.length(), Duration.ZERO,
                    folder.resolve("load-crowd-" + crowd.at().toSeconds()), crowd.other() ? List.of("--mix", "other") : List.of()));
        } else if (change instanceof Change.Disturbance one) {
            stage.expect(ChildProcess.start(one.name(), testbed.command(one.words().get(0), one.words().subList(1, one.words().size())),
                    folder.resolve("disturbance-" + one.at().toSeconds() + ".log")));
        }
    }

    private ChildProcess startLoad(int users, long seed, Duration steady, Duration rampUp, Path folder, List<String> more)
            throws IOException {
        Files.createDirectories(folder.getParent());
        List<String> words = new ArrayList<>(more);
        words.addAll(List.of("--users", Integer.toString(users)));
        return ChildProcess.start("the load", testbed.load(words, seed, rampUp, steady, setting.interval(), folder),
                folder.resolveSibling(folder.getFileName() + ".log"));
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Does a step of the cleaning up although we were interrupted, and keeps the interrupt. */
    private static void calmly(Step step) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            step.run();
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
