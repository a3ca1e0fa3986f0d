// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.testing.FreePort;
import org.ic2.agent.servers.RealHaproxy;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The actuator {@code haproxy-agent} with the real responder; a balancer is a call as HAProxy makes it. */
class HaproxyAgentTest {

    private static final Path RESPONDER = Path.of("target/ic2-share").toAbsolutePath();

    private final LocalHost host = new LocalHost();
    private Path directory;
    private Path control;
    private Process responder;
    private int port;
    private Actuator actuator;

    @BeforeEach
    void start() throws Exception {
        directory = Files.createTempDirectory(Path.of("/tmp"), "ic2-");     // a socket's path has few characters
        control = directory.resolve("control.sock");
        startResponder();
        port = FreePort.any();
        actuator = actuator();
    }

    private void startResponder() throws Exception {
        responder = new ProcessBuilder(RESPONDER.toString(), control.toString(), directory.resolve("state").toString())
                .redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start();
        Waiting.until("the responder is there", () -> {
            try (SocketChannel call = SocketChannel.open(UnixDomainSocketAddress.of(control))) {
                return call.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    @AfterEach
    void end() throws Exception {
        actuator.close();
        responder.destroyForcibly().waitFor();
        for (String name : List.of("control.sock", "state", "log", "other.sock", "")) {
            Files.deleteIfExists(directory.resolve(name));
        }
    }

    private Actuator actuator() throws ConfigException {
        return plan("max-connections: 40, ").open(host);
    }

    private HaproxyAgentPlan plan(String more) throws ConfigException {
        YamlMap settings = YamlMap.parse("ic2.yaml", "{listen: \"127.0.0.1:" + port + "\", allow: [127.0.0.0/8], " + more
                + "control: " + control + "}");
        HaproxyAgentPlan plan = HaproxyAgentPlan.parse(settings);
        settings.done();
        return plan;
    }

    /** What HAProxy hears when it asks; empty if nobody answers. */
    private String ask() throws IOException {
        try (Socket call = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return new String(call.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static Settings share(int percent) {
        return Settings.of(Share.KNOB, percent);
    }

    @Test
    void runningIsTheShareThatTheBalancerWasTold() throws Exception {
        assertThatThrownBy(actuator::running).isInstanceOf(IOException.class)
                .hasMessageContaining("no load balancer has asked 127.0.0.1:" + port + " for the share");
        assertThat(ask()).isEqualTo("100% maxconn:40\n");
        assertThat(actuator.running()).isEqualTo(share(100));
        actuator.apply(share(62));
        assertThat(actuator.running()).as("it has not asked again").isEqualTo(share(100));
        assertThat(ask()).isEqualTo("62% maxconn:25\n");
        assertThat(actuator.running()).isEqualTo(share(62));
        actuator.apply(share(100));
        assertThat(ask()).isEqualTo("100% maxconn:40\n");
        assertThat(actuator.running()).isEqualTo(share(100));
    }

    @Test
    void runningIsTheWeightThatHaproxyReports() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        try (RealHaproxy haproxy = new RealHaproxy("server web1 127.0.0.1:9 weight 50 agent-check agent-addr 127.0.0.1 agent-port " + port
                + " agent-inter 100ms", "server web2 127.0.0.1:9 weight 50")) {
            Actuator seeing = plan("socket: " + haproxy.socket() + ", backend: web, server: web1, ").open(host);
            seeing.apply(share(35));
            Waiting.until("HAProxy has it: 17 of 50", () -> haproxy.command("get weight web/web1").startsWith("17 "));
            Waiting.until("the weight is the share but for its rounding", () -> seeing.running().equals(share(35)));
            seeing.apply(share(100));
            Waiting.until("all is whole", () -> seeing.running().equals(share(100)));
            seeing.close();
        }
        try (RealHaproxy deaf = new RealHaproxy("server web1 127.0.0.1:9 weight 50", "server web2 127.0.0.1:9 weight 50")) {
            Actuator seeing = plan("socket: " + deaf.socket() + ", backend: web, server: web1, ").open(host);
            seeing.apply(share(40));
            assertThat(ask()).startsWith("40%");
            assertThat(seeing.running()).as("told, and not heeded").isEqualTo(share(100));
            seeing.close();
        }
    }

    @Test
    void aResponderThatIsStartedAgainHearsTheShareFromTheAgentThatLives() throws Exception {
        actuator.apply(share(30));
        Waiting.until("the share is told", () -> ask().startsWith("30%"));
        responder.destroyForcibly().waitFor();
        startResponder();
        Waiting.until("the share is told again, as the agent repeats it", () -> ask().startsWith("30%"));
        assertThat(actuator.running()).isEqualTo(share(30));
    }

    @Test
    void withoutAnAgentTheShareIsWhole() throws Exception {
        actuator.apply(share(30));
        assertThat(ask()).startsWith("30%");
        actuator.close();
        Waiting.until("the whole share", () -> ask().equals("100% maxconn:40\n"));
    }

    @Test
    void readingBesideARunningAgentTakesNothingFromIt() throws Exception {
        actuator.apply(share(30));
        assertThat(ask()).startsWith("30%");
        Actuator other = actuator();
        other.checkMeans();
        assertThat(other.running()).isEqualTo(share(30));
        other.close();
        assertThat(ask()).startsWith("30%");
    }

    @Test
    void withoutAResponderItSaysWhatToDo() throws Exception {
        responder.destroyForcibly().waitFor();
        assertThatThrownBy(() -> actuator.apply(share(50))).isInstanceOf(IOException.class)
                .hasMessageContaining("no word with ic2-share at " + control).hasMessageContaining("systemctl start ic2-share.socket");
        assertThatThrownBy(actuator::running).isInstanceOf(IOException.class);
        assertThatThrownBy(actuator::checkMeans).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "hello\n", "ok\nok\n", "ok\nok 1 2\n", "ok\nok 1 2 3 4444\n", "error no\n", "", "ok",
        "ok\nok 1 2 3 99999999999999999999999\n"})
    void anAnswerThatMakesNoSenseIsAnErrorThatQuotesIt(String answer) throws Exception {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(directory.resolve("other.sock")));
            Thread nonsense = new Thread(() -> {
                try (SocketChannel call = other.accept()) {
                    call.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
                    call.shutdownOutput();
                    while (call.read(ByteBuffer.allocate(1000)) >= 0) {
                        // until the agent gives up
                    }
                } catch (IOException e) {
                    // likewise
                }
            });
            nonsense.start();
            control = directory.resolve("other.sock");
            Actuator confused = actuator();
            assertThatThrownBy(confused::running).isInstanceOf(IOException.class).hasMessageContaining("other.sock");
            confused.close();
            nonsense.join();
        }
    }

    @Test
    void aHangingResponderDoesNotHoldAnInterruptedCaller() throws Exception {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(directory.resolve("other.sock")));
            control = directory.resolve("other.sock");
            Actuator held = actuator();
            Thread caller = new Thread(() -> assertThatThrownBy(() -> held.apply(share(50))).isInstanceOf(IOException.class));
            caller.start();
            try (SocketChannel call = other.accept()) {
                assertThat(call.isConnected()).isTrue();
                caller.interrupt();
                caller.join();
            }
            held.close();
        }
    }

    /** The heartbeat waits for it then, and must hold up neither an order that is given up nor the end. */
    @Test
    void aResponderThatStandsStillHoldsNeitherAnOrderNorTheEnd() throws Exception {
        actuator.apply(share(30));
        new ProcessBuilder("kill", "-STOP", Long.toString(responder.pid())).start().waitFor();
        Waiting.until("the heartbeat waits for an answer", () -> Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(one -> one.getKey().getName().equals("share-heartbeat")
                        && List.of(one.getValue()).toString().contains("ShareResponder.exchange")));
        Thread caller = new Thread(() -> assertThatThrownBy(() -> actuator.apply(share(50))).isInstanceOf(InterruptedException.class));
        caller.start();
        Waiting.until("the order waits, too", () -> caller.getState() == Thread.State.WAITING);
        caller.interrupt();
        caller.join(60_000);
        assertThat(caller.isAlive()).isFalse();
        actuator.close();
        Waiting.until("the heartbeat has ended", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(one -> one.getName().equals("share-heartbeat")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{listen: \"9777\", allow: [10.0.0.7]}", "{listen: \"web:9777\", allow: [10.0.0.7]}", "{listen: /run/x, allow: [10.0.0.7]}",
        "{listen: \"10.0.0.11:0\", allow: [10.0.0.7]}", "{listen: \"10.0.0.11:70000\", allow: [10.0.0.7]}", "{listen: \"10.0.0.11:9777\"}",
        "{listen: \"10.0.0.11:9777\", allow: []}", "{listen: \"10.0.0.11:9777\", allow: [lb1]}",
        "{listen: \"10.0.0.11:9777\", allow: [\"10.0.0.7 any\"]}", "{listen: \"10.0.0.11:9777\", allow: [10.0.0.7], max-connections: 0}",
        "{listen: \"10.0.0.11:9777\", allow: [10.0.0.7], max-connections: many}", "{allow: [10.0.0.7]}"})
    void badSettingsAreOneLine(String text) throws Exception {
        assertThatThrownBy(() -> HaproxyAgentPlan.parse(YamlMap.parse("ic2.yaml", text))).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:1: ").hasMessageNotContaining("\n");
    }

    @Test
    void theBaselineIsTheWholeShare() throws Exception {
        HaproxyAgentPlan plan = plan("");
        plan.fit(share(100), new Bounds(share(20), share(100)), plan.levers());
        assertThatThrownBy(() -> plan.fit(share(80), new Bounds(share(20), share(100)), plan.levers())).isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected a baseline of share: 100");
        assertThat(plan.open(host)).isNotNull();
        assertThat(Optional.of(Share.KNOB.parse("35%"))).contains(35);
        assertThatThrownBy(() -> Share.KNOB.parse("4")).hasMessageContaining("at least 5");
        assertThatThrownBy(() -> Share.KNOB.parse("101")).hasMessageContaining("at most 100");
    }
}
