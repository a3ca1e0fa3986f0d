// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.servers.RealHaproxy;
import org.ic2.agent.servers.TestCertificate;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ic2 check --haproxy} finds in a real HAProxy's statistics. */
class HaproxyStatisticsCheckTest {

    @TempDir
    private Path directory;

    private ServerSocket responder;

    /** Answers as ic2-share does. */
    @BeforeEach
    void answer() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        responder = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(() -> {
            while (!responder.isClosed()) {
                try (Socket call = responder.accept()) {
                    call.getOutputStream().write("100%\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // HAProxy has gone, or the test has ended
                }
            }
        }).start();
    }

    @AfterEach
    void end() throws Exception {
        responder.close();
    }

    private String asked(String more) {
        return "server web1 127.0.0.1:" + responder.getLocalPort() + " weight 100 check " + more + " agent-check agent-inter 50ms agent-port "
                + responder.getLocalPort();
    }

    private List<Finding> found(String sensor, String actuator) throws Exception {
        return new HaproxyStatisticsCheck(new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), """
                application: shop
                members:
                  web:
                    role: web
                    sensors: {%s}
                    actuators: {balancer: {type: haproxy-agent, listen: '127.0.0.1:%d', allow: [127.0.0.1]%s}}
                baseline: {share: 100}
                bounds: {share: [20, 100]}
                """.formatted(sensor, responder.getLocalPort(), actuator))).findings();
    }

    private List<Finding> at(RealHaproxy haproxy, String actuator) throws Exception {
        return found("lb: {type: haproxy, socket: " + haproxy.socket() + ", backend: web, server: web1}", actuator);
    }

    /** Until HAProxy has asked web1 once. */
    private static void awaitAgent(RealHaproxy haproxy, String status) throws Exception {
        Waiting.until("HAProxy's " + status, () -> {
            String[] lines = haproxy.command("show stat web 4 -1").split("\n");
            int column = List.of(lines[0].split(",")).indexOf("agent_status");
            return lines.length > 1 && lines[1].split(",")[column].equals(status);
        });
    }

    private static void isSaid(List<Finding> findings, boolean needed, String text) {
        assertThat(findings).anySatisfy(finding -> {
            assertThat(finding.ok()).isFalse();
            assertThat(finding.needed()).isEqualTo(needed);
            assertThat(finding.what()).isEqualTo("web.balancer");
            assertThat(finding.text()).contains(text).doesNotContain("\n");
        });
    }

    @Test
    void aCheckedAgentWithOtherServersIsFine() throws Exception {
        try (RealHaproxy haproxy = new RealHaproxy(asked("maxconn 200"), "server web2 127.0.0.1:9 weight 100")) {
            awaitAgent(haproxy, "CHECKED");
            assertThat(at(haproxy, ", max-connections: 200")).singleElement().satisfies(finding -> {
                assertThat(finding.ok()).isTrue();
                assertThat(finding.text()).contains("web/web1: HAProxy asks it for its share; of weight 100 it has 100 in force");
            });
        }
    }

    @Test
    void missingSettingsAreReported() throws Exception {
        try (RealHaproxy haproxy = new RealHaproxy("balance source", "server web1 127.0.0.1:9 maxconn 100", "server spare 127.0.0.1:9 backup")) {
            List<Finding> findings = at(haproxy, ", max-connections: 200");
            isSaid(findings, true, "no agent-check: HAProxy does not ask; add agent-check agent-addr 127.0.0.1 agent-port " + responder.getLocalPort());
            isSaid(findings, true, "weight 1: of it the least share, 20 %, is none");
            isSaid(findings, false, "expected maxconn 200, the actuator's max-connections, got 100");
            isSaid(findings, false, "no check");
            isSaid(findings, false, "there is no other server in web");
            isSaid(findings, false, "balance source heeds a share only with hash-type consistent");
        }
        try (RealHaproxy haproxy = new RealHaproxy("balance first", asked("maxconn 200"), "server web2 127.0.0.1:9")) {
            isSaid(at(haproxy, ""), true, "balance first does not heed a weight that changes");
            isSaid(at(haproxy, ""), false, "maxconn 200 is not cut with the share");
        }
    }

    @Test
    void anUnreachableAgentPortIsReported() throws Exception {
        try (RealHaproxy haproxy = new RealHaproxy("server web1 127.0.0.1:9 weight 100 check agent-check agent-inter 50ms agent-port 9",
                "server web2 127.0.0.1:9 weight 100")) {
            awaitAgent(haproxy, "L4CON");
            isSaid(at(haproxy, ""), true, "HAProxy asks in vain: L4CON, Connection refused; expected an answer of ic2-share at 127.0.0.1:"
                    + responder.getLocalPort() + ", and allow to name HAProxy's address, which has 127.0.0.1");
        }
    }

    @Test
    void aPageUnderTlsIsAskedWithThePasswordThatTheConfigurationNames() throws Exception {
        TestCertificate.write(directory, "IP:127.0.0.1");
        Path both = Files.writeString(directory.resolve("both.pem"), Files.readString(directory.resolve("cert.pem"))
                + Files.readString(directory.resolve("key.pem")));
        Path password = Files.writeString(directory.resolve("password"), "5esame");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        try (RealHaproxy haproxy = new RealHaproxy(Optional.of(both), "ic2:5esame", asked(""), "server web2 127.0.0.1:9 weight 100")) {
            awaitAgent(haproxy, "CHECKED");
            String page = ", url: '" + haproxy.url() + "', weight: 100, backend: web, server: web1, ca-file: " + directory.resolve("cert.pem");
            List<Finding> fine = found("", page + ", user: ic2, password-file: " + password);
            assertThat(fine).allMatch(Finding::ok).extracting(Finding::text).anyMatch(text -> text.contains(haproxy.url() + ": web/web1: HAProxy asks it"))
                    .anyMatch(text -> text.contains("HAProxy does not tell how it balances"));
            isSaid(found("", page), true, "HAProxy's statistics: " + haproxy.url() + " answered \"HTTP/1.1 401 Unauthorized\" instead of 200");
        }
    }

    @Test
    void aMissingPlaceOfTheStatisticsIsReported() {
        assertThatThrownBy(() -> found("", "")).isInstanceOf(ConfigException.class)
                .hasMessage("--haproxy: expected an haproxy.cfg, or a sensor haproxy in ic2.yaml that says where HAProxy's statistics are, got neither");
    }
}
