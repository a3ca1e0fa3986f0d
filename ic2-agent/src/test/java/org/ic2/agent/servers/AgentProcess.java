// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.testing.Waiting;

/** The agent's command in processes of their own, which share a log; at most one of them is the daemon. */
public final class AgentProcess implements AutoCloseable {

    private final Path config;
    private final Path journal;
    private final Path log;
    private Process agent;

    /**
     * @param config the configuration file, beside which the log is written
     */
    public AgentProcess(Path config, Path journal) {
        this.config = config;
        this.journal = journal;
        log = config.resolveSibling("log");
    }

    /**
     * The configuration of an agent that acts on one httpd.
     *
     * @param url of its status page
     * @param way how its values are changed, a key of the actuator with its value
     */
    public static String acting(String url, String way, Path journal) {
        return """
                application: shop
                interval: 200ms
                mode: act
                members:
                  web:
                    role: web
                    sensors: {response: {type: mod-status, url: "%s"}}
                    actuators: {httpd: {type: httpd-online, %s}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: %s
                """.formatted(url, way, journal);
    }

    /** Starts the daemon and waits for its first sample. */
    public void start(String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run", "-c", config.toString()));
        arguments.addAll(List.of(options));
        agent = ic2(arguments.toArray(String[]::new));
        await(() -> status().has("sample"));
    }

    /** Runs the command; its output goes to the log. */
    public Process ic2(String... arguments) throws IOException {
        return ic2(log, arguments);
    }

    /** Runs the command; its output goes to a file. */
    public Process ic2(Path output, String... arguments) throws IOException {
        // as bin/ic2 has it, where it matters; who runs the tests may ignore SIGHUP (nohup), and a JVM that inherits that never hears one
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,TERM",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xmx16m",
                "-Xss256k", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-cp", System.getProperty("java.class.path"),
                "org.ic2.agent.cli.Ic2"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile())).start();
    }

    public JsonNode ask(String json) throws IOException {
        return ControlSocket.ask(journal.resolveSibling("control.sock"), new JsonMapper().readTree(json));
    }

    public JsonNode status() throws IOException {
        return ask("{\"verb\":\"status\"}").get("status");
    }

    public String log() throws IOException {
        return Files.exists(log) ? Files.readString(log) : "";
    }

    /** The port of its HTTP interface, also where the system chose it. */
    public int port() throws Exception {
        Pattern said = Pattern.compile("managing .* https?://[0-9a-f.:\\[\\]]+:(\\d+)");
        await(() -> said.matcher(log()).find());
        Matcher matcher = said.matcher(log());
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    /** Waits while the daemon lives. */
    public void await(Waiting.Condition condition) throws Exception {
        Waiting.until("the agent; see " + log, () -> {
            try {
                return condition.holds();
            } catch (IOException e) {
                assertThat(agent.isAlive()).as(log()).isTrue();
                return false;
            }
        });
    }

    public void hangup() throws IOException, InterruptedException {
        signal("HUP");
    }

    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(agent.pid())).start().waitFor();
    }

    /** SIGTERM, and its end. */
    public void terminate() throws InterruptedException {
        agent.destroy();
        assertThat(agent.waitFor(300, TimeUnit.SECONDS)).as("it ends").isTrue();
    }

    /** {@code kill -9}. */
    public void kill() {
        agent.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        if (agent != null) {
            kill();
        }
    }
}
