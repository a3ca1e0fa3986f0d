// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
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
                interval: 2s
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
        awaitBothSensors(0);
        assertThat(agent.ask("{\"verb\":\"apply\",\"mitigation\":2}").get("ok").asBoolean()).as(agent.log()).isTrue();
        Files.writeString(config, Files.readString(config).replace("interval: 2s", "interval: 3s"));
        agent.hangup();
        agent.await(() -> agent.status().get("interval").asDouble() == 3);
        double then = agent.status().get("sample").get("time").asDouble();
        awaitBothSensors(then);
        JsonNode answer = agent.ask("{\"verb\":\"restore\"}");
        assertThat(answer.get("ok").asBoolean()).as(answer.toString()).isTrue();
        assertThat(httpd.running()).contains("MITIGATION=0");
        agent.terminate();
        try (Stream<Path> left = Files.list(directory.resolve("state/ssh"))) {
            assertThat(left).as("sockets of agents that are gone").isEmpty();
        }
    }

    /** Waits for what comes through the remote shell and through a forwarded socket; on a busy machine not in one sample. */
    private void awaitBothSensors(double then) throws Exception {
        agent.await(() -> latestAfter(then).path("sample").has("throughput"));
        agent.await(() -> latestAfter(then).has("sample") && !latestAfter(then).path("problems").has("web.load"));
    }

    /** What the agent says, or nothing while its last sample is older than that. */
    private JsonNode latestAfter(double then) throws IOException {
        JsonNode status = agent.status();
        return status.path("sample").path("time").asDouble() > then ? status : MissingNode.getInstance();
    }
}
