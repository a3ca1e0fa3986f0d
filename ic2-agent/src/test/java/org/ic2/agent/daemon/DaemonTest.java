// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.runtime.testing.FreePort;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.journal.Entry;
import org.ic2.agent.tenant.Written;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon in a process of its own: signals, kill -9, commands by hand, HTTP. */
class DaemonTest {

    /** For a command to end. */
    private static final int PATIENCE_SECONDS = 300;
    private static final String BASELINE = "MaxRequestWorkers=650 KeepAliveTimeout=5000ms MITIGATION=0";

    @TempDir
    private Path directory;

    private FakeHttpd httpd;
    private Path config;
    private int port;
    private AgentProcess agent;

    @BeforeEach
    void place() throws Exception {
        Files.createDirectory(directory.resolve("httpd"));
        httpd = new FakeHttpd(directory.resolve("httpd"));
        port = FreePort.any();
        config = directory.resolve("ic2.yaml");
        Files.writeString(directory.resolve("token"), "secret of the test\n");
        Files.setPosixFilePermissions(directory.resolve("token"), PosixFilePermissions.fromString("rw-r-----"));
        Files.writeString(config, AgentProcess.acting(httpd.url(), "apachectl: " + httpd.apachectl(),
                directory.resolve("state/journal.jsonl"))
                + "http: {listen: \"127.0.0.1:%d\", token-file: %s}\n".formatted(port, directory.resolve("token")));
        agent = new AgentProcess(config, directory.resolve("state/journal.jsonl"));
    }

    @AfterEach
    void clear() throws Exception {
        agent.close();
        httpd.close();
    }

    private void start() throws Exception {
        agent.start();
    }

    private JsonNode ask(String json) throws IOException {
        return agent.ask(json);
    }

    private JsonNode status() throws IOException {
        return agent.status();
    }

    private void await(Waiting.Condition condition) throws Exception {
        agent.await(condition);
    }

    private String log() throws IOException {
        return agent.log();
    }

    @Test
    void byHandThenSigtermKeepsWhatThePersonWantedAndResumeHandsBack() throws Exception {
        start();
        JsonNode answer = ask("{\"verb\":\"apply\",\"mxc\":400,\"kat\":\"15s\",\"mitigation\":2}");
        assertThat(answer.get("ok").asBoolean()).as(answer.toString()).isTrue();
        assertThat(httpd.running()).isEqualTo("MaxRequestWorkers=400 KeepAliveTimeout=15000ms MITIGATION=2");
        await(() -> status().get("state").asText().equals("MANUAL"));
        assertThat(ask("{\"verb\":\"apply\",\"mxc\":9999}").get("text").asText()).contains("outside the bounds");
        assertThat(ask("{\"verb\":\"apply\",\"kat\":\"15\"}").get("text").asText()).contains("unit");
        agent.terminate();
        assertThat(httpd.running()).as("manual mode").contains("MaxRequestWorkers=400");
        start();
        assertThat(status().get("state").asText()).isEqualTo("MANUAL");
        assertThat(ask("{\"verb\":\"resume\"}").get("ok").asBoolean()).isTrue();
        agent.terminate();
        assertThat(httpd.running()).as("SIGTERM restores the baseline").isEqualTo(BASELINE);
    }

    @Test
    void theLogSaysAtTheStartAndAfterAReloadWhatIsRiskedWithoutTheGuard() throws Exception {
        String guarded = Files.readString(config);
        start();
        assertThat(log()).doesNotContain("starvation-guard");
        Files.writeString(config, guarded + "starvation-guard: off\n");
        agent.hangup();
        await(() -> log().contains("starvation-guard: off: with fewer threads (max-request-workers) than connected users"));
        agent.terminate();
        int before = log().length();
        start();
        await(() -> log().substring(before).contains("starvation-guard: off: "));
        agent.terminate();
    }

    /** Has the agent change values, and httpd not answer; the one who asked waits. */
    private Thread inTheMiddleOfAnApply() throws Exception {
        httpd.set("hold", "");
        Thread asking = new Thread(() -> {
            try {
                ask("{\"verb\":\"apply\",\"mxc\":350,\"mitigation\":3}");
            } catch (IOException e) {
                // the agent was killed while we waited
            }
        });
        asking.start();
        await(() -> Files.exists(httpd.file("begun")) && httpd.running().contains("350"));
        return asking;
    }

    @Test
    void killedInTheMiddleOfAnApplyItRestoresAtTheNextStart() throws Exception {
        start();
        Thread asking = inTheMiddleOfAnApply();
        agent.kill();
        asking.join();
        assertThat(httpd.running()).contains("MaxRequestWorkers=350");
        httpd.set("hold", null);
        start();
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(log()).contains("in the middle of by-hand");
        List<String> kinds = Written.entries(directory.resolve("state/journal.jsonl")).stream().map(Entry::kind)
                .toList();
        assertThat(kinds).containsSubsequence("start", "intent", "start", "intent", "applied");
    }

    /** What systemd does when no sign of life comes (WatchdogSignal, TimeoutAbortSec, ExecStopPost, Restart); that none comes, test_systemd.py shows. */
    @Test
    void aLoopThatHangsTellsItsThreadsIsKilledAndStartedAgainAndWhatItLeftIsRestored() throws Exception {
        start();
        Thread asking = inTheMiddleOfAnApply();
        agent.signal("QUIT");
        await(() -> log().contains("Full thread dump") && log().contains("AgentLoop.applyByHand"));
        agent.kill();
        asking.join();
        httpd.set("hold", null);
        assertThat(httpd.running()).contains("MaxRequestWorkers=350");
        Process after = agent.ic2("restore", "--if-left", "-c", config.toString());
        assertThat(after.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(httpd.running()).as(log()).isEqualTo(BASELINE);
        start();
        assertThat(status().get("state").asText()).as("no manual mode").isNotEqualTo("MANUAL");
        assertThat(httpd.running()).isEqualTo(BASELINE);
    }

    @Test
    void hangupReadsTheConfigurationAgainAndKeepsTheOldOneWhenTheNewIsBad() throws Exception {
        start();
        String good = Files.readString(config);
        Files.writeString(config, good.replace("interval: 200ms", "interval: soon"));
        agent.hangup();
        await(() -> log().contains("ic2.yaml:2: interval"));
        assertThat(status().get("interval").asDouble()).isEqualTo(0.2);
        Files.writeString(config, good.replace("interval: 200ms", "interval: 300ms"));
        agent.hangup();
        await(() -> status().get("interval").asDouble() == 0.3);
        Files.writeString(config, good.replaceAll("journal: .*", "journal: /elsewhere/journal.jsonl"));
        agent.hangup();
        await(() -> log().contains("restart it"));
    }

    @Test
    void hangupThatTakesALeverAwayRestoresItFirstAndLeavesManualModeOn() throws Exception {
        start();
        String withoutLadder = Files.readString(config) + "levers: [max-request-workers, keep-alive-timeout]\n";
        ask("{\"verb\":\"apply\",\"mitigation\":2}");
        String withLadder = Files.readString(config);
        Files.writeString(config, withoutLadder);
        agent.hangup();
        await(() -> log().contains("mitigation is 2 and is no lever any more, as a person wanted; run \"ic2 restore\""));
        assertThat(httpd.running()).contains("MITIGATION=2");
        Files.writeString(config, withLadder);
        ask("{\"verb\":\"resume\"}");
        Files.writeString(config, withoutLadder);
        agent.hangup();
        await(() -> log().contains("the configuration was read again"));
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(log()).contains("restoring the baseline before the configuration changes: mitigation is 2");
        assertThat(ask("{\"verb\":\"apply\",\"mitigation\":1}").get("text").asText()).contains("allow the lever");
    }

    @Test
    void aLiveRunMitigatesAndRestoresByItselfAndItsRecordingReplaysByteForByte() throws Exception {
        Path group = Files.createDirectory(directory.resolve("group"));
        Path csv = directory.resolve("samples.csv");
        Files.writeString(config, Files.readString(config).replace("sensors: {", "sensors: {system: {type: cgroup, path: "
                + group + ", cpus: 1}, ") + "target-response-time: 0.1s\nsafety: {cool-down: 1s}\n");
        try (Tier tier = new Tier(group)) {
            agent.start("--record", csv.toString());
            await(() -> status().get("state").asText().equals("NI2") && status().get("medians").get("count").asInt() >= 25);
            httpd.requestsTake(300);
            tier.steal(500_000);
            await(() -> httpd.running().matches(".*MITIGATION=[2-4]"));
            httpd.requestsTake(20);
            tier.steal(0);
            await(() -> httpd.running().equals(BASELINE));
            agent.terminate();
        }
        List<JsonNode> live = Written.entries(directory.resolve("state/journal.jsonl")).stream()
                .flatMap(entry -> entry.decision().stream()).toList();
        assertThat(live).extracting(decision -> decision.get("action").asText())
                .contains("MITIGATE", "STEP_DOWN");
        String first = replay(csv);
        assertThat(replay(csv)).isEqualTo(first);
        assertThat(first.lines()).containsAll(live.stream().map(JsonNode::toString).toList());
    }

    private String replay(Path csv) throws Exception {
        Path out = Files.createTempFile(directory, "replay", ".jsonl");
        Process replay = agent.ic2(out, "replay", "-c", config.toString(), "--json", csv.toString());
        assertThat(replay.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(replay.exitValue()).isZero();
        return Files.readString(out);
    }

    /** The counters of a control group whose tier uses a third of a CPU, and is held up as much as the test says. */
    private static final class Tier implements AutoCloseable {
        private static final long MICROS_OF_USE = 333_333;
        private final Path group;
        private final Thread thread = new Thread(this::count, "tier");
        private volatile long stolen;
        private volatile boolean ended;

        Tier(Path group) throws IOException {
            this.group = group;
            write(0, 0);
            thread.start();
        }

        void steal(long microsPerSecond) {
            stolen = microsPerSecond;
        }

        private void count() {
            double used = 0;
            double waited = 0;
            long last = System.nanoTime();
            try {
                while (!ended) {
                    TimeUnit.MILLISECONDS.sleep(10);
                    long now = System.nanoTime();
                    used += (now - last) / 1e9 * MICROS_OF_USE;
                    waited += (now - last) / 1e9 * stolen;
                    last = now;
                    write((long) used, (long) waited);
                }
            } catch (InterruptedException | IOException e) {
                // its directory is gone with the test
            }
        }

        /** Each file in one step, so that no reader sees half of it. */
        private void write(long used, long waited) throws IOException {
            replace("cpu.stat", "usage_usec " + used + "\n");
            replace("cpu.pressure", "some avg10=0 total=" + waited + "\nfull avg10=0 total=" + waited + "\n");
        }

        private void replace(String name, String text) throws IOException {
            Path fresh = Files.writeString(group.resolve("new"), text);
            Files.move(fresh, group.resolve(name), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void close() {
            ended = true;
        }
    }

    @Test
    void aHungServerLeavesTheLoopAliveAndIsNamed() throws Exception {
        start();
        httpd.hang(true);
        await(() -> status().path("problems").has("web.response"));
        double first = status().get("sample").get("time").asDouble();
        // long enough for the loop to read the running values back, which hangs too
        await(() -> status().get("sample").get("time").asDouble() > first + 9);
        httpd.hang(false);
        await(() -> !status().path("problems").has("web.response"));
    }

    @Test
    void httpShowsEverythingAndChangesNothingWithoutTheToken() throws Exception {
        start();
        // an interval in which the status page comes late counts no requests
        await(() -> {
            String page = get("/metrics").body();
            return Stream.of("ic2_sample_throughput_per_second{member=\"web\"} ",
                    "ic2_running{lever=\"max-request-workers\"} 650.0").allMatch(page::contains);
        });
        assertThat(new JsonMapper().readTree(get("/api/status").body()).get("application").asText()).isEqualTo("shop");
        JsonNode samples = new JsonMapper().readTree(get("/api/samples?since=0").body());
        assertThat(samples.size()).isPositive();
        double last = samples.get(samples.size() - 1).get("time").asDouble();
        assertThat(new JsonMapper().readTree(get("/api/samples?since=" + (last + 3600)).body())).isEmpty();
        assertThat(get("/api/events").body()).contains("\"kind\":\"start\"");
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        await(() -> get("/readyz").statusCode() == 200);
        JsonNode inForce = new JsonMapper().readTree(get("/api/config").body());
        assertThat(inForce.at("/bounds/mxc").toString()).isEqualTo("[300.0,650.0]");
        assertThat(inForce.at("/safety/actions-per-hour").asInt()).as("a default").isEqualTo(60);
        assertThat(inForce.toString()).contains("web.response").doesNotContain("token").doesNotContain(httpd.url());
        assertThat(get("/").body()).contains("<title>IC²</title>").doesNotContain("http://").doesNotContain("https://");
        assertThat(get("/nothing").statusCode()).isEqualTo(404);
        assertThat(post("/api/apply", "{\"mxc\":400}", null).statusCode()).isEqualTo(401);
        assertThat(post("/api/apply", "{\"mxc\":400}", "wrong").statusCode()).isEqualTo(401);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(post("/api/apply", "{\"mxc\":400}", "secret of the test").statusCode()).isEqualTo(200);
        assertThat(httpd.running()).contains("MaxRequestWorkers=400");
        assertThat(post("/api/apply", "{\"mxc\":", "secret of the test").body()).contains("expected an object");
        assertThat(post("/api/apply", "x".repeat(5000), "secret of the test").statusCode()).isEqualTo(413);
        assertThat(post("/api/restore", "", "secret of the test").statusCode()).isEqualTo(200);
        assertThat(httpd.running()).isEqualTo(BASELINE);
    }

    @Test
    void aTimedRequestIsRecordedWithCallerAndEndAndEndsByItself() throws Exception {
        start();
        assertThat(post("/api/pause", "{\"for\": \"soon\"}", "secret of the test").body()).contains("for: expected a duration");
        assertThat(post("/api/pause", "{\"for\": \"2h\"}", "secret of the test").statusCode()).isEqualTo(200);
        await(() -> status().get("state").asText().equals("MANUAL"));
        assertThat(status().get("until").asDouble()).isGreaterThan(status().get("sample").get("time").asDouble() + 7000);
        agent.kill();
        start();
        assertThat(status().get("state").asText()).isEqualTo("MANUAL");
        assertThat(status().hasNonNull("until")).isTrue();
        assertThat(ask("{\"verb\":\"apply\",\"mitigation\":2}").get("ok").asBoolean()).isTrue();
        JsonNode answer = ask("{\"verb\":\"restore\",\"for\":\"1s\"}");
        assertThat(answer.get("text").asText()).contains("goes on by itself in 1s");
        await(() -> !status().get("state").asText().equals("MANUAL"));
        assertThat(status().hasNonNull("until")).isFalse();
        List<String> asked = Written.entries(directory.resolve("state/journal.jsonl")).stream()
                .filter(entry -> !entry.by().isEmpty()).map(entry -> entry.kind() + " " + entry.by()).toList();
        assertThat(asked).hasSize(7).first().isEqualTo("manual over HTTP from 127.0.0.1");
        assertThat(asked.subList(1, 7)).allSatisfy(each -> assertThat(each).matches("(intent|applied|manual) uid \\d+( \\(.+\\))?"));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aStartThatFailsLeavesWhatAPersonWanted() throws Exception {
        Process apply = agent.ic2("apply", "-c", config.toString(), "--mitigation", "3");
        assertThat(apply.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(httpd.running()).as(log()).contains("MITIGATION=3");
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            Process run = agent.ic2("run", "-c", config.toString());
            assertThat(run.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as("port " + taken.getLocalPort() + " is taken").isEqualTo(1);
        }
        assertThat(httpd.running()).contains("MITIGATION=3");
    }

    @Test
    void aSecondAgentOnTheSameJournalIsRefused() throws Exception {
        start();
        Process second = agent.ic2("run", "-c", config.toString());
        assertThat(second.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(log()).contains("another agent has it");
    }

    @Test
    void checkTellsWhatIsBrokenAndChangesNothing() throws Exception {
        Process check = agent.ic2("check", "-c", config.toString());
        assertThat(check.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(log()).contains("MISSING cpu_util").contains("add a sensor: sysstat")
                .contains("max-request-workers 650");
        assertThat(check.exitValue()).as("act needs the CPU").isEqualTo(1);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        httpd.close();
        Process broken = agent.ic2("check", "-c", config.toString());
        assertThat(broken.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(log()).contains("MISSING web.httpd").contains("cannot connect to 127.0.0.1");
    }
}
