// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class RunDriverTest {
    private static final Setting SETTING = Setting.of(Duration.ofMillis(100), Duration.ofMillis(500), Duration.ofMillis(60),
            Duration.ofMillis(2000), "mod-status");

    @TempDir
    private Path folder;
    private FakeTestbed fake;
    private RunDriver driver;

    @BeforeEach
    void start() throws IOException {
        fake = new FakeTestbed(folder.resolve("home"));
        driver = new RunDriver(fake.testbed(), SETTING, folder.resolve("agent"), InstantSource.system());
    }

    private static RunPlan plan(String id, Duration length, List<Change> changes) {
        return new RunPlan(id, "phase-1", length, 10, 3, Optional.of(new NeighbourPlan("dcopy --size 20MB", "same-core",
                "400ms off, 60s on")), AgentArm.observer(), changes);
    }

    /** Each of the three labels has seconds, so that a machine that stands still for some leaves samples of it. */
    @Test
    void samplesAndScheduleAreJoinedAndLabelled() throws Exception {
        Files.writeString(fake.file("delay"), "3\n");
        Duration settling = Duration.ofSeconds(3);
        RunDriver patient = new RunDriver(fake.testbed(), Setting.of(SETTING.interval(), settling, SETTING.target(),
                SETTING.coolDown(), "mod-status"), folder.resolve("agent"), InstantSource.system());
        Run run = patient.run(plan("a", Duration.ofSeconds(10), List.of()), folder.resolve("a"), time -> { });
        assertThat(run.switches()).hasSize(1).allMatch(one -> one.on() && one.program().equals("dcopy --size 20MB"));
        assertThat(run.samples()).hasSizeBetween(3, 100);
        var start = run.switches().get(0).time();
        assertThat(run.samples()).allMatch(sample -> sample.label().orElseThrow() == (!sample.time().isAfter(start)
                ? Label.NO_INTERFERENCE : sample.time().minusMillis(100).isBefore(start.plus(settling)) ? Label.TRANSIENT
                : Label.INTERFERENCE));
        assertThat(run.samples()).extracting(sample -> sample.label().orElseThrow()).contains(Label.values());
        assertThat(run.facts()).containsEntry("users", "10").containsEntry("seed", "3").containsKeys("cpu", "java", "kernel")
                .doesNotContainValue("secret");
        assertThat(fake.alive()).isZero();
        assertThat(Files.readAllLines(fake.file("apachectl.log"))).hasSize(2)
                .allMatch(line -> line.equals("reconfigure MaxRequestWorkers=240 KeepAliveTimeout=1 MITIGATION=0"));
        assertThat(folder.resolve("a/journal.jsonl")).hasContent("{\"started\": true}");
    }

    @Test
    void aChangeByHandIsMadeInTimeAndItsIntervalTrainsNothing() throws Exception {
        Run run = driver.run(plan("a", Duration.ofSeconds(7), List.of(new Change.SetValues(Duration.ofSeconds(3),
                Map.of("MITIGATION", "2"), OptionalInt.empty()))), folder.resolve("a"), time -> { });
        assertThat(run.samples().get(0).get(Metric.MITIGATION)).isZero();
        assertThat(run.samples().get(run.samples().size() - 1).get(Metric.MITIGATION)).isEqualTo(2);
        assertThat(run.samples().stream().filter(Sample::straddlesEpochs)).hasSize(1);
        assertThat(Files.readString(fake.file("level"))).as("put back at the end").isEqualTo("0\n");
    }

    /** The reload of php-fpm is a signal; this waits for it and notes what the pool said then. */
    private Process php() throws IOException {
        Process master = new ProcessBuilder("bash", "-c", "trap 'grep -c OLIO " + fake.file("pool") + " >> " + fake.file("reloads")
                + "' USR2; echo $$ > " + fake.file("php.pid") + "; while :; do sleep 0.05; done").start();
        while (!Files.exists(fake.file("php.pid")) || Files.size(fake.file("php.pid")) == 0) {
            Thread.onSpinWait();
        }
        return master;
    }

    @Test
    void aDearerDeploymentAddsToWhatThePagesCostAndIsTakenBack() throws Exception {
        Files.writeString(fake.file("env"), "export OLIO_CPU_ROUNDS='30'\n");
        List<String> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
        Process master = php();
        try {
            driver.run(plan("a", Duration.ofSeconds(12), List.of(new Change.PageCost(Duration.ofSeconds(4), 100),
                    new Change.PageCost(Duration.ofSeconds(8), 0))), folder.resolve("a"), time -> seen.add(pool()));
        } finally {
            master.destroyForcibly();
        }
        assertThat(seen).first().isEqualTo("pm.max_children = 60\n");
        assertThat(seen).contains("pm.max_children = 60\nenv[OLIO_CPU_ROUNDS] = 130\n");
        assertThat(pool()).isEqualTo("pm.max_children = 60\n");
        assertThat(fake.file("reloads")).as("php-fpm was told").isNotEmptyFile();
    }

    private String pool() {
        try {
            return Files.readString(fake.file("pool"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A long interval makes the ramp-up long, while a new agent learns: by this clock the load needs 130 s of its 300 s. */
    @Test
    void theSteadyStateIsAwaitedForAsLongAsThePlanRampsUp() throws Exception {
        Files.createFile(fake.file("ramping-up"));
        Duration needed = Duration.ofSeconds(130);
        assertThat(slow(needed, Duration.ofSeconds(300))).isTrue();
        Files.createFile(fake.file("ramping-up"));
        assertThatThrownBy(() -> slow(Duration.ofSeconds(500), Duration.ofSeconds(300)))
                .hasMessage("waited 420 s in vain until the load reaches its steady state");
        assertThat(fake.alive()).isZero();
    }

    /** Makes a run with a clock that is 10 s further at each look until the load is steady. */
    private boolean slow(Duration needed, Duration rampUp) throws Exception {
        AtomicReference<Duration> gone = new AtomicReference<>(Duration.ZERO);
        InstantSource clock = () -> {
            if (Files.exists(fake.file("ramping-up"))) {
                gone.updateAndGet(time -> time.plusSeconds(10));
            }
            if (gone.get().compareTo(needed) > 0) {
                fake.file("ramping-up").toFile().delete();
            }
            return InstantSource.system().instant().plus(gone.get());
        };
        RunPlan silent = new RunPlan("a" + needed.toSeconds(), "compare", Duration.ofMillis(300), 10, 3, Optional.empty(), AgentArm.off(), List.of());
        return new RunDriver(fake.testbed(), SETTING, folder.resolve("agent"), clock, rampUp).run(silent, folder.resolve(silent.id()), time -> { })
                .fact(Run.BROKEN).isEmpty();
    }

    @Test
    void aSurgeWhoseLoadFailsIsNoSurge() throws IOException {
        Files.createFile(fake.file("surge-fails"));
        assertThatThrownBy(() -> driver.run(plan("a", Duration.ofSeconds(30), List.of(new Change.Surge(Duration.ofMillis(200), 5,
                Duration.ofSeconds(10)))), folder.resolve("a"), time -> { })).isInstanceOf(RunException.class)
                .hasMessageContaining("the load failed with exit status 1");
        assertThat(fake.alive()).isZero();
    }

    @Test
    void disturbancesStartInTimeAndEndWithTheRun() throws Exception {
        driver.run(plan("a", Duration.ofSeconds(6), List.of(new Change.Disturbance(Duration.ofSeconds(1), "the job",
                List.of("inside", "--for", "60s", "--", "tar")), new Change.Crowd(Duration.ofMillis(500), 5, Duration.ofSeconds(60), true))),
                folder.resolve("a"), time -> { });
        assertThat(Files.readAllLines(fake.file("started")).stream().map(line -> line.split(" ")[0])).containsExactlyInAnyOrder("load",
                "agent", "neighbour", "load", "inside");
        assertThat(folder.resolve("a/load-crowd-0")).isDirectory();
        assertThat(folder.resolve("a/disturbance-1.log")).exists();
        assertThat(fake.alive()).isZero();
    }

    @Test
    void aCollectionMadeInAnotherWayIsRefusedAndSaysHow() throws Exception {
        Path data = folder.resolve("data");
        Progress quiet = new Progress(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()), false, Duration.ZERO);
        RunPlan plan = plan("a", Duration.ofSeconds(4), List.of());
        new Collection(data, driver, quiet).make(List.of(plan));
        RunPlan more = new RunPlan(plan.id(), plan.kind(), plan.length(), 20, plan.seed(), plan.neighbours(), plan.agent(),
                plan.changes(), plan.readings());
        assertThatThrownBy(() -> new Collection(data, driver, quiet).make(List.of(more))).hasMessageContaining("data/a")
                .hasMessageContaining("users '10', asked for is '20'");
        RunDriver slower = new RunDriver(fake.testbed(), Setting.of(Duration.ofMillis(200), Duration.ofMillis(500),
                Duration.ofMillis(60), Duration.ofMillis(2000), "mod-status"), folder.resolve("agent"), InstantSource.system());
        assertThatThrownBy(() -> new Collection(data, slower, quiet).make(List.of(plan)))
                .hasMessageContaining("interval '100 ms', asked for is '200 ms'");
    }

    @Test
    void anInterruptStopsEverythingPutsBackAndKeepsWhatWasMeasured() throws Exception {
        CountDownLatch measuring = new CountDownLatch(1);
        AtomicInteger before = new AtomicInteger(-1);
        AtomicReference<Throwable> ended = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                driver.run(plan("a", Duration.ofMinutes(5), List.of(new Change.SetValues(Duration.ZERO, Map.of("MITIGATION",
                        "3"), OptionalInt.empty()))), folder.resolve("a"), time -> {
                        // two more than there were when the run began
                        if (!before.compareAndSet(-1, recorded()) && recorded() > before.get() + 1) {
                            measuring.countDown();
                        }
                    });
            } catch (IOException | InterruptedException | RuntimeException e) {
                ended.set(e);
            }
        });
        thread.start();
        measuring.await();
        thread.interrupt();
        thread.join();
        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
        assertThat(fake.alive()).isZero();
        assertThat(Files.readString(fake.file("level"))).isEqualTo("0\n");
        Run kept = RunFolder.read(folder.resolve("a"));
        assertThat(kept.samples()).isNotEmpty();
        assertThat(kept.fact(Run.BROKEN)).contains("interrupted");
    }

    private int recorded() {
        try {
            return RunCompletion.recorded(folder.resolve("a"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aLoadThatFailsIsNamedWithTheEndOfItsLog() throws IOException {
        Files.createFile(fake.file("load-fails"));
        assertThatThrownBy(() -> driver.run(plan("a", Duration.ofSeconds(5), List.of()), folder.resolve("a"), time -> { }))
                .isInstanceOf(RunException.class).hasMessageContaining("the load ended by itself with exit status 1")
                .hasMessageContaining("no data set");
        assertThat(fake.alive()).isZero();
        assertThat(RunFolder.complete(folder.resolve("a"))).isFalse();
    }

    @Test
    void aCollectionGoesOnWhereItWasBrokenOff() throws Exception {
        List<RunPlan> plans = List.of(plan("a", Duration.ofSeconds(4), List.of()), plan("b", Duration.ofSeconds(4), List.of()));
        Path data = folder.resolve("data");
        Progress quiet = new Progress(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()), false, Duration.ZERO);
        new Collection(data, driver, quiet).make(plans.subList(0, 1));
        Run first = RunFolder.read(data.resolve("a"));
        // what a kill -9 in the middle of b leaves: its samples and the note that it began, but no run.json
        Files.createDirectories(data.resolve("b"));
        RunCompletion.begin(data.resolve("b"), first.named("b").with(List.of()), first.samples().get(0).time().minusMillis(100),
                Duration.ofMillis(500));
        Files.copy(data.resolve("a/recording.csv"), data.resolve("b/recording.csv"));
        assertThat(Collection.estimate(data, plans)).isEqualTo(Duration.ofSeconds(4).plus(Progress.OVERHEAD));
        List<Run> runs = new Collection(data, driver, quiet).make(plans);
        assertThat(runs).extracting(Run::id).containsExactlyInAnyOrder("a", "b", "b-broken-1");
        assertThat(RunFolder.read(data.resolve("a"))).as("not made again").isEqualTo(first);
        assertThat(runs.stream().filter(run -> run.id().equals("b-broken-1")).findFirst().orElseThrow().samples())
                .hasSizeGreaterThanOrEqualTo(first.samples().size());
    }

    @Test
    void phpIsReloadedOnlyWhereItsLeverMayMoveAndRestsAsLongAsAsked() throws IOException, ConfigException {
        AgentArm knobs = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), List.of(org.ic2.knowledge.Lever.KEEP_ALIVE_TIMEOUT,
                org.ic2.knowledge.Lever.PHP_MAX_CHILDREN), AgentArm.BASIC, Optional.of(Duration.ofSeconds(30)));
        Files.writeString(fake.file("testbed.json"), Files.readString(fake.file("testbed.json")).replace(fake.file("env").toString(),
                "/bed/env").replace("\"files\": {", "\"files\": {\"php_status_socket\": \"/bed/status.sock\", "));
        YamlMap actuators = agent(knobs).map("members").map("web").map("actuators");
        YamlMap php = actuators.map("php");
        assertThat(php.names()).containsExactly("type", "pool", "pid-file", "command", "status-listen", "status-path",
                "cool-down");
        assertThat(php.texts("command")).startsWith("sh", "-c").endsWith("php-fpm").hasSize(4)
                .element(2).asString().startsWith(". '/bed/env' && exec \"$IC2_PHP_FPM\" ");
        assertThat(php.text("status-listen")).isEqualTo("/bed/status.sock");
        assertThat(php.duration("cool-down")).isEqualTo(Duration.ofSeconds(30));
        assertThat(actuators.map("httpd").text("type")).isEqualTo("httpd-basic");
        assertThat(actuators.map("httpd").duration("cool-down")).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void onAStockHttpdTheAgentMovesTheLadderAloneByItsFile() throws IOException, ConfigException {
        Files.writeString(fake.file("testbed.json"), Files.readString(fake.file("testbed.json"))
                .replace("\"files\": {", "\"files\": {\"mitigation_map\": \"/bed/ladder/mitigation.map\", "));
        YamlMap yaml = agent(new AgentArm(AgentArm.Role.ACTS, Optional.empty(), AgentArm.LEVERS, AgentArm.ONLINE, Optional.empty())
                .onStock());
        YamlMap actuators = yaml.map("members").map("web").map("actuators");
        assertThat(actuators.names()).containsExactly("ladder");
        assertThat(actuators.map("ladder").text("type")).isEqualTo("httpd-map");
        assertThat(actuators.map("ladder").text("file")).isEqualTo("/bed/ladder/mitigation.map");
        assertThat(actuators.map("ladder").text("status-url")).isEqualTo("http://127.0.0.1:1/server-status?auto");
        assertThat(yaml.texts("levers")).containsExactly("mitigation");
    }

    @Test
    void aMitigationGoesThroughTheLevelsThatWereAskedFor() throws IOException {
        AgentArm ladder = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), AgentArm.LEVERS, AgentArm.ONLINE, Optional.empty());
        assertThat(yaml(ladder, SETTING.withLevels(List.of(3, 6)))).contains("\nladder:\n- {mitigation: 3}\n- {mitigation: 6}\n");
        assertThat(yaml(ladder, SETTING)).doesNotContain("ladder:");
        assertThat(yaml(new AgentArm(AgentArm.Role.ACTS, Optional.empty(), List.of(org.ic2.knowledge.Lever.KEEP_ALIVE_TIMEOUT),
                AgentArm.ONLINE, Optional.empty()), SETTING.withLevels(List.of(3)))).as("the paper's arm").doesNotContain("ladder:");
    }

    @Test
    void withHardwareCountersTheAgentReadsThoseOfTheTiersGroup() throws IOException, ConfigException {
        YamlMap sensors = YamlMap.parse("agent.yaml", yaml(AgentArm.observer(), SETTING, true)).map("members").map("web").map("sensors");
        assertThat(sensors.map("counters").map("target").text("cgroup")).isEqualTo("/nowhere/web");
        assertThat(yaml(AgentArm.observer(), SETTING, false)).doesNotContain("counters");
    }

    @Test
    void withAnAccessLogTheAgentReadsTheRequestMixFromIt() throws IOException, ConfigException {
        assertThat(yaml(AgentArm.observer(), SETTING)).doesNotContain("access-log");
        Path described = fake.file("testbed.json");
        Files.writeString(described, Files.readString(described).replace("\"files\": {",
                "\"files\": {\"access_log\": \"/nowhere/access.log\", "));
        YamlMap log = agent(AgentArm.observer()).map("members").map("web").map("sensors").map("log");
        assertThat(log.text("file")).isEqualTo("/nowhere/access.log");
        String format = log.text("format");
        for (String tier : List.of("docker/web/conf/httpd.conf", "testbed/wordpress/httpd.conf")) {
            assertThat(Path.of("../..", tier)).as("the format of what is written").content()
                    .contains("LogFormat \"" + format.replace("\"", "\\\"") + "\" timed");
        }
    }

    @Test
    void inTheLayoutApartARecordingHasTheCacheProbe() throws IOException, ConfigException {
        assertThat(yaml(AgentArm.observer(), SETTING)).doesNotContain("memory-latency");
        Path described = fake.file("testbed.json");
        Files.writeString(described, Files.readString(described).replace("\"options\": {", "\"options\": {\"layout\": \"apart\", "));
        YamlMap canary = agent(AgentArm.observer()).map("members").map("web").map("sensors").map("canary");
        assertThat(canary.text("cgroup")).isEqualTo("/nowhere/web");
        assertThat(canary.texts("command")).startsWith("taskset", "-c", "0").last().asString().endsWith("/ic2-memlat");
        assertThat(yaml(AgentArm.acting(Path.of("/t/classifier.json")), SETTING)).doesNotContain("memory-latency");
    }

    @Test
    void theAgentIsConfiguredForTheArm() throws IOException, ConfigException {
        AgentArm paper = new AgentArm(AgentArm.Role.ACTS, Optional.of(Path.of("/t/classifier.json")), List.of(
                org.ic2.knowledge.Lever.MAX_REQUEST_WORKERS, org.ic2.knowledge.Lever.KEEP_ALIVE_TIMEOUT), "httpd-basic", Optional.empty());
        YamlMap yaml = agent(paper);
        assertThat(yaml.text("mode")).isEqualTo("act");
        assertThat(yaml.map("members").map("web").map("actuators").names()).containsExactly("httpd");
        assertThat(yaml.map("members").map("web").map("actuators").map("httpd").text("type")).isEqualTo("httpd-basic");
        assertThat(yaml.texts("levers")).containsExactly("max-request-workers", "keep-alive-timeout");
        assertThat(yaml.map("detector").text("model")).isEqualTo("/t/classifier.json");
        assertThat(yaml.duration("target-response-time")).isEqualTo(Duration.ofMillis(60));
        assertThat(yaml.map("bounds").texts("mitigation")).containsExactly("0", "6");
        assertThat(yaml.map("safety").duration("cool-down")).isEqualTo(Duration.ofSeconds(2));
        assertThat(yaml.map("safety").text("actions-per-hour")).isEqualTo("1200");
        assertThat(yaml.map("safety").text("on-exit")).isEqualTo("restore");
        YamlMap baseline = yaml.map("baseline");
        assertThat(baseline.names()).containsExactly("max-request-workers", "keep-alive-timeout", "php-max-children",
                "mitigation");
        assertThat(baseline.text("max-request-workers")).isEqualTo("240");
        assertThat(baseline.duration("keep-alive-timeout")).isEqualTo(Duration.ofSeconds(1));
        assertThat(baseline.text("php-max-children")).isEqualTo("60");
        assertThat(baseline.text("mitigation")).isEqualTo("0");
    }

    @Test
    void theShippedConfigurationActsAsItStandsButForWhatTheMachineSays() throws IOException, ConfigException {
        AgentArm shipped = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), List.of(org.ic2.knowledge.Lever.MITIGATION,
                org.ic2.knowledge.Lever.KEEP_ALIVE_TIMEOUT), AgentArm.ONLINE, Optional.empty(), AgentArm.Manner.SHIPPED, AgentArm.Place.INSIDE);
        YamlMap yaml = agent(shipped);
        assertThat(yaml.names()).doesNotContain("safety", "detector", "ladder", "ladder-step").doesNotHaveDuplicates();
        assertThat(yaml.map("http").text("listen")).as("its page, where the system finds room").isEqualTo("127.0.0.1:0");
        assertThat(agent(AgentArm.observer()).names()).as("nobody looks at a recording").doesNotContain("http");
        assertThat(yaml.text("mode")).isEqualTo("act");
        assertThat(yaml.texts("levers")).as("the arm's levers are the file's").isEqualTo(shipped.levers().stream().map(lever -> lever.key()).toList());
        assertThat(yaml.duration("target-response-time")).isEqualTo(Duration.ofMillis(500));
        assertThat(yaml.map("baseline").duration("keep-alive-timeout")).isEqualTo(Duration.ofSeconds(1));
        assertThat(yaml.map("bounds").texts("keep-alive-timeout")).containsExactly("1s", "30s");
        assertThat(yaml.map("bounds").texts("mitigation")).containsExactly("0", "6");
        assertThat(yaml.map("members").map("web").map("actuators").map("httpd").text("apachectl")).contains("apachectl");
        assertThat(yaml.map("members").names()).as("sar counts whole seconds").containsExactly("web");
    }

    @Test
    void commandLineOptionsReplaceShippedValuesAndTheShippedStealSensorIsKept() throws IOException, ConfigException {
        Files.writeString(fake.file("testbed.json"), Files.readString(fake.file("testbed.json"))
                .replace("\"files\": {", "\"files\": {\"mitigation_map\": \"/bed/ladder/mitigation.map\", "));
        Setting said = Setting.of(Duration.ofSeconds(1), SETTING.settling(), Duration.ofMillis(60), Duration.ofSeconds(2), "mod-status")
                .withLevels(List.of(3, 6)).withGiven(new Setting.Given(true, true));
        AgentArm shipped = new AgentArm(AgentArm.Role.ACTS, Optional.of(Path.of("/t/classifier.json")), List.of(org.ic2.knowledge.Lever.MITIGATION),
                AgentArm.ONLINE, Optional.empty(), AgentArm.Manner.SHIPPED, AgentArm.Place.INSIDE);
        YamlMap yaml = YamlMap.parse("agent.yaml", yaml(shipped, said));
        assertThat(yaml.names()).doesNotHaveDuplicates();
        assertThat(yaml.duration("target-response-time")).isEqualTo(Duration.ofMillis(60));
        assertThat(yaml.map("safety").names()).as("the budget stays the shipped one").containsExactly("cool-down");
        assertThat(yaml.map("detector").text("model")).isEqualTo("/t/classifier.json");
        assertThat(yaml.texts("levers")).contains("keep-alive-timeout");
        YamlMap machine = yaml.map("members").map("machine");
        assertThat(machine.map("sensors").map("system").text("type")).isEqualTo("sysstat");
        assertThat(YamlMap.parse("agent.yaml", yaml(shipped.onStock(), said)).texts("levers")).containsExactly("mitigation");
    }

    @Test
    void thePapersAgentIsItsProfileAndWhatTheMachineSays() throws IOException, ConfigException {
        Path state = fake.file("testbed.json");
        Files.writeString(state, Files.readString(state).replace("\"files\": {", "\"files\": {\"php_status_socket\": \"/t/php.sock\", "));
        Setting published = Setting.of(Duration.ofSeconds(5), SETTING.settling(), SETTING.target(), SETTING.coolDown(), "faban-log").published(100, 60);
        YamlMap yaml = YamlMap.parse("agent.yaml", yaml(AgentArm.published(Path.of("/t/classifier.json")), published));
        assertThat(yaml.text("profile")).isEqualTo("paper");
        assertThat(yaml.names()).as("levers, rules, guard and ladder are the profile's").doesNotContain("levers", "ladder", "knowledge-base",
                "starvation-guard", "suspicious-interval");
        assertThat(yaml.duration("interval")).isEqualTo(Duration.ofSeconds(5));
        assertThat(yaml.map("detector").text("model")).isEqualTo("/t/classifier.json");
        assertThat(yaml.map("members").map("web").map("actuators").names()).as("all three parameters").containsExactly("httpd", "php");
        assertThat(yaml.map("bounds").texts("max-request-workers")).as("below the 100 users, as 1100 of 1500").containsExactly("73", "240");
        assertThat(yaml.map("bounds").texts("keep-alive-timeout")).containsExactly("1s", "8s");
        assertThat(yaml.map("bounds").texts("php-max-children")).containsExactly("60", "400");
        assertThat(yaml.map("bounds").texts("mitigation")).as("no ladder").containsExactly("0", "0");
        assertThat(YamlMap.parse("agent.yaml", yaml(AgentArm.published(Path.of("/t/classifier.json")), published, true)).names())
                .as("with counters the profile detects by the miss rate").contains("profile").doesNotContain("detector");
    }

    @Test
    void aLevelAnActionIsAskedForByName() throws IOException {
        AgentArm ladder = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), AgentArm.LEVERS, AgentArm.ONLINE, Optional.empty(),
                AgentArm.Manner.ONE_LEVEL, AgentArm.Place.INSIDE);
        assertThat(yaml(ladder, SETTING)).contains("\nladder-step: one\n");
        assertThat(yaml(AgentArm.acting(Path.of("/t/classifier.json")), SETTING)).doesNotContain("ladder-step");
    }

    @Test
    void theLoadsOwnTimesAreReadInTheUnitOfItsDrivers() throws IOException, ConfigException {
        Setting setting = Setting.of(SETTING.interval(), SETTING.settling(), SETTING.target(), SETTING.coolDown(), "faban-log");
        AgentArm ladder = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), AgentArm.LEVERS, AgentArm.ONLINE, Optional.empty());
        YamlMap response = YamlMap.parse("agent.yaml", yaml(ladder, setting)).map("members").map("web").map("sensors").map("response");
        assertThat(List.of(response.text("type"), response.text("file"), response.text("unit"))).containsExactly("faban-log",
                "/run/load/driver.log", "ms");
    }

    @Test
    void thePagesTimesComeFromALogWhereThereIsOne() throws IOException, ConfigException {
        assertThatThrownBy(() -> fake.testbed().provides("access-log")).hasMessage("--response access-log: the testbed in "
                + fake.file("") + " writes no access log; `testbed down`, then `testbed up --set IC2_ACCESS_LOG=yes`");
        assertThatThrownBy(() -> fake.testbed().provides("sysstat")).hasMessage(
                "--response: expected one of mod-status, faban-log, access-log, got 'sysstat'");
        Path state = fake.file("testbed.json");
        Files.writeString(state, Files.readString(state).replace("\"files\": {", "\"files\": {\"access_log\": \"/t/access.log\", "));
        fake.testbed().provides("access-log");
        AgentArm ladder = new AgentArm(AgentArm.Role.ACTS, Optional.empty(), AgentArm.LEVERS, AgentArm.ONLINE, Optional.empty());
        Setting pages = Setting.of(SETTING.interval(), SETTING.settling(), SETTING.target(), SETTING.coolDown(), "access-log");
        assertThat(sensors(yaml(ladder, pages))).containsExactly("pages", "status", "queue", "system");
        assertThat(yaml(ladder, pages)).contains("file: /t/access.log", "exclude: [static, /server-status]");
        assertThat(sensors(yaml(ladder, SETTING))).containsExactly("status", "queue", "system", "log");
        assertThat(yaml(ladder, SETTING)).doesNotContain("exclude");
    }

    @Test
    void aHostedAgentHearsTheHostAndTellsIt() throws Exception {
        RunPlan plan = new RunPlan("a", "k", Duration.ofSeconds(1), 1, 1, Optional.empty(), AgentArm.observer(), List.of()).withHost(Optional.of(HostLever.CAPS));
        String yaml = AgentYaml.yaml(fake.testbed(), plan, SETTING, Path.of("/run"), Path.of("/run/journal.jsonl"), false);
        assertThat(sensors(yaml)).contains("host");
        assertThat(yaml).contains("/run/contract/notice/web.json", "/run/contract/tenant/web.json");
        assertThat(plan.facts()).containsKey("host");
        assertThat(yaml(AgentArm.observer(), SETTING)).doesNotContain("contract");
    }

    private YamlMap host(HostLever lever) throws IOException, ConfigException {
        ObjectNode state = ((ObjectNode) fake.testbed().state()).deepCopy().put("host_group", "ic2-0");
        return YamlMap.parse("host.yaml", HostSide.yaml(new Testbed(fake.testbed().home(), fake.testbed().folder(), state), SETTING, lever));
    }

    @Test
    void theHostMovesWhatTheArmSays() throws Exception {
        assertThatThrownBy(() -> HostSide.yaml(fake.testbed(), SETTING, HostLever.CAPS)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("`testbed up --hosted`");
        YamlMap caps = host(HostLever.CAPS);
        assertThat(caps.map("backend").text("groups")).isEqualTo("ic2-0");
        assertThat(caps.map("controllers").names()).containsExactly("joint");
        assertThat(caps.map("controllers").map("joint").texts("guests")).containsExactly("web", "neighbour");
        assertThat(caps.map("controllers").map("joint").texts("knobs")).containsExactly("cap");
        assertThat(caps.map("reserve").integer("cpus")).as("one CPU is theirs").isEqualTo(Machine.cpus() - 1);
        assertThat(caps.map("guests").map("web").text("response-time")).isEqualTo(SETTING.target().toMillis() + "ms");
        YamlMap weights = host(HostLever.WEIGHTS);
        assertThat(weights.map("controllers").names()).containsExactly("schedule");
        assertThat(weights.map("controllers").map("schedule").texts("knobs")).containsExactly("weight");
        YamlMap pins = host(HostLever.PINS);
        assertThat(pins.map("controllers").names()).containsExactly("placement");
        assertThat(pins.map("reserve").integer("cpus")).as("there must be another CPU to go to").isZero();
    }

    private static List<String> sensors(String yaml) throws ConfigException {
        return YamlMap.parse("agent.yaml", yaml).map("members").map("web").map("sensors").names();
    }

    private YamlMap agent(AgentArm arm) throws IOException, ConfigException {
        return YamlMap.parse("agent.yaml", yaml(arm, SETTING));
    }

    private String yaml(AgentArm arm, Setting setting) throws IOException {
        return yaml(arm, setting, false);
    }

    private String yaml(AgentArm arm, Setting setting, boolean counters) throws IOException {
        return AgentYaml.yaml(fake.testbed(), new RunPlan("a", "k", Duration.ofSeconds(1), 1, 1,
                Optional.empty(), arm, List.of()), setting, Path.of("/run"), Path.of("/run/journal.jsonl"), counters);
    }
}
