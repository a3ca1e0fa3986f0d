// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.testing.FreePort;
import org.ic2.agent.servers.MappedHttpd;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.executor.BaselineOutcome;
import org.ic2.runtime.executor.BaselinePlan;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Limits;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ic2-baseline with the plan of a real executor: the level of a real httpd without a patch, and the share that a real ic2-share says. */
@EnabledIf("httpdBuilt")
class BaselineProgramTest {

    private static final Path PROGRAM = Path.of("target/ic2-baseline").toAbsolutePath();
    private static final Path RESPONDER = Path.of("target/ic2-share").toAbsolutePath();
    private static final Settings BASE = Settings.of(Lever.MITIGATION, 0).with(Wall.FLAG, 0).with(Share.KNOB, 100);

    private final LocalHost host = new LocalHost();
    private final Map<String, Actuator> actuators = new LinkedHashMap<>();

    @TempDir
    private Path directory;

    private MappedHttpd server;
    private Path state;
    private Journal journal;
    private String said = "";

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    @BeforeEach
    void start() throws Exception {
        server = new MappedHttpd(directory);
        state = Files.createDirectory(directory.resolve("state"));
        actuators.put("web.ladder", new HttpdMapActuator(host, server.map().toString(), false, new HttpGet(host, server.url())));
    }

    @AfterEach
    void stop() throws Exception {
        journal.close();
        server.close();
    }

    private Limits limits() {
        Set<Knob> knobs = Knob.set(Set.of());
        actuators.values().forEach(actuator -> knobs.addAll(actuator.levers()));
        return new Limits(BASE.only(knobs), new Bounds(BASE.with(Share.KNOB, 5).only(knobs), BASE.with(Lever.MITIGATION, 6).with(Wall.FLAG, Wall.UP).only(knobs)), knobs,
                Duration.ZERO, 100);
    }

    private void open() throws IOException {
        journal = new Journal(state.resolve("journal.jsonl"), Clock.systemUTC(), BASE.knobs());
        BaselineOutcome.takeUp(journal, BASE.knobs(), BASE);
    }

    /** Applies it and dies, as far as files can tell. */
    private void leave(Settings desired) throws Exception {
        open();
        journal.accompany(new BaselinePlan(journal.file(), actuators, limits(), true, true, Set.of()));
        Executor executor = new Executor(actuators, limits(), journal, Clock.systemUTC(), System::nanoTime);
        assertThat(executor.execute(new ChangeRequest("d-1", ChangeRequest.Origin.DECISION, "MITIGATE", "because", desired, false, Optional.empty())))
                .isInstanceOf(Result.Applied.class);
        journal.close();
    }

    private int restore() throws Exception {
        Process program = new ProcessBuilder(PROGRAM.toString(), state.toString()).redirectErrorStream(true).start();
        said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return program.waitFor();
    }

    private JournalReplay past() throws IOException {
        open();
        return JournalReplay.of(journal.history(), BASE);
    }

    private int level() throws Exception {
        return actuators.get("web.ladder").running().get(Lever.MITIGATION);
    }

    @Test
    void theLevelOfAnHttpdWithoutAPatchIsRestored() throws Exception {
        leave(Settings.of(Lever.MITIGATION, 5));
        assertThat(level()).isEqualTo(5);
        Path file = server.map();
        Object before = Files.getLastModifiedTime(file);
        assertThat(restore()).as(said).isZero();
        assertThat(said).isEqualTo("mitigation 0: restored\n");
        assertThat(level()).isZero();
        assertThat(Files.readString(file)).isEqualTo("MITIGATION 0\n");
        assertThat(Files.getLastModifiedTime(file)).isNotEqualTo(before);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as("httpd's user reads it").isEqualTo("rw-r--r--");
        assertThat(past().leftBehind()).isEmpty();
    }

    private void withWall() {
        actuators.put("web.ladder", new HttpdMapActuator(host, server.map().toString(), true, new HttpGet(host, server.url())));
    }

    @Test
    void theWallFallsWithTheLevel() throws Exception {
        withWall();
        leave(Settings.of(Lever.MITIGATION, 2).with(Wall.FLAG, 1));
        assertThat(Files.readString(server.map())).isEqualTo("MITIGATION_WALL 1\nMITIGATION 2\n");
        assertThat(restore()).as(said).isZero();
        assertThat(said).isEqualTo("mitigation 0: restored\nwall 0: restored\n");
        assertThat(Files.readString(server.map())).isEqualTo("MITIGATION 0\nMITIGATION_WALL 0\n");
        assertThat(past().leftBehind()).isEmpty();
    }

    @Test
    void theWallAloneFallsAndAForeignLevelStays() throws Exception {
        withWall();
        leave(Settings.of(Lever.MITIGATION, 0).with(Wall.FLAG, 1));
        Files.writeString(server.map(), "MITIGATION 6\nMITIGATION_WALL 1\n");
        assertThat(restore()).as(said).isZero();
        assertThat(said).isEqualTo("mitigation 6: somebody else's, left as it is\nwall 0: restored\n");
        assertThat(Files.readString(server.map())).isEqualTo("MITIGATION 6\nMITIGATION_WALL 0\n");
    }

    /** The agent has no wall: the one that a person raised is the person's, and so is each other line. */
    @ParameterizedTest
    @ValueSource(strings = {"MITIGATION_WALL 1\nMITIGATION 5\n", "MITIGATION 5\nMITIGATION_WALL 1",
        "MITIGATION 5\n\nMITIGATION_WALL\t1 # mine\n# MITIGATION 3\nMITIGATION\t5\nother 7\n"})
    void linesThatAreNotOfThePlanStay(String text) throws Exception {
        leave(Settings.of(Lever.MITIGATION, 5));
        Files.writeString(server.map(), text);
        assertThat(restore()).as(said).isZero();
        assertThat(said).isEqualTo("mitigation 0: restored\n");
        assertThat(level()).isZero();
        assertThat(Files.readString(server.map()))
                .isEqualTo("MITIGATION 0\n" + text.replaceAll("MITIGATION\\s5\n?", "").replaceFirst("([^\n])\\z", "$1\n"));
    }

    /** A file beyond 64 KiB: the baseline comes all the same, and no line is cut in two. */
    @Test
    void aLargeFileIsNoObstacle() throws Exception {
        leave(Settings.of(Lever.MITIGATION, 5));
        Files.writeString(server.map(), "MITIGATION 5\nMITIGATION_WALL 1\n" + "# a long remark\n".repeat(9_000));
        assertThat(restore()).as(said).isZero();
        assertThat(level()).isZero();
        assertThat(Files.readAllLines(server.map())).startsWith("MITIGATION 0", "MITIGATION_WALL 1").contains("# a long remark")
                .allMatch(line -> line.matches("MITIGATION 0|MITIGATION_WALL 1|# a long remark"));
    }

    @Test
    void aForeignLevelStays() throws Exception {
        leave(Settings.of(Lever.MITIGATION, 5));
        Files.writeString(server.map(), "# mine\nMITIGATION 6 today\n");
        assertThat(restore()).as(said).isZero();
        assertThat(said).isEqualTo("mitigation 6: somebody else's, left as it is\n");
        assertThat(Files.readString(server.map())).isEqualTo("# mine\nMITIGATION 6 today\n");
        assertThat(past().manual()).contains("after the agent had ended somebody else set mitigation 6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "directory", "writable", "dead"})
    void unwritableOrUnreadableMapsAreLeftToTheAgent(String how) throws Exception {
        leave(Settings.of(Lever.MITIGATION, 5));
        Path file = server.map();
        if (how.equals("link")) {
            Files.move(file, file.resolveSibling("there"));
            Files.createSymbolicLink(file, file.resolveSibling("there"));
        } else if (how.equals("directory")) {
            Files.delete(file);
            Files.createDirectory(file);
        } else if (how.equals("writable")) {
            Files.setPosixFilePermissions(file.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
        } else {
            server.httpd().kill();
        }
        assertThat(restore()).isEqualTo(1);
        assertThat(said).contains("left: web.ladder: ");
        assertThat(past().leftBehind()).as("the next start restores").isPresent();
    }

    /** The agent's connection ends with it; a share that nobody repeats is the whole one. */
    @Test
    void theShareIsAwaitedWithoutAFurtherRequest() throws Exception {
        Path place = Files.createTempDirectory(Path.of("/tmp"), "ic2-");     // a socket's path has few characters
        Path control = place.resolve("control.sock");
        Process responder = new ProcessBuilder(RESPONDER.toString(), control.toString(), place.resolve("state").toString()).start();
        int port = FreePort.any();
        try {
            Waiting.until("the responder is there", () -> Files.exists(control));
            YamlMap settings = YamlMap.parse("ic2.yaml", "{listen: \"127.0.0.1:" + port + "\", allow: [127.0.0.0/8], control: " + control + "}");
            Actuator share = HaproxyAgentPlan.parse(settings).open(host);
            share.apply(Settings.of(Share.KNOB, 100));
            Waiting.until("a balancer has asked", () -> ask(port).equals("100%\n"));
            actuators.clear();
            actuators.put("web.share", share);
            Thread balancer = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    ask(port);
                }
            });
            balancer.start();
            leave(Settings.of(Share.KNOB, 40));
            assertThat(ask(port)).isEqualTo("40%\n");
            share.close();
            assertThat(restore()).as(said).isZero();
            assertThat(said).isEqualTo("share 100: restored\n");
            assertThat(ask(port)).isEqualTo("100%\n");
            balancer.interrupt();
            balancer.join();
            assertThat(past().leftBehind()).isEmpty();
        } finally {
            responder.destroyForcibly().waitFor();
            for (String name : List.of("control.sock", "state", "")) {
                Files.deleteIfExists(place.resolve(name));
            }
        }
    }

    private static String ask(int port) {
        try (Socket call = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return new String(call.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }
}
