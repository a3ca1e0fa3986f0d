// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.serve.SocketPermissions;
import org.ic2.runtime.serve.Verbs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a killed agent left is restored as it was moved, whatever has become of its configuration file since. */
class RestoreWithoutFileTest {

    private static final String RUN = "ic2.host.run";

    private final String before = System.getProperty(RUN, "");

    @TempDir
    private Path directory;
    private Path config;
    private Path snapshot;
    private Path mark;
    private String out;
    private String err;

    /** A guest has a cap of ours, and what says so is as a killed agent leaves it. */
    @BeforeEach
    void kill() throws Exception {
        System.setProperty(RUN, directory.resolve("run").toString());
        host("host.txt", "web");
        host("other.txt", "else");
        config = directory.resolve("host.yaml");
        write("host.txt", "journal.jsonl");
        snapshot = directory.resolve("snapshot.json");
        mark = directory.resolve("run").resolve(URLEncoder.encode(config.toString(), StandardCharsets.UTF_8));
        Files.createDirectories(mark.getParent());
        Files.writeString(mark, "{\"v\":1,\"journal\":\"" + directory.resolve("journal.jsonl") + "\"}\n");
        note("{\"kind\":\"cap\",\"id\":\"id-web\",\"uuid\":\"web-id-web\",\"name\":\"web\",\"original\":0,\"exact\":\"0\",\"ours\":[0,500]}");
    }

    @AfterEach
    void clear() {
        System.setProperty(RUN, before);
    }

    /** See {@link org.ic2.host.apply.FakeProvider}. */
    private void host(String name, String... lines) throws IOException {
        Files.write(directory.resolve(name), List.of(lines));
    }

    /** A file that is right but for a library that does not exist, so that no agent stays. */
    private void write(String host, String journal) throws IOException {
        Files.writeString(config, "backend: {type: fake, file: " + host + "}\njournal: " + journal
                + "\ncontrollers: {schedule: {library: none.json}}\n");
    }

    private void note(String knob) throws IOException {
        Files.writeString(snapshot, "{\"v\":1,\"boot\":\"" + Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip()
                + "\",\"backend\":{\"type\":\"fake\",\"file\":\"" + directory.resolve("host.txt") + "\"},\"knobs\":[" + knob + "]}");
    }

    /** Its pool's time slice is noted, and the pool can tell none. */
    private void whatCannotBeRestored() throws IOException {
        host("host.txt", "credit2", "web");
        note("{\"kind\":\"tslice\",\"pool\":\"pool\",\"original\":30,\"exact\":\"30\",\"ours\":[30,5]}");
    }

    private int run(String verb) {
        StringWriter said = new StringWriter();
        StringWriter complained = new StringWriter();
        CommandLine line = Ic2Host.commandLine().setOut(new PrintWriter(said)).setErr(new PrintWriter(complained));
        int status = line.execute(verb, "-c", config.toString());
        out = said.toString();
        err = complained.toString();
        return status;
    }

    private void assertBaseline() throws IOException {
        assertThat(knobs()).as("nothing is noted any more").isZero();
        assertThat(mark).doesNotExist();
    }

    private int knobs() throws IOException {
        return Json.read(Files.readString(snapshot)).path("knobs").size();
    }

    @Test
    void aMistakeInTheFileIsSaidAfterwards() throws Exception {
        Files.writeString(config, "moed: act\n");
        assertThat(run("restore")).isEqualTo(2);
        assertThat(out).isEqualTo("restored web's cap to 0\n");
        assertThat(err).contains("host.yaml");
        assertBaseline();
        assertThat(run("restore")).isEqualTo(2);
        assertThat(out).isEmpty();
    }

    @Test
    void aStartRestoresBeforeItReadsTheFile() throws Exception {
        Files.delete(config);
        assertThat(run("run")).isEqualTo(2);
        assertThat(err).contains("cannot read the configuration");
        assertBaseline();
    }

    @Test
    void anotherJournalHidesNothing() throws Exception {
        write("host.txt", "elsewhere/journal.jsonl");
        assertThat(run("restore")).as(err).isZero();
        assertThat(out).isEqualTo("restored web's cap to 0\n");
        assertBaseline();
    }

    @Test
    void aStartWithAnotherJournalRestoresToo() throws Exception {
        write("host.txt", "elsewhere/journal.jsonl");
        assertThat(run("run")).isPositive();
        assertThat(err).contains("none.json");
        assertBaseline();
    }

    @Test
    void anotherBackendForgetsNothing() throws Exception {
        write("other.txt", "journal.jsonl");
        assertThat(run("restore")).as(err).isZero();
        assertThat(out).isEqualTo("restored web's cap to 0\n");
        assertBaseline();
    }

    @Test
    void withoutAMarkTheSnapshotSaysTheBackend() throws Exception {
        Files.delete(mark);
        write("other.txt", "journal.jsonl");
        assertThat(run("restore")).as(err).isZero();
        assertThat(out).isEqualTo("restored web's cap to 0\n");
        assertBaseline();
    }

    @Test
    void aSnapshotOfBeforeIsRestoredThroughTheFilesBackend() throws Exception {
        ObjectNode old = (ObjectNode) Json.read(Files.readString(snapshot));
        old.remove("backend");
        Files.writeString(snapshot, Json.text(old));
        Files.delete(mark);
        assertThat(run("restore")).as(err).isZero();
        assertThat(out).isEqualTo("restored web's cap to 0\n");
        assertBaseline();
    }

    @Test
    void noAgentStartsBesideWhatCannotBeRestored() throws Exception {
        whatCannotBeRestored();
        write("other.txt", "journal.jsonl");
        assertThat(run("restore")).isEqualTo(1);
        assertThat(out).contains("could not be restored: ").contains("tslice: ");
        assertThat(run("run")).isEqualTo(1);
        assertThat(err).startsWith("ic2-host: " + config + ": backend: expected {\"type\":\"fake\",\"file\":\""
                + directory.resolve("host.txt") + "\"}, as what was moved through it is still away, got ").endsWith("remove " + snapshot + "\n")
                .hasLineCount(1);
        write("host.txt", "elsewhere/journal.jsonl");
        assertThat(run("run")).isEqualTo(1);
        assertThat(err).startsWith("ic2-host: " + config + ": journal: expected " + directory.resolve("journal.jsonl")).hasLineCount(1);
        assertThat(knobs()).as("it stays noted").isEqualTo(1);
        assertThat(mark).exists();
    }

    @Test
    void whatSomebodyElseHasSetKeepsNoAgentFromAnotherBackend() throws Exception {
        note("{\"kind\":\"ratelimit\",\"pool\":\"pool\",\"original\":900,\"exact\":\"900\",\"ours\":[900,800]}");
        write("other.txt", "journal.jsonl");
        assertThat(run("run")).isPositive();
        assertThat(err).contains("none.json");
        assertBaseline();
    }

    @Test
    void aJournalThatIsWrittenInAnotherWayIsTheSame() throws Exception {
        whatCannotBeRestored();
        write("host.txt", "./journal.jsonl");
        assertThat(run("restore")).isEqualTo(1);
        assertThat(out).as("once").hasLineCount(1);
        assertThat(run("run")).isPositive();
        assertThat(err).as("it goes on, and comes to its knobs").contains("tslice cannot be moved on this host");
    }

    @Test
    void aHostThatIsNoMoreIsSaidWithWhatToDo() throws Exception {
        Files.delete(directory.resolve("host.txt"));
        assertThat(run("restore")).isEqualTo(1);
        assertThat(err).startsWith("ic2-host: what is noted in " + snapshot + " cannot be put back through {").contains("by hand and remove")
                .hasLineCount(1);
        assertThat(knobs()).isEqualTo(1);
    }

    @Test
    void aRunningAgentIsAskedThoughTheFileIsWrong() throws Exception {
        Files.writeString(config, "moed: act\n");
        Verbs agent = new Verbs() {
            @Override
            public ObjectNode look(JsonNode request) {
                return Json.object().put("ok", true).set("status", Json.object());
            }

            @Override
            public ObjectNode handle(JsonNode request, String by) {
                return request.path("verb").asText().equals("status") ? look(request) : Json.object().put("ok", true).put("text", "the agent did it");
            }
        };
        try (ControlSocket socket = new ControlSocket(ControlSocket.beside(directory.resolve("journal.jsonl"), SocketPermissions.OPERATORS), agent,
                SocketPermissions.OPERATORS)) {
            assertThat(socket.path()).exists();
            assertThat(run("restore")).isEqualTo(2);
        }
        assertThat(out).isEqualTo("the agent did it\n");
        assertThat(knobs()).as("its own affair").isEqualTo(1);
    }

    @Test
    void garbageInTheMarkLeavesTheRestoreToTheFile() throws Exception {
        for (String garbage : new String[] {"", "{", "{\"journal\":5}", "{\"journal\":\"here\"}", "{\"journal\":\"/\\u0000\"}"}) {
            kill();
            Files.writeString(mark, garbage);
            assertThat(run("restore")).as(garbage + err).isZero();
            assertThat(out).isEqualTo("restored web's cap to 0\n");
        }
    }

    /** The unit's {@code restore} runs after the agent's end, and the next start later. */
    @Test
    void theUnitKeepsTheMarksBeyondTheAgentsEnd() {
        assertThat(Path.of("..", "..", "packaging", "host", "ic2-host.service")).content().contains("\nRuntimeDirectory=ic2-host\n",
                "\nRuntimeDirectoryPreserve=yes\n", "\nExecStopPost=-/usr/bin/ic2-host restore\n");
    }
}
