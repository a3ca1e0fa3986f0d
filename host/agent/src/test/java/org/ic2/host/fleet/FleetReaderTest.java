// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.ic2.host.config.FleetFile;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.model.GuestClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What other hosts tell, and what they do not. */
class FleetReaderTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final FleetHost BETA = new FleetHost("beta", Instant.parse("2026-01-01T00:00:00Z"), 1e9, 7.5, List.of(
            new Resident("7f3a0d52-1f0b-4c0e-9d3c-0b6d0c7a1e55", "3", "web", GuestClass.LS1, 0.2, 1 << 29, 1.25, 0.004),
            new Resident("beta/cgroup-7", "4", "batch", GuestClass.NLS, Double.NaN, Double.NaN, Double.NaN, Double.NaN)));

    @TempDir
    private Path directory;

    /** As its backend names them. */
    private static String told() {
        return FleetStatus.of(BETA).replace("1e55\"", "1e55@812.99\"").replace("beta/cgroup", "cgroup");
    }

    private FleetFile fleet(String hosts) throws Exception {
        return FleetFile.parse(directory.resolve("fleet.yaml"), "hosts: " + hosts + "\n");
    }

    private FleetReader.Told ask(String hosts) throws Exception {
        try (FleetReader reader = new FleetReader(fleet(hosts), PATIENCE)) {
            return reader.ask();
        }
    }

    @Test
    void whatIsToldIsWhatIsRead() throws Exception {
        Files.writeString(directory.resolve("b.json"), told());

        assertThat(ask("{beta: {file: b.json}}")).isEqualTo(new FleetReader.Told(List.of(BETA), List.of()));
        assertThat(BETA.intensity()).as("of a host with a guest of which nothing is known").isNaN();
    }

    @Test
    void whoIsAbsentOrBrokenIsOneLineAndTheOthersAreRead() throws Exception {
        Files.writeString(directory.resolve("b.json"), told());
        Files.writeString(directory.resolve("g.json"), "garbage");
        Files.createDirectory(directory.resolve("dir"));
        Files.writeString(directory.resolve("big.json"), " ".repeat(1 << 21));
        Files.write(directory.resolve("latin"), new byte[] {(byte) 0xe4, (byte) 0xf6});

        FleetReader.Told told = ask("{none: {file: none.json}, beta: {file: b.json}, g: {file: g.json}, dir: {file: dir},"
                + " big: {file: big.json}, latin: {file: latin}}");

        assertThat(told.hosts()).containsExactly(BETA);
        assertThat(told.silent()).hasSize(5).allMatch(why -> why.lines().count() == 1);
        assertThat(told.silent().get(0)).isEqualTo("none: " + directory + "/none.json: no such file");
        assertThat(told.silent().get(1)).startsWith("g: " + directory + "/g.json: expected the status of an ic2-host as JSON, got");
        assertThat(told.silent().get(2)).contains("expected a regular file at", "got a directory");
        assertThat(told.silent().get(3)).contains("is longer than 1024 KB");
        assertThat(told.silent().get(4)).contains("is no text in UTF-8");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "``|got nothing",
        "null|guests: expected those of a host that was measured already",
        "[]|guests: expected",
        "{}|guests: expected",
        "{`fault`:`no answer of xl`,`guests`:[]}|it cannot measure its host: no answer of xl",
        "{`guests`:[]}|time: expected a text, got nothing",
        "{`time`:`noon`,`guests`:[]}|could not be parsed",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[{}]}|class: expected a text, got nothing",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[3]}|class: expected a text",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[{`class`:`LS9`}]}|LS9",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[{`class`:`NLS`,`uuid`:7}]}|uuid: expected a text, got something else",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[],`memory_free`:-1}|memory_free: expected a number, 0 or more",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[],`memory_free`:1e999}|memory_free: expected a number, 0 or more",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[],`memory_free`:`9`}|memory_free: expected a number, 0 or more",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[],`cpus`:-1}|cpus: expected a number, 0 or more",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[],`guests`:[]}|Duplicate",
        "{`time`:`2026-01-01T00:00:00Z`,`guests`:[|got something else",
    })
    void garbageSaysWhatWasExpected(String text, String message) {
        assertThatThrownBy(() -> FleetJson.read("beta", text.replace('`', '"'))).isInstanceOf(IOException.class)
                .hasMessageContaining(message).message().doesNotContain("\n");
    }

    @Test
    void whoHasNoUuidOfItsOwnIsNowhereElse() {
        String uuid = "7F3A0D52-1F0B-4C0E-9D3C-0B6D0C7A1E55";
        List<String> told = List.of("cgroup-42", uuid, uuid + "@1.2", "00000000-0000-0000-0000-000000000000@3.4", uuid.substring(1), "web");
        FleetHost host = new FleetHost("", BETA.time(), 1, 1, told.stream().map(one -> new Resident(one, "1", "web", GuestClass.NLS, 0, 0, 0, 0)).toList());

        assertThat(Identities.named("beta", host).guests()).extracting(Resident::uuid).containsExactly("beta/cgroup-42",
                uuid.toLowerCase(Locale.ROOT), "beta/" + uuid + "@1.2", "beta/00000000-0000-0000-0000-000000000000@3.4", "beta/" + uuid.substring(1), "beta/web");
    }

    @Test
    void oneUuidTwiceIsNoStatus() {
        Resident web = BETA.guests().get(0);
        assertThatThrownBy(() -> FleetJson.read("beta", FleetStatus.of(new FleetHost("beta", BETA.time(), 1, 1, List.of(web, web)))))
                .isInstanceOf(IOException.class).hasMessageContaining("got two of one uuid");
    }

    private interface Server {
        void serve(Socket client) throws IOException;
    }

    private static Thread serving(ServerSocket at, Server server) {
        Thread thread = new Thread(() -> {
            try (Socket client = at.accept()) {
                server.serve(client);
            } catch (IOException e) {
                // the test has ended
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Test
    void aPageOnLoopbackIsReadToo() throws Exception {
        try (ServerSocket at = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = serving(at, client -> {
                byte[] head = new byte[4096];
                int length = client.getInputStream().read(head);
                assertThat(new String(head, 0, length, StandardCharsets.US_ASCII)).startsWith("GET /status HTTP/1.0\r\n");
                client.getOutputStream().write(("HTTP/1.0 200 OK\r\n\r\n" + told()).getBytes(StandardCharsets.UTF_8));
            });
            assertThat(ask("{beta: {url: 'http://127.0.0.1:" + at.getLocalPort() + "/status'}}").hosts()).containsExactly(BETA);
            thread.join(PATIENCE.toMillis());
        }
    }

    @Test
    void whoDoesNotAnswerHoldsUpNobodyAndHasADeadline() throws Exception {
        Files.writeString(directory.resolve("g.json"), told());
        try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                FleetReader reader = new FleetReader(fleet("{gamma: {file: g.json}, mute: {url: 'http://127.0.0.1:" + mute.getLocalPort()
                        + "/'}}"), Duration.ofMillis(100), Duration.ofMillis(500))) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            FleetReader.Told told = reader.ask();
            // on a machine that stands still gamma has not answered either, or mute's deadline has passed
            assertThat(told.silent()).anySatisfy(line -> assertThat(line).startsWith("mute: ").contains(": no answer "));
            while (told.hosts().isEmpty() || !told.silent().get(0).endsWith("no answer within 500ms")) {
                assertThat(System.nanoTime()).as("%s", told).isLessThan(end);
                told = reader.ask();
            }
            assertThat(told.hosts()).extracting(FleetHost::name).containsExactly("gamma");
        }
    }

    @Test
    void figuresOfBeforeCountUntilThereIsAnAnswer() throws Exception {
        try (ServerSocket slow = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                FleetReader reader = new FleetReader(fleet("{beta: {url: 'http://127.0.0.1:" + slow.getLocalPort() + "/'}}"),
                        Duration.ofMillis(200), PATIENCE)) {
            serving(slow, client -> client.getOutputStream().write(("HTTP/1.0 200 OK\r\n\r\n" + told())
                    .getBytes(StandardCharsets.UTF_8)));
            FleetReader.Told told = reader.ask();
            for (long end = System.nanoTime() + PATIENCE.toNanos(); told.hosts().isEmpty() && System.nanoTime() < end;) {
                told = reader.ask();
            }
            assertThat(told.hosts()).containsExactly(BETA);
            assertThat(reader.ask().hosts()).as("while nobody answers").containsExactly(BETA);
        }
    }
}
