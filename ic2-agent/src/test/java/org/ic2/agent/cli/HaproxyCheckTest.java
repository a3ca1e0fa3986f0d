// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code ic2 check --haproxy} finds in a load balancer's file. */
class HaproxyCheckTest {

    private static final String GOOD = "server web1 10.0.0.11:80 weight 100 maxconn 200 check agent-check agent-addr 10.0.0.11 agent-port 9777"
            + " agent-inter 500ms";
    private static final String OTHER = "\n  server web2 10.0.0.12:80 weight 100 check\n";

    @TempDir
    private Path directory;

    private List<Finding> found(String text, String more) throws Exception {
        Path file = directory.resolve("haproxy.cfg");
        Files.writeString(file, text);
        return new HaproxyCheck(config("balancer: {type: haproxy-agent, listen: '10.0.0.11:9777', allow: [10.0.0.5]" + more + "}",
                "share: 100", "share: [20, 100]"), file).findings();
    }

    private static AgentConfig config(String actuator, String baseline, String bounds) throws ConfigException {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), "application: shop\nmembers:\n  web:\n"
                + "    role: web\n    actuators: {" + actuator + "}\nbaseline: {" + baseline + "}\nbounds: {" + bounds + "}\n");
    }

    private List<Finding> ofServer(String balance, String server) throws Exception {
        return found("defaults\n  mode http\nbackend web\n  " + balance + "\n  " + server + OTHER, ", max-connections: 200");
    }

    @Test
    void aFileThatHasItAllIsFine() throws Exception {
        assertThat(ofServer("balance leastconn", GOOD)).singleElement().satisfies(finding -> {
            assertThat(finding.ok()).isTrue();
            assertThat(finding.text()).contains("haproxy.cfg:5: web/web1: HAProxy asks it for its share");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "agent-check |  | true | no agent-check: HAProxy does not ask; add agent-check agent-addr 10.0.0.11 agent-port 9777",
        "agent-port 9777 | agent-port 9778 | true | expected agent-port 9777",
        "agent-addr 10.0.0.11 | agent-addr 10.0.0.99 | true | expected agent-addr 10.0.0.11",
        "agent-inter 500ms |  | false | no agent-inter, so HAProxy asks every 2.0s",
        "agent-inter 500ms | agent-inter 5s | false | asks every 5.0s",
        "agent-inter 500ms | inter 10000 | false | inter, HAProxy asks every 10.0s",
        "weight 100 |  | true | no weight, so weight 1: of it the least share, 20 %, is none, so HAProxy would send it nothing",
        "weight 100 | weight 4 | true | weight 4: of it the least share, 20 %, is none",
        "weight 100 | weight 5 | false | weight 5: of it no share",
        "weight 100 | weight 10 | false | weight 10: of it no share",
        "maxconn 200 | maxconn 100 | false | expected maxconn 200, the actuator's max-connections, got 100",
        "maxconn 200 |  | false | got none",
        " check  |  | false | no check: HAProxy goes on sending",
    })
    void missingWordsAreNamedWithTheLine(String part, String instead, boolean needed, String said) throws Exception {
        String server = (" " + GOOD + " ").replace(part.strip().equals("check") ? " check " : part.strip(), " " + (instead == null ? "" : instead.strip()) + " ");
        assertThat(ofServer("balance roundrobin", server.strip())).anySatisfy(finding -> {
            assertThat(finding.ok()).isFalse();
            assertThat(finding.needed()).isEqualTo(needed);
            assertThat(finding.text()).contains("haproxy.cfg:5: web/web1: ").contains(said);
        });
    }

    @ParameterizedTest
    @CsvSource({"balance static-rr, does not heed a weight that changes", "balance first, does not heed", "balance source, add hash-type consistent",
        "balance uri depth 2, add hash-type consistent"})
    void aWayToBalanceThatDoesNotHeedWeightsIsNoUse(String balance, String said) throws Exception {
        assertThat(ofServer(balance, GOOD)).anySatisfy(finding -> {
            assertThat(finding.needed()).isTrue();
            assertThat(finding.ok()).isFalse();
            assertThat(finding.text()).contains(said);
        });
        assertThat(ofServer("balance source\n  hash-type consistent", GOOD)).allMatch(Finding::ok);
    }

    @Test
    void defaultServerLinesCount() throws Exception {
        assertThat(found("defaults\n  balance first\n  default-server agent-check agent-port 9777 inter 500ms\ndefaults usual\n  balance roundrobin\n"
                + "  default-server weight 100 check agent-check agent-port 9777 agent-inter 200ms # as usual\nlisten web from usual\n  bind :80\n"
                + "  cookie SRV insert\n  server web1 10.0.0.11:80 cookie a slowstart 30s\n  server web2 10.0.0.12:80 cookie b\n", "")).hasSize(3)
                .allMatch(Finding::ok).extracting(Finding::text).anyMatch(text -> text.contains("sessions stick"))
                .anyMatch(text -> text.contains("slowstart 30s"));
    }

    @Test
    void aFileOfOthersSaysWhomItHas() throws Exception {
        assertThat(found("backend shop\n  server a 10.1.0.1:80\n", "")).singleElement().extracting(Finding::text).asString()
                .contains("no server's line is of 10.0.0.11").contains("shop/a 10.1.0.1:80");
        assertThat(found("backend web\n  " + GOOD + "\n", "")).extracting(Finding::text).anyMatch(text -> text.contains("there is no other server"))
                .anyMatch(text -> text.contains("maxconn 200 is not cut with the share"));
    }

    @Test
    void garbageIsNoFileOfHaproxys() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = new byte[300];
            random.nextBytes(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1) + "\nbackend\nserver\nserver x\nbackend web from\nserver web1 10.0.0.11:80 agent-port\nno\n"
                    + "default-server weight\n" + new String(bytes, StandardCharsets.ISO_8859_1);
            assertThat(found(text, "")).isNotEmpty();
        }
        assertThatThrownBy(() -> new HaproxyCheck(config("balancer: {type: haproxy-agent, listen: '10.0.0.11:9777', allow: [10.0.0.5]}", "share: 100",
                "share: [20, 100]"), directory.resolve("none")).findings()).isInstanceOf(ConfigException.class).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> new HaproxyCheck(config("", "max-request-workers: 10", "max-request-workers: [1, 10]"), directory))
                .isInstanceOf(ConfigException.class).hasMessageContaining("expected an actuator haproxy-agent");
    }
}
