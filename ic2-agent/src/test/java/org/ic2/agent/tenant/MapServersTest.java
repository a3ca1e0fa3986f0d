// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.agent.servers.MappedHttpd;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.journal.Entry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The agent with a real httpd without a patch, whose level stands in a file. */
@EnabledIf("httpdBuilt")
class MapServersTest {

    private static final String ASKED = "MITIGATION 5\n";

    @TempDir
    private Path directory;

    private MappedHttpd server;

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    @BeforeEach
    void start() throws Exception {
        server = new MappedHttpd(directory);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private String file() throws Exception {
        return Files.readString(server.map()).strip();
    }

    @Test
    void httpdIsKilledWhileMitigatedAndComesBackWithTheLevel() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.ofMap(directory, server.url(), server.map())) {
            agent.loop.start("");
            agent.calm(120);
            agent.loud(90);
            assertThat(agent.running().get(Lever.MITIGATION)).as("the top of six levels").isEqualTo(6);

            server.httpd().kill();
            agent.run(17, (second, sample) -> { });
            assertThat(Written.entries(agent.config.journal())).filteredOn(Entry.Failed.class::isInstance).isNotEmpty();
            assertThat(file()).as("what would be read at the next start").isEqualTo("MITIGATION 0");

            server.httpd().start();
            agent.calm(400);
            assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
            assertThat(agent.state()).isEqualTo("NI2");
            assertThat(agent.violations).isEmpty();
        }
    }

    @Test
    void aLevelWrittenByHandMeansManualMode() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.ofMap(directory, server.url(), server.map())) {
            agent.loop.start("");
            agent.calm(120);
            agent.loud(15);
            assertThat(agent.running().get(Lever.MITIGATION)).isPositive();
            Files.writeString(server.map(), "MITIGATION 6\n");
            agent.loud(60);
            assertThat(agent.state()).isEqualTo("MANUAL");
            assertThat(file()).isEqualTo("MITIGATION 6");
            assertThat(Written.entries(agent.config.journal())).filteredOn(Entry.Manual.class::isInstance)
                    .anySatisfy(entry -> assertThat(entry.reason()).contains("someone else changed mitigation").contains("to 6"));
        }
    }

    private static void killWhileItWaits(AgentProcess agent, Path map) throws Exception {
        Thread asking = new Thread(() -> {
            try {
                agent.ask("{\"verb\":\"apply\",\"mitigation\":5}");
            } catch (IOException e) {
                // the agent was killed while we waited
            }
        });
        asking.start();
        Waiting.until("the level", () -> Files.readString(map).equals(ASKED) || !asking.isAlive());
        agent.kill();
        asking.join();
    }

    /** httpd goes by another file than the agent's, so that what the agent waits for does not come. */
    @Test
    void theAgentIsKilledBeforeItKnowsTheOutcomeAndTheNextOneRestores() throws Exception {
        Path config = directory.resolve("ic2.yaml");
        Path journal = directory.resolve("state/journal.jsonl");
        Path map = Files.writeString(server.map().resolveSibling("other.map"), "MITIGATION 0\n");
        Files.writeString(config, """
                application: shop
                interval: 200ms
                mode: act
                members:
                  web:
                    role: web
                    sensors: {response: {type: mod-status, url: "%s"}}
                    actuators: {ladder: {type: httpd-map, file: %s}}
                baseline: {mitigation: 0}
                bounds: {mitigation: [0, 6]}
                journal: %s
                """.formatted(server.url(), map, journal));
        try (AgentProcess agent = new AgentProcess(config, journal)) {
            int tries = 0;
            do { // the agent waits three seconds, in which a busy machine may not let us see it
                assertThat(tries++).as("times that it had gone back").isLessThan(10);
                agent.start();
                killWhileItWaits(agent, map);
            } while (!Files.readString(map).equals(ASKED));
            agent.start();
            assertThat(Files.readString(map)).isEqualTo("MITIGATION 0\n");
            assertThat(agent.log()).contains("in the middle of by-hand");
            agent.terminate();
        }
    }
}
