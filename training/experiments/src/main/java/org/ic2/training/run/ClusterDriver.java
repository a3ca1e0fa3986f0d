// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.RandomAccessFile;
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
import org.ic2.training.data.TextFiles;

/**
 * Makes a run on a cluster: HAProxy starts anew, the servers are at their baseline, load, agents and neighbours start, and at the end,
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
    /** The agent's journal, in a server's folder. */
    public static final String JOURNAL = "journal.jsonl";
    /** Samples that an agent needs to know what is normal, and some more. */
    private static final int LEARNING = 25;
    private static final Duration RAMP_UP = Duration.ofSeconds(4);
    private static final Duration READY_WITHIN = Duration.ofSeconds(120);
    private static final Duration LOOK = Duration.ofMillis(100);
    /** Until the neighbours have touched their memory. */
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
     * @param folder of the run
     * @param home   where the agents of all runs that move the same keep their journals, so that what is normal is learned once
     * @param said   hears of each phase
     */
    public void run(ClusterRun run, Path folder, Path home, Consumer<String> said) throws IOException, InterruptedException {
        List<Testbed> servers = testbed.servers();
        Files.createDirectories(folder);
        for (int i = 1; i <= servers.size(); i++) {
            Files.createDirectories(folder.resolve("web" + i));
            Files.createDirectories(home.resolve("web" + i));
        }
        try (Stage stage = new Stage()) {
            measure(run, folder, home, servers, stage, said);
        }
    }

    private void measure(ClusterRun run, Path folder, Path home, List<Testbed> servers, Stage stage, Consumer<String> said)
            throws IOException, InterruptedException {
        Path log = folder.resolve("tier.log");
        List<String> way = new ArrayList<>(List.of(run.site().balance()));
        if (run.site().sticky()) {
            way.add("--sticky");
        }
        ChildProcess.run("testbed balance", testbed.command("balance", way), log);
        for (Testbed server : servers) {
            WebTier tier = new WebTier(server, log);
            tier.restore(setting.baseline());
            stage.add(() -> tier.restore(setting.baseline()));
        }
        long served = Files.size(requests());
        stage.need(startLoad(run, folder));
        Optional<AgentArm> arm = run.agent(classifier);
        boolean fresh = arm.isPresent() && !Files.exists(home.resolve("web1").resolve(JOURNAL));
        List<Long> journals = startAgents(run, arm, folder, home, servers, stage);
        await(stage, "the load reaches its steady state", () -> Intervals.steady(folder.resolve("load").resolve(Intervals.FILE)));
        for (int i = 1; arm.isPresent() && i <= servers.size(); i++) {
            Path own = folder.resolve("web" + i);
            await(stage, "the agent of web" + i + " records samples", () -> RunCompletion.recorded(own) > 0);
        }
        Duration lead = NEIGHBOURS_WITHIN.plus(fresh ? setting.interval().multipliedBy(LEARNING) : Duration.ZERO);
        Instant begin = clock.instant().plus(lead);
        startNeighbours(run, folder, stage, lead);
        watch(run, folder, stage, begin, said);
        for (int i = 1; i <= journals.size(); i++) {
            RunCompletion.journal(folder.resolve("web" + i), home.resolve("web" + i).resolve(JOURNAL), journals.get(i - 1));
        }
        keepRequests(folder, served);
        TextFiles.write(folder.resolve(FILE), facts(run, servers.size(), begin));
    }

    private ChildProcess startLoad(ClusterRun run, Path folder) throws IOException {
        List<String> words = new ArrayList<>(run.site().words());
        words.addAll(List.of("--seed", Long.toString(run.seed()), "--ramp-up", RAMP_UP.toSeconds() + "s", "--steady",
                run.times().all().toSeconds() + LOAD_SLACK_SECONDS + "s", "--ramp-down", "0s", "--runtime-stats", "500ms",
                "--out", folder.resolve("load").toString()));
        return ChildProcess.start("the load", testbed.command("load", words), folder.resolve("load.log"));
    }

    /** Starts one at each server; returns how long their journals were before. */
    private List<Long> startAgents(ClusterRun run, Optional<AgentArm> arm, Path folder, Path home, List<Testbed> servers, Stage stage)
            throws IOException {
        List<Long> before = new ArrayList<>();
        for (int i = 1; arm.isPresent() && i <= servers.size(); i++) {
            Path own = folder.resolve("web" + i);
            Path journal = home.resolve("web" + i).resolve(JOURNAL);
            before.add(Files.exists(journal) ? Files.size(journal) : 0);
            Path config = own.resolve("agent.yaml");
            Files.writeString(config, ClusterYaml.yaml(servers.get(i - 1), run, arm.get(), setting, own, folder, journal,
                    Path.of(testbed.text("files", "haproxy_socket"))));
            stage.need(ChildProcess.start("the agent of web" + i, testbed.agent(List.of("run", "-c", config.toString(), "--record",
                    own.resolve(RunCompletion.RECORDING).toString())), own.resolve("agent.log")));
        }
        return before;
    }

    private void startNeighbours(ClusterRun run, Path folder, Stage stage, Duration lead) throws IOException {
        NeighbourPlan plan = new NeighbourPlan(run.program(), "same-core", run.times().schedule(lead));
        Instant now = clock.instant();
        for (int i = 1; i <= run.noisy(); i++) {
            Path own = folder.resolve("web" + i);
            List<String> words = new ArrayList<>(List.of("--server", Integer.toString(i)));
            words.addAll(plan.words(own.resolve(NEIGHBOUR).toString(), now, lead.plus(run.times().all())));
            stage.expect(ChildProcess.start("the neighbour of web" + i, testbed.command("neighbour", words), own.resolve("neighbour.log")));
        }
    }

    /** Until the end of the last phase: what HAProxy has in force, five times a second. */
    private void watch(ClusterRun run, Path folder, Stage stage, Instant begin, Consumer<String> said)
            throws IOException, InterruptedException {
        Path socket = Path.of(testbed.text("files", "haproxy_socket"));
        Path file = folder.resolve(HaproxyStats.FILE);
        Files.writeString(file, HaproxyStats.HEADER + "\n");
        Instant noisy = begin.plus(run.times().quiet());
        Instant after = noisy.plus(run.times().noisy());
        List<Instant> phases = new ArrayList<>(List.of(begin, noisy, after));
        List<String> names = new ArrayList<>(List.of("quiet", run.noisy() + " noisy", "quiet again"));
        while (clock.instant().isBefore(begin.plus(run.times().all()))) {
            stage.mustLive();
            while (!phases.isEmpty() && !clock.instant().isBefore(phases.get(0))) {
                phases.remove(0);
                said.accept(names.remove(0));
            }
            StringBuilder lines = new StringBuilder();
            String time = String.format(Locale.ROOT, "%.3f", clock.millis() / 1000.0);
            HaproxyStats.read(socket).forEach(one -> lines.append(one.line(time)).append('\n'));
            Files.writeString(file, lines.toString(), StandardOpenOption.APPEND);
            Thread.sleep(2 * LOOK.toMillis());
        }
    }

    private Path requests() {
        return Path.of(testbed.text("files", "haproxy_log"));
    }

    private void keepRequests(Path folder, long from) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(requests().toFile(), "r")) {
            file.seek(from);
            byte[] gained = new byte[(int) (file.length() - from)];
            file.readFully(gained);
            Files.write(folder.resolve(REQUESTS), gained);
        }
    }

    private String facts(ClusterRun run, int servers, Instant begin) {
        ObjectNode json = JsonMapper.builder().build().createObjectNode();
        json.put("id", run.id()).put("balance", run.site().balance()).put("levers", run.levers().name()).put("noisy", run.noisy());
        json.put("program", run.program()).put("servers", servers).put("begin", begin.toEpochMilli());
        json.put("quiet", run.times().quiet().toMillis()).put("on", run.times().noisy().toMillis());
        json.put("after", run.times().after().toMillis()).put("users", run.site().users()).put("seed", run.seed());
        json.put("sticky", run.site().sticky()).put("keep_alive", run.site().keepAlive());
        run.site().rate().ifPresent(rate -> json.put("rate", rate));
        json.put("target", setting.target().toMillis()).put("interval", setting.interval().toMillis());
        json.put("cool_down", setting.coolDown().toMillis());
        testbed.options().forEach(json::put);
        Machine.facts().forEach(json::put);
        return json.toPrettyString() + "\n";
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(Stage stage, String what, Condition condition) throws IOException, InterruptedException {
        Instant until = clock.instant().plus(READY_WITHIN);
        while (!condition.holds()) {
            stage.mustLive();
            if (clock.instant().isAfter(until)) {
                throw new RunException("waited " + READY_WITHIN.toSeconds() + " s in vain until " + what);
            }
            Thread.sleep(LOOK.toMillis());
        }
    }
}
