// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import org.ic2.agent.servers.AgentProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other programs ask whether users are harmed: a real agent, its HTTP server, and an access log whose requests get slow. */
class OverloadTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(AgentProcess agent, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + agent.port() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Requests of so many microseconds, until the agent answers so. */
    private HttpResponse<String> until(AgentProcess agent, int code, long micros) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(end)) {
            Files.writeString(directory.resolve("access.log"), ("GET /a 200 " + micros + "\n").repeat(15), StandardOpenOption.APPEND);
            HttpResponse<String> answer = get(agent, "/overload");
            if (answer.statusCode() == code && Files.exists(directory.resolve("overload")) == (code == 503)) {
                return answer;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no " + code + " from /overload: " + get(agent, "/api/status").body());
    }

    @Test
    void overloadSaysSoWhileUsersAreHarmedAndTheFileIsThereExactlyThen() throws Exception {
        Files.writeString(directory.resolve("access.log"), "");
        Files.writeString(directory.resolve("overload"), "{\"cause\":\"surge\",\"level\":4,\"since\":\"2026-11-01T00:00:00Z\"}\n");
        Path config = directory.resolve("ic2.yaml");
        Files.writeString(config, """
                application: shop
                interval: 200ms
                mode: advise
                overload-file: DIR/overload
                members:
                  web: {role: web, sensors: {log: {type: access-log, file: DIR/access.log, format: "%m %U %>s %D"}}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: DIR/journal.jsonl
                http: {listen: "127.0.0.1:0"}
                """.replace("DIR", directory.toString()));
        try (AgentProcess agent = new AgentProcess(config, directory.resolve("journal.jsonl"))) {
            agent.start();
            JsonMapper mapper = new JsonMapper();
            assertThat(mapper.readTree(until(agent, 200, 20_000).body()).path("level").asInt()).isZero();
            JsonNode harmed = mapper.readTree(until(agent, 503, 6_000_000).body());
            assertThat(harmed.path("cause").asText()).isEqualTo("unknown");
            assertThat(harmed.path("level").isInt()).isTrue();
            assertThat(Instant.parse(harmed.path("since").asText())).isBefore(Instant.now());
            assertThat(mapper.readTree(Files.readString(directory.resolve("overload"))).path("cause").asText()).isEqualTo("unknown");
            JsonNode status = mapper.readTree(get(agent, "/api/status").body());
            assertThat(status.path("harm").path("felt").asText()).startsWith("response time 6 s, target 0.5 s");
            assertThat(status.path("act").toString()).isEqualTo("[\"neighbour\"]");
            assertThat(get(agent, "/metrics").body()).contains("ic2_harm 1.0", "ic2_harm_cause{cause=\"unknown\"} 1.0",
                    "ic2_harm_cause{cause=\"neighbour\"} 0.0");
            until(agent, 200, 20_000);
            assertThat(get(agent, "/metrics").body()).contains("ic2_harm 0.0");
            until(agent, 503, 6_000_000);
            agent.terminate();
        }
        assertThat(directory.resolve("overload")).as("nobody tells any more").doesNotExist();
        assertThat(Files.readString(directory.resolve("journal.jsonl"))).contains("slow: response time 6 s, target 0.5 s; cause: unknown",
                "users are harmed no longer", "\"scenario\":\"IC2-60\"");
    }
}
