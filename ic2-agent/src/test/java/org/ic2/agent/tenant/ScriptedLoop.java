// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.daemon.Agent;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.Brain;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.loop.TurnInterval;
import org.ic2.runtime.yaml.ConfigException;

/** The whole loop with a scripted clock, scripted samples and a server in memory: an hour passes in a second. */
final class ScriptedLoop implements AutoCloseable {

    static final Settings BASE = Lever.settings(650, 5000, 1, 0);

    private static final String CONFIG = """
            application: shop
            mode: act
            members:
              web:
                role: web
                sensors: {response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}}
                actuators: {httpd: {type: httpd-online, apachectl: /bin/false}}
            baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
            bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
            target-response-time: 0.1s
            safety: {cool-down: 10s, actions-per-hour: 40}
            """;

    final FakeActuator httpd = new FakeActuator(BASE, Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
            Lever.MITIGATION);
    final AgentStatus board = new AgentStatus(() -> this.nanos);
    final List<String> violations = new ArrayList<>();
    final Journal journal;
    Executor executor;
    TenantBrain brain;
    AgentLoop loop;
    AgentConfig config;
    /** What stands between the next loops and their brains. */
    UnaryOperator<Brain> around = UnaryOperator.identity();
    private final Optional<Recorder> recorder;
    private final Path directory;
    private final String text;
    private final Map<String, Actuator> actuators;
    private final Clock clock;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos;
    private BiConsumer<Integer, Sample.Builder> script = (second, sample) -> { };
    private int second;
    /** Measurements in the middle of an interval so far. */
    int parts;

    ScriptedLoop(Path directory, Optional<Recorder> recorder) throws IOException, ConfigException {
        this(directory, recorder, CONFIG);
    }

    private ScriptedLoop(Path directory, Optional<Recorder> recorder, String text) throws IOException, ConfigException {
        this.recorder = recorder;
        this.text = text;
        clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now;
            }
        };
        this.directory = directory;
        Path tree = directory.resolve("classifier.json");
        if (Files.notExists(tree)) {
            Files.writeString(tree, treeByHand());
        }
        config = parse("");
        journal = new Journal(config.journal(), clock, config.vocabulary().knobs());
        actuators = text.contains("/bin/false") ? Map.of("web.httpd", httpd)
                : Agent.actuators(config, config.hosts(directory));
        build();
    }

    /** A loop that has started. */
    static ScriptedLoop started(Path directory) throws IOException, ConfigException, InterruptedException {
        ScriptedLoop agent = new ScriptedLoop(directory, Optional.empty());
        agent.loop.start("");
        return agent;
    }

    private void build() {
        executor = new Executor(actuators, config.mandate().limits(), journal, clock, () -> nanos);
        brain = new TenantBrain(config.policyFor(config.mode() == Mode.ACT), config.vocabulary());
        TenantBrain decides = brain;
        TenantListener listener = new TenantListener(recorder, board);
        loop = new AgentLoop(new AgentLoop.Parts(config.mandate(),
                interval -> new TenantTurn(measure(interval), decides, listener, () -> nanos), around.apply(brain), executor, journal,
                new StateStore(config.journal()), clock, () -> nanos));
    }

    private TenantMeasurement measure(TurnInterval interval) {
        Sample.Builder sample = Sample.at(interval.time()).epochs(interval.firstEpoch(), interval.lastEpoch())
                .settings(interval.believed()).settings(visible());
        script.accept(second, sample);
        parts += interval.between() ? 1 : 0;
        return new TenantMeasurement(sample.build(), List.of(), Map.of(), Map.of());
    }

    /** Goes on with another value for one key, as after SIGHUP. */
    void reload(String line) throws ConfigException, InterruptedException {
        AgentLoop earlier = loop;
        config = parse(line);
        build();
        loop.continueFrom(earlier);
    }

    /** A tree with known thresholds; the shipped one changes with each training. */
    static String treeByHand() throws IOException {
        try (var in = ScriptedLoop.class.getResourceAsStream("by-hand.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The same with a real server instead of the one in memory. */
    static ScriptedLoop of(Path directory, String statusUrl, Path apachectl) throws IOException, ConfigException {
        return new ScriptedLoop(directory, Optional.empty(), CONFIG.replace("http://127.0.0.1/server-status?auto",
                statusUrl).replace("/bin/false", apachectl.toString()));
    }

    /** The same with a real server that takes the level from a file. */
    static ScriptedLoop ofMap(Path directory, String statusUrl, Path map) throws IOException, ConfigException {
        return new ScriptedLoop(directory, Optional.empty(), CONFIG.replace("http://127.0.0.1/server-status?auto", statusUrl)
                .replace("{type: httpd-online, apachectl: /bin/false}", "{type: httpd-map, file: " + map + "}")
                .replace("mitigation: [0, 4]", "mitigation: [0, 6]"));
    }

    /** The paper's profile with real servers, a second for each of its intervals. */
    static ScriptedLoop ofPaper(Path directory, String statusUrl, String httpd, String php) throws IOException, ConfigException {
        return new ScriptedLoop(directory, Optional.empty(), """
                application: shop
                mode: act
                profile: paper
                interval: 1s
                target-response-time: 100ms
                members:
                  web:
                    role: web
                    sensors: {response: {type: mod-status, url: "%s"}}
                    actuators: {httpd: {%s}, php: {%s}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 2}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], php-max-children: [1, 4]}
                """.formatted(statusUrl, httpd, php));
    }

    /** The same with other limits. */
    static ScriptedLoop withSafety(Path directory, String safety) throws IOException, ConfigException {
        return new ScriptedLoop(directory, Optional.empty(), CONFIG.replaceAll("(?m)^safety:.*$", "safety: " + safety));
    }

    /** The text of the configuration, for the commands. */
    static String configuration(Path directory) {
        return CONFIG + "journal: " + directory.resolve("journal.jsonl") + "\n";
    }

    /** What a sample shows of the levers: what the server says, in memory or a real one, while it answers. */
    private Settings visible() {
        if (actuators.containsValue(httpd)) {
            return httpd.manner == FakeActuator.Manner.DEAD ? Settings.none() : Settings.of(httpd.values);
        }
        try {
            Settings seen = Settings.none();
            for (Actuator actuator : actuators.values()) {
                seen = seen.with(actuator.running());
            }
            return seen;
        } catch (IOException | InterruptedException e) {
            return Settings.none();
        }
    }

    /** The configuration with another value for one key. */
    AgentConfig parse(String line) throws ConfigException {
        String others = line.isEmpty() ? text
                : text.replaceAll("(?m)^" + line.substring(0, line.indexOf(':')) + ":.*\n", "") + line + "\n";
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(directory.resolve("ic2.yaml"),
                others + "journal: " + directory.resolve("journal.jsonl") + "\n");
    }

    /** Lets seconds pass, each with the sample that the script makes of it. */
    void run(int seconds, BiConsumer<Integer, Sample.Builder> samples) throws InterruptedException {
        script = samples;
        for (int i = 0; i < seconds; i++) {
            second++;
            turn(Duration.ofSeconds(1));
        }
    }

    /** One turn when the loop wants it; the time that passed. */
    Duration turn() throws InterruptedException {
        SamplingInterval pace = config.policy().pace();
        return turn(loop.suspicious() ? pace.close() : pace.usual());
    }

    private Duration turn(Duration after) throws InterruptedException {
        now = now.plus(after);
        nanos += after.toNanos();
        loop.tick();
        Settings running = running();
        if (!config.policy().bounds().contains(running)) {
            violations.add(second + ": " + running.describe());
        }
        return after;
    }

    /** Lets quiet seconds pass. */
    void calm(int seconds) throws InterruptedException {
        run(seconds, (each, sample) -> calm(sample));
    }

    /** Lets seconds beside the neighbour pass. */
    void loud(int seconds) throws InterruptedException {
        run(seconds, (each, sample) -> loud(sample));
    }

    void stepClock(Duration by) {
        now = now.plus(by);
    }

    Settings running() {
        return BASE.with(actuators.containsValue(httpd) ? Settings.of(httpd.values) : visible());
    }

    String state() {
        return board.latest().map(tick -> tick.state().manualReason().isPresent() ? "MANUAL"
                : tick.decision().state().name()).orElse("none");
    }

    /** A quiet tier. */
    static void calm(Sample.Builder sample) {
        measured(sample, 0.04, 100, 0.5, 0.0);
    }

    /** A tier that loses half a CPU to a neighbour. */
    static void loud(Sample.Builder sample) {
        measured(sample, 0.45, 85, 1.0, 0.5);
    }

    static void measured(Sample.Builder sample, double responseTime, double throughput, double cpu, double steal) {
        sample.set(Metric.RESPONSE_TIME, responseTime).set(Metric.THROUGHPUT, throughput)
                .set(Metric.REQUESTS, throughput).set(Metric.CPU_UTIL, cpu).set(Metric.STEAL, steal)
                .set(Metric.CONNECTED_USERS, 120);
    }

    @Override
    public void close() throws IOException {
        executor.close();
        journal.close();
        recorder.ifPresent(Recorder::close);
    }
}
