// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The agent with a real httpd-online that is killed, or that outlives the agent's own end. */
@EnabledIf("httpdBuilt")
class RealServersTest {

    @TempDir
    private Path directory;

    private RealHttpd httpd;

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    @BeforeEach
    void start() throws Exception {
        Path place = Files.createDirectory(directory.resolve("httpd"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        httpd = new RealHttpd(place);
    }

    @AfterEach
    void stop() throws Exception {
        if (httpd != null) {
            httpd.close();
        }
    }

    private Settings running() throws IOException, InterruptedException {
        ServerStatus status = ServerStatus.parse(httpd.page());
        return Lever.settings(status.integer("MaxRequestWorkers").orElseThrow(),
                status.integer("KeepAliveTimeoutMs").orElseThrow(), 1, status.variables().get("MITIGATION"));
    }

    private static <E extends Entry> List<E> entries(Path journal, Class<E> kind) throws IOException {
        return Written.entries(journal).stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Test
    void httpdIsKilledWhileMitigatedAndComesBackWithTheMitigation() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.of(directory, httpd.url(), httpd.apachectl())) {
            agent.loop.start("");
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            agent.run(60, (second, sample) -> ScriptedLoop.loud(sample));
            Settings mitigated = running();
            assertThat(mitigated.get(Lever.MITIGATION)).isPositive();
            List<Entry.Applied> applied = entries(agent.config.journal(), Entry.Applied.class);
            assertThat(applied.get(applied.size() - 1).running())
                    .as("the journal says what the status page says").contains(mitigated);

            httpd.kill();
            agent.run(40, (second, sample) -> { });
            List<Entry.Failed> failed = entries(agent.config.journal(), Entry.Failed.class);
            assertThat(failed).isNotEmpty().allSatisfy(entry -> {
                assertThat(entry.action()).isEqualTo("RESTORE");
                assertThat(entry.problem()).contains("httpd-online");
            });
            assertThat(entries(agent.config.journal(), Entry.Intent.class)).as("and says why")
                    .extracting(Written::scenario).contains("IC2-40");

            httpd.start();
            assertThat(running()).as("its file of tunables has outlived it").isEqualTo(mitigated);
            agent.run(400, (second, sample) -> ScriptedLoop.calm(sample));
            assertThat(running()).isEqualTo(ScriptedLoop.BASE);
            assertThat(agent.state()).isEqualTo("NI2");
            assertThat(agent.violations).isEmpty();
        }
    }

    @Test
    void theAgentIsKilledInTheMiddleOfAnApplyAndTheNextOneRestores() throws Exception {
        Path config = directory.resolve("ic2.yaml");
        Path journal = directory.resolve("state/journal.jsonl");
        Files.writeString(config, AgentProcess.acting(httpd.url(), "apachectl: " + httpd.apachectl(), journal));
        try (AgentProcess agent = new AgentProcess(config, journal)) {
            agent.start();
            httpd.holdCommand(true);
            Thread asking = new Thread(() -> {
                try {
                    agent.ask("{\"verb\":\"apply\",\"mxc\":350,\"mitigation\":3}");
                } catch (IOException e) {
                    // the agent was killed while we waited
                }
            });
            asking.start();
            Waiting.until("the command's work", () -> Files.exists(httpd.done()));
            agent.kill();
            asking.join();
            httpd.holdCommand(false);
            assertThat(running()).isEqualTo(ScriptedLoop.BASE.with(org.ic2.knowledge.Lever.MAX_REQUEST_WORKERS, 350)
                    .with(org.ic2.knowledge.Lever.MITIGATION, 3));
            agent.start();
            assertThat(running()).isEqualTo(ScriptedLoop.BASE);
            assertThat(agent.log()).contains("in the middle of by-hand");
            agent.terminate();
        }
    }
}
