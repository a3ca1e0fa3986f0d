// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.agent.sensor.ModStatusSensor;
import org.ic2.agent.servers.MappedHttpd;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.LoopbackSshd;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.host.SshHost;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The actuator {@code httpd-map} with a real httpd that has no patch to help it. */
@EnabledIf("httpdBuilt")
class HttpdMapTest {

    private final LocalHost host = new LocalHost();

    @TempDir
    private Path directory;

    private MappedHttpd server;
    private HttpdMapActuator actuator;

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    @BeforeEach
    void start() throws Exception {
        server = new MappedHttpd(directory);
        actuator = on(host, server.map());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private HttpdMapActuator on(Host where, Path file) {
        return new HttpdMapActuator(where, file.toString(), false, new HttpGet(where, server.url()));
    }

    private HttpdMapActuator withWall(Path file) {
        return new HttpdMapActuator(host, file.toString(), true, new HttpGet(host, server.url()));
    }

    private static Settings both(int level, int flag) {
        return level(level).with(Wall.FLAG, flag);
    }

    /** Each has a line of its own in the one file. */
    @Test
    void theWallIsRaisedAndTheLevelStaysAndTheOtherWayRound() throws Exception {
        HttpdMapActuator walled = withWall(server.map());
        assertThat(walled.levers()).containsExactlyInAnyOrder(Lever.MITIGATION, Wall.FLAG);
        assertThat(walled.running()).isEqualTo(both(0, 0));
        walled.apply(level(2));
        assertThat(walled.running()).isEqualTo(both(2, 0));
        walled.apply(Settings.of(Wall.FLAG, 1));
        assertThat(walled.running()).isEqualTo(both(2, 1));
        walled.apply(level(4));
        assertThat(walled.running()).isEqualTo(both(4, 1));
        assertThat(Files.readString(server.map())).isEqualTo("MITIGATION 4\nMITIGATION_WALL 1\n");
        walled.apply(both(0, 0));
        assertThat(walled.running()).isEqualTo(both(0, 0));
        walled.checkMeans();
        actuator.apply(level(3));
        assertThat(Files.readString(server.map())).as("who knows of no wall leaves its line").isEqualTo("MITIGATION 3\nMITIGATION_WALL 0\n");
        assertThat(actuator.running()).isEqualTo(level(3));
    }

    @Test
    void aForeignWallIsNotOverwritten() throws Exception {
        HttpdMapActuator walled = withWall(server.map());
        assertThat(walled.running()).isEqualTo(both(0, 0));
        Files.writeString(server.map(), "MITIGATION 0\nMITIGATION_WALL 1\n");
        assertThatThrownBy(() -> walled.apply(Settings.of(Wall.FLAG, 0))).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("from \"\" to \"MITIGATION_WALL 1\"");
        assertThat(walled.running()).isEqualTo(both(0, 1));
    }

    @Test
    void aWallOfWhichHttpdSaysNothingOrSomethingElseIsAnError() throws Exception {
        try (RealHttpd bare = RealHttpd.stock(Files.createDirectory(directory.resolve("bare")), List.of("headers"),
                "Header always set IC2-Mitigation 0\n")) {
            HttpdMapActuator blind = new HttpdMapActuator(host, server.map().toString(), true, new HttpGet(host, bare.url()));
            assertThatThrownBy(blind::running).hasMessageContaining("without the header IC2-Wall").hasMessageContaining("StandbyWall flag");
            assertThatThrownBy(blind::checkMeans).hasMessageContaining("without the header IC2-Wall");
        }
        Path other = Files.writeString(server.map().resolveSibling("other.map"), "MITIGATION 0\nMITIGATION_WALL 1\n");
        assertThatThrownBy(() -> withWall(other).running()).hasMessageContaining("the wall's flag for 0 although " + other + " says 1");
    }

    @Test
    void theSensorReadsTheWallToo() throws Exception {
        withWall(server.map()).apply(both(1, 1));
        assertThat(new ModStatusSensor(new HttpGet(host, server.url()), "MITIGATION", System::nanoTime).read().get(Wall.FLAG)).isEqualTo(1);
    }

    private static Settings level(int number) {
        return Settings.of(Lever.MITIGATION, number);
    }

    private int running() throws Exception {
        return actuator.running().get(Lever.MITIGATION);
    }

    @Test
    void eachOfManyWritingsWithinASecondIsSeenWithTheNextRequest() throws Exception {
        Set<FileTime> times = new HashSet<>(Set.of(Files.getLastModifiedTime(server.map())));
        for (int i = 1; i <= 20; i++) {
            actuator.apply(level(i % 7));
            assertThat(running()).isEqualTo(i % 7);
            assertThat(times.add(FileTime.fromMillis(Files.getLastModifiedTime(server.map()).toMillis() / 1000 * 1000)))
                    .as("a second that the file never had").isTrue();
        }
        Files.delete(server.map());
        assertThat(running()).isZero();
        actuator.apply(level(3));
        assertThat(running()).as("a file that was gone has no time that httpd remembers").isEqualTo(3);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.map()))).isEqualTo("rw-r--r--");
        assertThat(Files.list(server.map().getParent())).as("nothing is left beside it").hasSize(1);
        actuator.checkMeans();
    }

    @Test
    void theSensorReadsTheLevelToo() throws Exception {
        actuator.apply(level(5));
        assertThat(new ModStatusSensor(new HttpGet(host, server.url()), "MITIGATION", System::nanoTime).read()
                .get(Metric.MITIGATION)).isEqualTo(5);
    }

    @Test
    void aMapWithoutALevelIsLevelZeroWithAWarning() throws Exception {
        Map<String, String> said = Map.of("", "it is empty", "MITIGATION", "got \"MITIGATION\"", "MITIGATION 07", "07",
                "MITIGATION -1", "-1", "mitigation 3", "mitigation 3", " MITIGATION 3", "MITIGATION 3", "MITIGATION 3x", "3x",
                "\0\u0001\u00ff", "got");
        for (Map.Entry<String, String> each : said.entrySet()) {
            Files.writeString(server.map(), each.getKey() + "\n");
            assertThat(running()).isZero();
            assertThatThrownBy(() -> actuator.checkMeans()).hasMessageContaining(each.getValue()).hasMessageContaining("MITIGATION 0");
            actuator.apply(level(2));
            assertThat(running()).isEqualTo(2);
            actuator.checkMeans();
        }
    }

    @Test
    void commentsAreNone() throws Exception {
        Files.writeString(server.map(), "# MITIGATION 3\nMITIGATION 4 # ours\nMITIGATION 5\n");
        assertThat(running()).isEqualTo(4);
    }

    @Test
    void laterForeignChangesAreNotOverwritten() throws Exception {
        actuator.apply(level(1));
        assertThat(running()).isEqualTo(1);
        Files.writeString(server.map(), "MITIGATION 6\n");
        assertThatThrownBy(() -> actuator.apply(level(2))).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("somebody else has changed").hasMessageContaining("from \"MITIGATION 1\" to \"MITIGATION 6\"");
        assertThat(running()).isEqualTo(6);
        actuator.apply(level(2));
        assertThat(running()).as("now that it was seen").isEqualTo(2);
    }

    @Test
    void unwritableMapsAreRefused() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), server.map());
        refused(link, "symbolic link");
        refused(directory.resolve("nowhere/map"), "no directory " + directory.resolve("nowhere"));
        refused(Files.createDirectory(elsewhere.resolve("folder")), "no regular file");
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxrwxrwx"));
        refused(elsewhere.resolve("map"), "everybody may write in");
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
        Path secret = Files.writeString(elsewhere.resolve("map"), "MITIGATION 0\n");
        assertThatThrownBy(() -> on(host, secret).checkMeans()).hasMessageContaining("chmod o+x " + elsewhere);
        if (System.getProperty("user.name").equals("root")) {
            Files.setOwner(secret, directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("daemon"));
            refused(secret, "belongs to daemon and not to root");
        } else {
            Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("r-xr-xr-x"));
            refused(elsewhere.resolve("map"), "may not write in");
        }
        assertThat(running()).isZero();
    }

    private void refused(Path file, String reason) {
        HttpdMapActuator other = on(host, file);
        assertThatThrownBy(() -> other.apply(level(1))).isInstanceOf(NotDoneException.class).hasMessageContaining(reason);
        assertThatThrownBy(other::checkMeans).hasMessageContaining(reason);
    }

    @Test
    void anHttpdThatIgnoresTheMapIsReported() throws Exception {
        Path other = Files.writeString(server.map().resolveSibling("other.map"), "MITIGATION 0\n");
        HttpdMapActuator wrong = on(host, other);
        wrong.apply(level(3));
        assertThatThrownBy(wrong::running).hasMessageContaining("httpd is at level 0 although " + other + " says 3")
                .hasMessageContaining("MITIGATION_MAP");
        actuator.apply(level(7));
        assertThatThrownBy(() -> actuator.running()).as("a level that it does not have").hasMessageContaining("although");
    }

    @Test
    void withoutTheHeaderItIsSaidWhatToInclude() throws Exception {
        try (RealHttpd bare = RealHttpd.stock(Files.createDirectory(directory.resolve("bare")), List.of(), "")) {
            HttpdMapActuator blind = new HttpdMapActuator(host, server.map().toString(), false, new HttpGet(host, bare.url()));
            assertThatThrownBy(blind::running).hasMessageContaining("without the header IC2-Mitigation")
                    .hasMessageContaining("\"Define MITIGATION_MAP " + server.map() + "\"").hasMessageContaining("status.conf");
        }
    }

    /** Nothing can be written, as on a full disk; but a file can be emptied. */
    @Test
    void aRestoreNeedsNoRoomOnTheDisk() throws Exception {
        actuator.apply(level(4));
        HttpdMapActuator full = on(withoutRoom(), server.map());
        assertThat(full.running()).isEqualTo(level(4));
        assertThatThrownBy(() -> full.apply(level(5))).isInstanceOf(NotDoneException.class).hasMessageContaining("cannot write");
        assertThat(running()).isEqualTo(4);
        full.apply(level(0));
        assertThat(running()).isZero();
        assertThat(Files.size(server.map())).isZero();
        assertThat(Files.list(server.map().getParent())).hasSize(1);
    }

    private Host withoutRoom() {
        return (Host) Proxy.newProxyInstance(Host.class.getClassLoader(), new Class<?>[] {Host.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("run")) {
                List<String> words = new ArrayList<>(List.of("sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"));
                ((List<?>) arguments[0]).forEach(word -> words.add((String) word));
                arguments[0] = words;
            }
            try {
                return method.invoke(host, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    @Test
    void aServerThatIsDeadTakesTheLevelWhenItIsBack() throws Exception {
        actuator.apply(level(4));
        server.httpd().kill();
        assertThatThrownBy(() -> actuator.running()).isInstanceOf(IOException.class);
        actuator.apply(level(0));
        server.httpd().start();
        assertThat(running()).isZero();
    }

    @Test
    @EnabledIf("sshdInstalled")
    void overSshItIsTheSame() throws Exception {
        LoopbackSshd sshd = new LoopbackSshd(Files.createDirectory(directory.resolve("sshd")));
        try (SshHost remote = new SshHost(sshd.address(), sshd.options("known"))) {
            HttpdMapActuator there = on(remote, server.map());
            there.apply(level(6));
            Waiting.until("the level, by an answer in time", () -> there.running().equals(level(6)));
            there.checkMeans();
            Files.writeString(server.map(), "MITIGATION 1\n");
            assertThatThrownBy(() -> there.apply(level(2))).isInstanceOf(NotDoneException.class).hasMessageContaining("somebody else");
            Waiting.until("the other one's level", () -> there.running().equals(level(1)));
        } finally {
            sshd.stop();
        }
    }

    static boolean sshdInstalled() {
        return LoopbackSshd.available();
    }
}
