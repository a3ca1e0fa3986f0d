// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking at the agent and operating it are two rights, of two sockets. */
class SocketPermissionsTest {

    @TempDir
    private Path directory;

    private Path file() throws IOException {
        return Files.createFile(directory.resolve("socket"));
    }

    private static PosixFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, PosixFileAttributes.class);
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(attributes(file).permissions());
    }

    private JsonNode ask(SocketPermissions access, String request) throws IOException {
        JsonMapper mapper = new JsonMapper();
        Commands commands = new Commands(() -> null, () -> mapper.createObjectNode().put("state", "NI2"), () -> null);
        Path path = ControlSocket.beside(directory.resolve("journal.jsonl"), access);
        try (ControlSocket socket = new ControlSocket(path, commands, access)) {
            return ControlSocket.ask(socket.path(), mapper.readTree(request));
        }
    }

    @Test
    void readersSeeTheStatus() throws Exception {
        assertThat(ask(SocketPermissions.READERS, "{\"verb\": \"status\"}").at("/status/state").asText()).isEqualTo("NI2");
        assertThat(ask(SocketPermissions.READERS, "{\"verb\": \"trends\"}").at("/status/state").asText()).isEqualTo("NI2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"apply", "restore", "resume", "", "status "})
    void readersChangeNothing(String verb) throws Exception {
        JsonNode answer = ask(SocketPermissions.READERS, "{\"verb\": \"" + verb + "\", \"mxc\": 400}");
        assertThat(answer.get("ok").asBoolean()).isFalse();
        assertThat(answer.get("text").asText()).contains("only answers \"status\"");
    }

    @Test
    void theTwoSocketsLieBesideTheJournal() {
        Path journal = directory.resolve("journal.jsonl");
        assertThat(ControlSocket.beside(journal, SocketPermissions.OPERATORS)).isEqualTo(directory.resolve("control.sock"));
        assertThat(ControlSocket.beside(journal, SocketPermissions.READERS)).isEqualTo(directory.resolve("status.sock"));
    }

    @Test
    void theAgentsGroupMayLook() throws Exception {
        Path socket = file();
        GroupPrincipal own = attributes(socket).group();
        SocketPermissions.READERS.grant(socket, "no-such-group");
        assertThat(mode(socket)).isEqualTo("rw-rw----");
        assertThat(attributes(socket).group()).isEqualTo(own);
    }

    @Test
    void theOperatorsGroupMayOperate() throws Exception {
        Path socket = file();
        GroupPrincipal group = attributes(socket).group();
        SocketPermissions.OPERATORS.grant(socket, group.getName());
        assertThat(mode(socket)).isEqualTo("rw-rw----");
        assertThat(attributes(socket).group()).isEqualTo(group);
    }

    @Test
    void withoutThatGroupOnlyTheAgentsUserMayOperate() throws Exception {
        Path socket = file();
        SocketPermissions.OPERATORS.grant(socket, "no-such-group");
        assertThat(mode(socket)).isEqualTo("rw-------");
    }
}
