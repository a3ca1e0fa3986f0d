// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.runtime.host.LoopbackSshd;
import org.ic2.runtime.host.SshOptions;
import org.ic2.agent.servers.AgentProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The daemon with its managed tier behind a real sshd: SIGHUP leaves it with eyes and hands. */
@EnabledIf("sshdInstalled")
class ReloadOverSshTest {

    @TempDir
    private Path directory;

    private LoopbackSshd sshd;
    private FakeHttpd httpd;
    private Path config;
    private AgentProcess agent;

    static boolean sshdInstalled() {
        return LoopbackSshd.available();
    }

    @BeforeEach
    void place() throws Exception {
        sshd = new LoopbackSshd(Files.createDirectory(directory.resolve("sshd")));
        httpd = new FakeHttpd(Files.createDirectory(directory.resolve("httpd")));
        config = directory.resolve("ic2.yaml");
        SshOptions ssh = sshd.options("known");
        Path journal = directory.resolve("state/journal.jsonl");
        Files.writeString(config, """
                application: shop
                interval: 500ms
                mode: act
                members:
                  web:
                    role: web
                    host: "%s"
                    sensors:
                      response: {type: mod-status, url: "%s"}
                      load: {type: load-average}
                    actuators: {httpd: {type: httpd-online, apachectl: %s}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: %s
                ssh: {identity: %s, known-hosts: %s}
                """.formatted(sshd.address(), httpd.url(), httpd.apachectl(), journal, ssh.identity().orElseThrow(),
                ssh.knownHosts().orElseThrow()));
        agent = new AgentProcess(config, journal);
    }

    @AfterEach
    void clear() throws Exception {
        agent.close();
        httpd.close();
        sshd.stop();
    }

    @Test
    void theNewConfigurationMeasuresAndRestoresThroughItsOwnConnection() throws Exception {
        agent.start();
        agent.await(this::sees);
        assertThat(agent.ask("{\"verb\":\"apply\",\"mitigation\":2}").get("ok").asBoolean()).as(agent.log()).isTrue();
        Files.writeString(config, Files.readString(config).replace("interval: 500ms", "interval: 600ms"));
        agent.hangup();
        agent.await(() -> agent.status().get("interval").asDouble() == 0.6);
        double then = agent.status().get("sample").get("time").asDouble();
        agent.await(() -> agent.status().get("sample").get("time").asDouble() > then && sees());
        JsonNode answer = agent.ask("{\"verb\":\"restore\"}");
        assertThat(answer.get("ok").asBoolean()).as(answer.toString()).isTrue();
        assertThat(httpd.running()).contains("MITIGATION=0");
        agent.terminate();
        try (Stream<Path> left = Files.list(directory.resolve("state/ssh"))) {
            assertThat(left).as("sockets of agents that are gone").isEmpty();
        }
    }

    /** True when the last sample has what comes through the remote shell and through a forwarded socket. */
    private boolean sees() throws IOException {
        JsonNode status = agent.status();
        return status.get("sample").has("throughput") && status.path("problems").properties().isEmpty();
    }
}
