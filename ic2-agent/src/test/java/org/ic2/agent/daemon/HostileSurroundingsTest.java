// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.servers.AgentProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The daemon, with the memory that it has, where files and pages are what nobody expects: it goes on, and restores. */
@Timeout(900)
class HostileSurroundingsTest {

    @TempDir
    private Path directory;

    private FakeHttpd httpd;
    private HttpServer flood;
    private Path config;
    private Path log;
    private AgentProcess agent;

    @BeforeEach
    void place() throws Exception {
        Files.createDirectory(directory.resolve("httpd"));
        httpd = new FakeHttpd(directory.resolve("httpd"));
        flood = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] page = "a: b\n".repeat(200_000).getBytes(StandardCharsets.US_ASCII);
        flood.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
            }
        });
        flood.start();
        log = directory.resolve("access.log");
        config = directory.resolve("ic2.yaml");
        Files.writeString(config, """
                application: shop
                interval: 200ms
                mode: act
                members:
                  web:
                    role: web
                    sensors:
                      flood: {type: mod-status, url: "http://127.0.0.1:%d/"}
                      log: {type: access-log, file: %s, format: "%%>s %%D"}
                    actuators: {httpd: {type: httpd-online, apachectl: %s, status-url: "%s"}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: %s
                """.formatted(flood.getAddress().getPort(), log, httpd.apachectl(), httpd.url(),
                directory.resolve("state/journal.jsonl")));
        agent = new AgentProcess(config, directory.resolve("state/journal.jsonl"));
    }

    @AfterEach
    void clear() throws Exception {
        agent.close();
        httpd.close();
        flood.stop(0);
    }

    private String problem(String sensor) throws Exception {
        return agent.status().path("problems").path(sensor).asText();
    }

    private int count(String word) throws Exception {
        return agent.log().split(word, -1).length - 1;
    }

    private Map<String, String> bad() throws Exception {
        String good = Files.readString(config);
        Map<String, String> bad = new LinkedHashMap<>();
        bad.put("nested", good + "x: " + "[".repeat(100_000));
        bad.put("two megabytes of keys", good + "x: {" + "k: v, ".repeat(350_000) + "}\n");
        bad.put("twenty megabytes", good + "#" + "x".repeat(20 * 1024 * 1024));
        bad.put("an endless model", good + "detector: {type: tree, model: /dev/zero}\n");
        return bad;
    }

    @Test
    void itGoesOnAndRestores() throws Exception {
        new ProcessBuilder("mkfifo", log.toString()).start().waitFor();
        agent.start();
        agent.await(() -> problem("web.flood").contains("answered more than") && problem("web.log").contains("a FIFO"));
        agent.hangup();
        agent.await(() -> count("was read again") == 1);

        Files.delete(log);
        Files.writeString(log, "");
        agent.await(() -> !problem("web.log").contains("FIFO"));
        Files.writeString(log, "\n".repeat(3 * 1024 * 1024), StandardOpenOption.APPEND);
        agent.await(() -> {
            Files.writeString(log, "\n", StandardOpenOption.APPEND); // it is told of the interval in which they came
            return problem("web.log").contains("no line fits");
        });
        agent.await(() -> {
            Files.writeString(log, "200 1000\n", StandardOpenOption.APPEND);
            return agent.status().path("sample").path("throughput").asDouble() > 0;
        });

        String good = Files.readString(config);
        int refused = 0;
        for (Map.Entry<String, String> bad : bad().entrySet()) {
            Files.writeString(config, bad.getValue());
            agent.hangup();
            int expected = ++refused;
            agent.await(() -> count("the configuration stays as it was") == expected);
        }
        Files.writeString(config, good);
        assertThat(agent.ask("{\"verb\":\"apply\",\"mitigation\":3}").get("ok").asBoolean()).isTrue();
        agent.ask("{\"verb\":\"resume\"}");
        agent.terminate();
        assertThat(httpd.running()).contains("MITIGATION=0");
    }

    @Test
    void aBadFileEndsTheStartWithStatus2() throws Exception {
        for (Map.Entry<String, String> bad : bad().entrySet()) {
            Files.writeString(config, bad.getValue());
            Process run = agent.ic2("run", "-c", config.toString());
            assertThat(run.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as(bad.getKey() + ": " + agent.log()).isEqualTo(2);
        }
        assertThat(count("Exception|Error|\tat ")).as(agent.log()).isZero();
    }

    /** As the tests' own process does. */
    @Test
    void itEndsWithoutMemoryAndIsStartedAgainUnlessItsFileIsBad() {
        assertThat(Path.of("../bin/ic2")).content().contains(" -XX:+ExitOnOutOfMemoryError ");
        assertThat(Path.of("../packaging/systemd/ic2.service")).content().contains("\nRestart=on-failure\n",
                "\nRestartPreventExitStatus=2\n");
    }
}
