// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.training.data.TextFiles;

/**
 * Makes a run on a cluster: HAProxy is restarted, the servers are at their baseline, load, agents and neighbours start, and at the end,
 * also after an interrupt or a failure, all of them are stopped and the baseline is put back.
 *
 * <p>A run's folder holds {@code load/}, {@code weights.csv} (what HAProxy had in force), {@code requests.log} (what HAProxy
 * served), for each server {@code webN/} with its agent's files and {@code neighbour.csv}, and, last, {@code run.json}.
 */
public final class ClusterDriver {
    /** What is written last. */
    public static final String FILE = "run.json";
    /** HAProxy's log of the run. */
    public static final String REQUESTS = "requests.log";
    /** A neighbour's log, in a server's folder. */
    public static final String NEIGHBOUR = "neighbour.csv";
    private static final int LEARNING_PASSES = 6;
    private static final Duration RAMP_UP = Duration.ofSeconds(4);
    private static final Duration POLL_EVERY = Duration.ofMillis(200);
    /** Time until the neighbours have touched their memory. */
    private static final Duration NEIGHBOURS_WITHIN = Duration.ofSeconds(4);
    private static final int LOAD_SLACK_SECONDS = 200;

    private final Testbed testbed;
    private final Setting setting;
    private final Optional<Path> classifier;
    private final InstantSource clock;

    /** @param setting what agents are told, and the baseline of each server */
    public ClusterDriver(Testbed testbed, Setting setting, Optional<Path> classifier, InstantSource clock) {
        this.testbed = testbed;
        this.setting = setting;
        this.classifier = classifier;
        this.clock = clock;
    }

    /** What a run takes, as far as it can be known before. */
    public static Duration estimate(ClusterRun run) {
        return run.times().all().plus(RAMP_UP).plus(NEIGHBOURS_WITHIN).plusSeconds(4);
    }

    /**
     * Makes a run.
     *
     * @param folder  of the run
     * @param learned what the agents of all runs that move the same know, learned in a run of its own if there is nothing yet
     * @param said    hears of each phase
     */
    public void run(ClusterRun run, Path folder, Path learned, Consumer<String> said) throws IOException, InterruptedException {
        testbed.servers();
        Files.createDirectories(folder);
        Optional<ClusterAgents> agents = run.agent(classifier).map(arm -> new ClusterAgents(testbed, run, arm, setting));
        if (agents.isPresent()) {
            learn(run, agents.get(), learned, said);
            agents.get().know(learned, folder);
        }
        try (Stage stage = new Stage()) {
            measure(run, folder, agents, stage, said);
        }
    }

    /** Without interference and without measuring, until each agent knows what is normal. */
    private void learn(ClusterRun run, ClusterAgents agents, Path folder, Consumer<String> said) throws IOException, InterruptedException {
        for (int pass = 1; !agents.unlearned(folder, MedianWindow.MIN_VALUES).isEmpty(); pass++) {
            if (pass > LEARNING_PASSES) {
                throw new RunException("the agents did not learn what is normal: " + String.join(", ", agents.unlearned(folder, MedianWindow.MIN_VALUES))
                        + "; " + folder + "/web1/agent.log says why; is the machine busy with something else, or are there too many --users?");
            }
            said.accept("the agents learn what is normal");
            int samples = ClusterAgents.LEARNING * pass;     // the longer, the fewer of them are fit to learn from
            Path place = folder.resolve("pass-" + pass);
            Files.createDirectories(place);
            try (Stage stage = new Stage()) {
                begin(run, place, stage);
                agents.forgetRecordings(folder);
                agents.start(folder, stage);
                stage.await(clock, "the agents record samples; " + folder + "/web1/agent.log says why they do not; is the machine busy with something else, or do"
                        + " --open or --users ask for more than the servers can do?", () -> agents.recorded(folder, samples));
            }
        }
    }

    /** HAProxy is restarted, the servers are at their baseline, and the load has reached its steady state. */
    private void begin(ClusterRun run, Path folder, Stage stage) throws IOException, InterruptedException {
        Path log = folder.resolve("tier.log");
        List<String> way = new ArrayList<>(List.of(run.site().balance()));
        if (run.site().sticky()) {
            way.add("--sticky");
        }
        ChildProcess.run("testbed balance", testbed.command("balance", way), log);
        for (Testbed server : testbed.servers()) {
            WebTier tier = new WebTier(server, log);
            tier.restore(setting.baseline());
            stage.add(() -> tier.restore(setting.baseline()));
        }
        stage.need(startLoad(run, folder));
        stage.await(clock, "the load reaches its steady state", () -> Intervals.steady(folder.resolve("load").resolve(Intervals.FILE)));
    }

    private void measure(ClusterRun run, Path folder, Optional<ClusterAgents> agents, Stage stage, Consumer<String> said)
            throws IOException, InterruptedException {
        long served = Files.size(requests());
        begin(run, folder, stage);
        if (agents.isPresent()) {
            agents.get().start(folder, stage);
            stage.await(clock, "the agents record samples", () -> agents.get().recorded(folder, 1));
        }
        Instant begin = clock.instant().plus(NEIGHBOURS_WITHIN);
        startNeighbours(run, folder, stage);
        watch(run, folder, stage, begin, said);
        Files.write(folder.resolve(REQUESTS), TextFiles.since(requests(), served));
        TextFiles.write(folder.resolve(FILE), facts(run, testbed.servers().size(), begin));
    }

    private ChildProcess startLoad(ClusterRun run, Path folder) throws IOException {
        return ChildProcess.start("the load", testbed.load(run.site().words(), run.seed(), RAMP_UP,
                run.times().all().plusSeconds(LOAD_SLACK_SECONDS), Duration.ofMillis(500), folder.resolve("load")), folder.resolve("load.log"));
    }

    private void startNeighbours(ClusterRun run, Path folder, Stage stage) throws IOException {
        NeighbourPlan plan = new NeighbourPlan(run.program(), "same-core", run.times().schedule(NEIGHBOURS_WITHIN));
        Instant now = clock.instant();
        for (int i = 1; i <= run.noisy(); i++) {
            Path own = folder.resolve("web" + i);
            Files.createDirectories(own);
            List<String> words = new ArrayList<>(List.of("--server", Integer.toString(i)));
            words.addAll(plan.words(own.resolve(NEIGHBOUR).toString(), now, NEIGHBOURS_WITHIN.plus(run.times().all())));
            stage.expect(ChildProcess.start("the neighbour of web" + i, testbed.command("neighbour", words), own.resolve("neighbour.log")));
        }
    }

    /** Until the end of the last phase: what HAProxy has in force, five times a second. */
    private void watch(ClusterRun run, Path folder, Stage stage, Instant begin, Consumer<String> said)
            throws IOException, InterruptedException {
        Path socket = Path.of(testbed.text("files", "haproxy_socket"));
        Path file = folder.resolve(ServerWeight.FILE);
        Files.writeString(file, ServerWeight.HEADER + "\n");
        Instant noisy = begin.plus(run.times().before());
        Instant after = noisy.plus(run.times().noisy());
        List<Instant> phases = new ArrayList<>(List.of(begin, noisy, after));
        List<String> names = new ArrayList<>(List.of("no neighbour", run.noisy() + " noisy", "no neighbour again"));
        while (clock.instant().isBefore(begin.plus(run.times().all()))) {
            stage.mustLive();
            while (!phases.isEmpty() && !clock.instant().isBefore(phases.get(0))) {
                phases.remove(0);
                said.accept(names.remove(0));
            }
            StringBuilder lines = new StringBuilder();
            String time = String.format(Locale.ROOT, "%.3f", clock.millis() / 1000.0);
            ServerWeight.read(socket).forEach(one -> lines.append(one.line(time)).append('\n'));
            Files.writeString(file, lines.toString(), StandardOpenOption.APPEND);
            Thread.sleep(POLL_EVERY.toMillis());
        }
    }

    private Path requests() {
        return Path.of(testbed.text("files", "haproxy_log"));
    }

    private String facts(ClusterRun run, int servers, Instant begin) throws IOException {
        ObjectNode json = JsonMapper.builder().build().createObjectNode();
        json.put("id", run.id()).put("balance", run.site().balance()).put("levers", run.levers().name()).put("noisy", run.noisy());
        json.put("program", run.program()).put("servers", servers).put("begin", begin.toEpochMilli());
        json.put("quiet", run.times().before().toMillis()).put("on", run.times().noisy().toMillis());
        json.put("after", run.times().after().toMillis()).put("users", run.site().users()).put("seed", run.seed());
        json.put("sticky", run.site().sticky()).put("keep_alive", run.site().keepAlive());
        run.site().rate().ifPresent(rate -> json.put("rate", rate));
        json.put("least_share", run.shareBounds().least()).put("share_headroom", run.shareBounds().headroom());
        json.put("target", setting.target().toMillis()).put("interval", setting.interval().toMillis());
        json.put("cool_down", setting.coolDown().toMillis());
        testbed.options().forEach(json::put);
        Machine.facts().forEach(json::put);
        return json.toPrettyString() + "\n";
    }

}
