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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.executor.Journal;
import org.ic2.agent.http.ControlSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon in a process of its own: signals, kill -9, commands by hand, HTTP. */
class DaemonTest {

    private static final String BASELINE = "MaxRequestWorkers=650 KeepAliveTimeout=5000ms MITIGATION=0";

    @TempDir
    private Path directory;

    private FakeHttpd httpd;
    private Path config;
    private int port;
    private Process agent;

    @BeforeEach
    void place() throws Exception {
        Files.createDirectory(directory.resolve("httpd"));
        httpd = new FakeHttpd(directory.resolve("httpd"));
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        config = directory.resolve("ic2.yaml");
        Files.writeString(directory.resolve("token"), "secret of the test\n");
        Files.writeString(config, """
                application: shop
                interval: 200ms
                mode: act
                members:
                  web:
                    role: web
                    sensors: {response: {type: mod-status, url: "%s"}}
                    actuators: {httpd: {type: httpd-online, apachectl: %s}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: %s
                http: {listen: "127.0.0.1:%d", token-file: %s}
                """.formatted(httpd.url(), httpd.apachectl(), directory.resolve("state/journal.jsonl"), port,
                directory.resolve("token")));
    }

    @AfterEach
    void clear() throws Exception {
        if (agent != null) {
            agent.destroyForcibly().waitFor();
        }
        httpd.close();
    }

    private void start() throws Exception {
        agent = ic2("run", "-c", config.toString());
        await(() -> status().has("sample"));
    }

    private Process ic2(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
                "org.ic2.agent.cli.Ic2"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile())).start();
    }

    private JsonNode ask(String json) throws IOException {
        return ControlSocket.ask(directory.resolve("state/control.sock"), new JsonMapper().readTree(json));
    }

    private JsonNode status() throws IOException {
        return ask("{\"verb\":\"status\"}").get("status");
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(Condition condition) throws Exception {
        for (int i = 0; i < 600; i++) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (IOException e) {
                assertThat(agent.isAlive()).as(log()).isTrue();
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new AssertionError("waited in vain; the agent said: " + log());
    }

    private String log() throws IOException {
        return Files.exists(directory.resolve("log")) ? Files.readString(directory.resolve("log")) : "";
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
        agent.destroy();
        assertThat(agent.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(httpd.running()).as("a person is in charge").contains("MaxRequestWorkers=400");
        start();
        assertThat(status().get("state").asText()).isEqualTo("MANUAL");
        assertThat(ask("{\"verb\":\"resume\"}").get("ok").asBoolean()).isTrue();
        agent.destroy();
        assertThat(agent.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(httpd.running()).as("SIGTERM restores the baseline").isEqualTo(BASELINE);
    }

    @Test
    void killedInTheMiddleOfAnApplyItRestoresAtTheNextStart() throws Exception {
        start();
        httpd.set("delay", "5");
        Thread asking = new Thread(() -> {
            try {
                ask("{\"verb\":\"apply\",\"mxc\":350,\"mitigation\":3}");
            } catch (IOException e) {
                // the agent was killed while we waited
            }
        });
        asking.start();
        await(() -> Files.exists(httpd.file("begun")) && httpd.running().contains("350"));
        agent.destroyForcibly().waitFor();
        asking.join();
        assertThat(httpd.running()).contains("MaxRequestWorkers=350");
        httpd.set("delay", null);
        start();
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(log()).contains("in the middle of by-hand");
        List<String> kinds = Journal.read(directory.resolve("state/journal.jsonl")).stream()
                .map(entry -> entry.get("kind").asText()).toList();
        assertThat(kinds).containsSubsequence("start", "intent", "start", "intent", "applied");
    }

    @Test
    void hangupReadsTheConfigurationAgainAndKeepsTheOldOneWhenTheNewIsBad() throws Exception {
        start();
        String good = Files.readString(config);
        Files.writeString(config, good.replace("interval: 200ms", "interval: soon"));
        hangup();
        await(() -> log().contains("ic2.yaml:2: interval"));
        assertThat(status().get("interval").asDouble()).isEqualTo(0.2);
        Files.writeString(config, good.replace("interval: 200ms", "interval: 300ms"));
        hangup();
        await(() -> status().get("interval").asDouble() == 0.3);
        Files.writeString(config, good.replaceAll("journal: .*", "journal: /elsewhere/journal.jsonl"));
        hangup();
        await(() -> log().contains("restart it"));
    }

    private void hangup() throws Exception {
        new ProcessBuilder("kill", "-HUP", Long.toString(agent.pid())).start().waitFor();
    }

    @Test
    void aHungServerLeavesTheLoopAliveAndIsNamed() throws Exception {
        start();
        httpd.hang(true);
        await(() -> status().path("problems").has("web.response"));
        double first = status().get("sample").get("time").asDouble();
        await(() -> status().get("sample").get("time").asDouble() > first + 0.5);
        httpd.hang(false);
        await(() -> !status().path("problems").has("web.response"));
    }

    @Test
    void httpShowsEverythingAndChangesNothingWithoutTheToken() throws Exception {
        start();
        await(() -> status().get("sample").has("throughput"));
        assertThat(get("/metrics").body()).contains("ic2_sample{member=\"web\",metric=\"throughput\"}")
                .contains("ic2_running{lever=\"max-request-workers\"} 650.0");
        assertThat(new JsonMapper().readTree(get("/api/status").body()).get("application").asText()).isEqualTo("shop");
        JsonNode samples = new JsonMapper().readTree(get("/api/samples?since=0").body());
        assertThat(samples.size()).isPositive();
        double last = samples.get(samples.size() - 1).get("time").asDouble();
        assertThat(new JsonMapper().readTree(get("/api/samples?since=" + (last + 3600)).body())).isEmpty();
        assertThat(get("/api/events").body()).contains("\"kind\":\"start\"");
        assertThat(get("/").body()).contains("<title>IC²</title>").doesNotContain("http://").doesNotContain("https://");
        assertThat(get("/nothing").statusCode()).isEqualTo(404);
        assertThat(post("/api/apply", "{\"mxc\":400}", null).statusCode()).isEqualTo(401);
        assertThat(post("/api/apply", "{\"mxc\":400}", "wrong").statusCode()).isEqualTo(401);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(post("/api/apply", "{\"mxc\":400}", "secret of the test").statusCode()).isEqualTo(200);
        assertThat(httpd.running()).contains("MaxRequestWorkers=400");
        assertThat(post("/api/restore", "", "secret of the test").statusCode()).isEqualTo(200);
        assertThat(httpd.running()).isEqualTo(BASELINE);
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
    void aSecondAgentOnTheSameJournalIsRefused() throws Exception {
        start();
        Process second = ic2("run", "-c", config.toString());
        assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(log()).contains("another agent has it");
    }

    @Test
    void checkTellsWhatIsBrokenAndChangesNothing() throws Exception {
        Process check = ic2("check", "-c", config.toString());
        assertThat(check.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(log()).contains("MISSING cpu_util").contains("add a sensor: sysstat")
                .contains("max-request-workers 650");
        assertThat(check.exitValue()).as("act needs the CPU").isEqualTo(1);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        httpd.close();
        Process broken = ic2("check", "-c", config.toString());
        assertThat(broken.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(log()).contains("MISSING web.httpd").contains("cannot connect to 127.0.0.1");
    }
}
