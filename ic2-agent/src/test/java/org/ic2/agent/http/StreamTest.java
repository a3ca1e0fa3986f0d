// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.servers.AgentProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /api/stream} of the daemon in a process of its own: what goes before, and what comes. */
@Timeout(300)
class StreamTest {

    @TempDir
    private Path directory;

    private final JsonMapper mapper = new JsonMapper();
    private FakeHttpd httpd;
    private AgentProcess agent;

    /** An event: its name, id ("" where it has none) and data. */
    private record Event(String name, String id, JsonNode data) {
    }

    private final class Stream implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader lines;

        Stream(String query, String header) throws Exception {
            socket = new Socket(InetAddress.getLoopbackAddress(), agent.port());
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(("GET /api/stream" + query + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(lines.readLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(lines.readLine()).isEqualTo("Content-Type: text/event-stream");
            while (!lines.readLine().isEmpty()) {
                continue;   // the other headers
            }
        }

        Event next() throws IOException {
            String id = "";
            String name = "";
            String data = "";
            for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
                id = line.startsWith("id: ") ? line.substring("id: ".length()) : id;
                name = line.startsWith("event: ") ? line.substring("event: ".length()) : name;
                data = line.startsWith("data: ") ? line.substring("data: ".length()) : data;
            }
            return new Event(name, id, mapper.readTree(data));
        }

        Event next(String name) throws IOException {
            Event event = next();
            while (!event.name().equals(name)) {
                event = next();
            }
            return event;
        }

        /** The kind of the next entry that is no decision: where httpd answers late, there may be one at any time. */
        String nextDeed() throws IOException {
            String kind = next("entry").data().get("kind").asText();
            while (kind.equals("decision")) {
                kind = next("entry").data().get("kind").asText();
            }
            return kind;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        Files.createDirectory(directory.resolve("httpd"));
        httpd = new FakeHttpd(directory.resolve("httpd"));
        Path config = directory.resolve("ic2.yaml");
        Files.writeString(config, AgentProcess.acting(httpd.url(), "apachectl: " + httpd.apachectl(),
                directory.resolve("state/journal.jsonl")) + "http: {listen: \"127.0.0.1:0\"}\n");
        agent = new AgentProcess(config, directory.resolve("state/journal.jsonl"));
        agent.start();
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
        httpd.close();
    }

    @Test
    void theStatusThenWhatWasThenWhatComesWithoutAGap() throws Exception {
        agent.await(() -> agent.status().path("sample").has("throughput"));
        List<Long> times = new ArrayList<>();
        Set<String> extra = Set.of("state", "label", "level", "decision");
        try (Stream stream = new Stream("", "")) {
            Event status = stream.next();
            assertThat(status.name()).isEqualTo("status");
            assertThat(status.data().get("application").asText()).isEqualTo("shop");
            Event start = stream.next("entry");
            assertThat(start.data().get("kind").asText()).isEqualTo("start");
            while (times.size() < 20) {
                Event sample = stream.next("sample");
                assertThat(sample.data().properties().stream().map(java.util.Map.Entry::getKey)).containsAll(extra);
                assertThat(Math.round(sample.data().get("time").asDouble() * 1000)).isEqualTo(Long.parseLong(sample.id()));
                times.add(Long.parseLong(sample.id()));
            }
        }
        assertThat(times).isSorted().doesNotHaveDuplicates();
        // who comes back gets what he missed and nothing twice
        List<Long> missed = new ArrayList<>();
        try (Stream stream = new Stream("", "Last-Event-ID: " + times.get(4) + "\r\n")) {
            while (missed.size() < 20) {
                missed.add(Long.parseLong(stream.next("sample").id()));
            }
        }
        assertThat(missed).isSorted().doesNotHaveDuplicates().startsWith(times.subList(5, 20).toArray(Long[]::new));
        try (Stream stream = new Stream("?since=" + times.get(9) / 1000.0, "")) {
            assertThat(Long.parseLong(stream.next("sample").id())).isEqualTo(times.get(10));
        }
    }

    @Test
    void manualChangesAreSentAsEntriesAndAsANewStatus() throws Exception {
        try (Stream stream = new Stream("?since=99999999999", "")) {
            assertThat(stream.next().data().get("state").asText()).isNotEqualTo("MANUAL");
            assertThat(agent.ask("{\"verb\":\"apply\",\"mitigation\":2}").get("ok").asBoolean()).isTrue();
            assertThat(stream.nextDeed()).isEqualTo("intent");
            assertThat(stream.nextDeed()).isEqualTo("applied");
            assertThat(stream.nextDeed()).isEqualTo("manual");
            Event status = stream.next("status");
            while (!status.data().get("state").asText().equals("MANUAL")) {
                status = stream.next("status");
            }
            assertThat(status.data().get("running").get("mitigation").asInt()).isEqualTo(2);
            Event sample = stream.next("sample");
            while (sample.data().get("level").asInt() != 2) {
                sample = stream.next("sample");
            }
            assertThat(sample.data().get("state").asText()).isEqualTo("MANUAL");
        }
    }
}
