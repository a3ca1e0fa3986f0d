// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.cli.Ic2;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.agent.servers.HelperSocket;
import org.ic2.runtime.testing.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The real daemon is ended, killed, doubled or without its disk in the middle of a change: the tier is restored. */
class AlwaysRestoredTest {

    private static final String BASELINE = "MaxRequestWorkers=650 KeepAliveTimeout=5000ms MITIGATION=0";

    @TempDir
    private Path directory;

    private FakeHttpd httpd;
    private HelperSocket helper;
    private Path config;
    private AgentProcess agent;
    private final StringWriter said = new StringWriter();

    @BeforeEach
    void place() throws Exception {
        httpd = new FakeHttpd(Files.createDirectory(directory.resolve("httpd")));
        helper = new HelperSocket(Files.createDirectory(directory.resolve("helper")), httpd.apachectl());
        config = write("ic2.yaml", "apachectl: " + httpd.apachectl(), directory.resolve("state/journal.jsonl"));
        agent = new AgentProcess(config, directory.resolve("state/journal.jsonl"));
    }

    @AfterEach
    void clear() throws Exception {
        httpd.set("slow", null);
        httpd.set("hold", null);
        agent.close();
        helper.close();
        httpd.close();
        Waiting.until("the end of the commands", () -> commands() == 0);
    }

    private Path write(String name, String way, Path journal) throws IOException {
        return Files.writeString(directory.resolve(name), AgentProcess.acting(httpd.url(), way, journal));
    }

    private void use(String way) throws IOException {
        write("ic2.yaml", way.equals("helper") ? "helper: " + helper.path() : "apachectl: " + httpd.apachectl(),
                directory.resolve("state/journal.jsonl"));
    }

    /** Asks for a mitigation, of which the command begins and does nothing yet. */
    private void beginSlowly() throws Exception {
        httpd.set("slow", "MITIGATION=3");
        background("{\"verb\":\"apply\",\"mitigation\":3}");
        agent.await(() -> Files.exists(httpd.file("begun")));
    }

    private void background(String request) {
        Thread asking = new Thread(() -> {
            try {
                agent.ask(request);
            } catch (IOException e) {
                // the agent ended while we waited
            }
        });
        asking.setDaemon(true);
        asking.start();
    }

    private long commands() {
        String command = httpd.apachectl() + " .*reconfigure ";
        return ProcessHandle.allProcesses().filter(process -> process.info().arguments()
                .filter(words -> String.join(" ", words).matches("(?s).*" + command + ".*")).isPresent()).count();
    }

    /** A verb in this process, as a person runs it. */
    private int run(Path file, String... arguments) {
        CommandLine line = Ic2.commandLine();
        line.setOut(new PrintWriter(said));
        line.setErr(new PrintWriter(said));
        return line.execute(with(file, arguments));
    }

    /** The daemon, which is to end by itself. */
    private int runAgent(Path file) throws Exception {
        Process run = agent.ic2(with(file, "run"));
        assertThat(run.waitFor(300, TimeUnit.SECONDS)).isTrue();
        return run.exitValue();
    }

    private static String[] with(Path file, String... arguments) {
        return Stream.concat(Stream.of(arguments), Stream.of("-c", file.toString())).toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"command", "helper"})
    void anEndInTheMiddleOfAChangeLeavesTheBaselineAndNothingUnderWay(String way) throws Exception {
        use(way);
        agent.start();
        beginSlowly();
        agent.terminate();
        assertThat(commands()).as("nothing is left that could come late").isZero();
        httpd.set("slow", null);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(Files.readString(directory.resolve("state/journal.jsonl"))).contains("\"id\":\"exit\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"command", "helper"})
    void afterKillNineASlowChangeDoesNotStayThoughItOutlivesTheRestart(String way) throws Exception {
        use(way);
        agent.start();
        beginSlowly();
        agent.kill();
        assertThat(commands()).isPositive();
        agent.start();
        httpd.set("slow", null);
        Waiting.until("the late command's end", () -> commands() == 0);
        agent.await(() -> httpd.running().equals(BASELINE));
        double seen = agent.status().get("sample").get("time").asDouble();
        agent.await(() -> agent.status().get("sample").get("time").asDouble() > seen + 1);
        assertThat(httpd.running()).as(agent.log()).isEqualTo(BASELINE);
        assertThat(agent.status().get("state").asText()).isNotEqualTo("MANUAL");
    }

    @Test
    void changesOfAKilledAgentAreRestoredAtTheServicesEndAndAPersonsValuesStay() throws Exception {
        agent.start();
        assertThat(run(config, "restore", "--if-left")).as("it runs").isZero();
        httpd.set("hold", "");
        background("{\"verb\":\"apply\",\"mitigation\":3}");
        agent.await(() -> httpd.running().contains("MITIGATION=3"));
        agent.kill();
        httpd.set("hold", null);
        assertThat(run(config, "restore", "--if-left")).isZero();
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(said.toString()).contains("an agent runs", "restored: MXC 650");
        assertThat(run(config, "apply", "--mitigation", "2")).isZero();
        assertThat(run(config, "restore", "--if-left")).isZero();
        assertThat(said.toString()).contains("nothing was left");
        assertThat(httpd.running()).contains("MITIGATION=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/proc/none/journal.jsonl", "full/journal.jsonl"})
    void aRestoreNeedsNoDisk(String journal) throws Exception {
        Files.createSymbolicLink(Files.createDirectory(directory.resolve("full")).resolve("journal.jsonl"),
                Path.of("/dev/full"));
        Path diskless = write("diskless.yaml", "apachectl: " + httpd.apachectl(), directory.resolve(journal));
        httpd.set("running", "MaxRequestWorkers=400 KeepAliveTimeout=5000ms MITIGATION=3\n");
        assertThat(run(diskless, "restore")).as(said.toString()).isZero();
        assertThat(said.toString()).contains("ic2: warning: cannot write the journal");
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(run(diskless, "apply", "--mitigation", "1")).as("away from it nothing leads").isEqualTo(1);
        assertThat(httpd.running()).isEqualTo(BASELINE);
    }

    @Test
    void anAgentWithoutAJournalRestoresBeforeItEnds() throws Exception {
        Path diskless = write("diskless.yaml", "apachectl: " + httpd.apachectl(), Path.of("/proc/none/journal.jsonl"));
        httpd.set("running", "MaxRequestWorkers=400 KeepAliveTimeout=5000ms MITIGATION=3\n");
        assertThat(runAgent(diskless)).isEqualTo(1);
        assertThat(agent.log()).contains("ic2: cannot write the journal /proc/none/journal.jsonl");
        assertThat(httpd.running()).isEqualTo(BASELINE);
    }

    @Test
    void aBaselineThatTheHelperWouldRefuseIsRefusedAtTheStartAndAtAReload() throws Exception {
        use("helper");
        Path bounds = helper.path().resolveSibling("conf");
        String open = Files.readString(bounds);
        agent.start();
        Files.writeString(bounds, open + "MITIGATION=1..4\n");
        agent.hangup();
        agent.await(() -> agent.log().contains("the configuration stays as it was: " + config
                + ": baseline: there would be no way back to it: mitigation 0 is outside what httpd-online"));
        agent.terminate();
        httpd.set("running", "MaxRequestWorkers=400 KeepAliveTimeout=5000ms MITIGATION=3\n");
        assertThat(runAgent(config)).as("as for any bad file").isEqualTo(2);
        assertThat(agent.log()).contains("takes, 1 to 4; change it, or the server's limits (and reconfigure.conf");
        Files.writeString(bounds, open + "MITIGATION=0..4\n");
        agent.start();
        agent.terminate();
        assertThat(httpd.running()).as("what was left behind").isEqualTo(BASELINE);
    }

    @Test
    void aSecondAgentOnTheSameTierIsRefusedByName() throws Exception {
        agent.start();
        Path other = write("other.yaml", "helper: " + helper.path(), directory.resolve("other/journal.jsonl"));
        assertThat(runAgent(other)).isEqualTo(1);
        assertThat(agent.log()).contains("another agent manages the httpd at 127.0.0.1:")
                .containsPattern("process \\d+ with " + config);
        assertThat(run(other, "apply", "--mitigation", "1")).isEqualTo(1);
        assertThat(httpd.running()).isEqualTo(BASELINE);
        assertThat(run(other, "restore")).as("everyone may restore").isZero();
        agent.kill();
        assertThat(run(other, "apply", "--mitigation", "1")).as("a stale lock is none").isZero();
    }
}
