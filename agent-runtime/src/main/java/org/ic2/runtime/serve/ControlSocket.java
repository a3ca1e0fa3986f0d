// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.ClientThreads.Client;

/**
 * The agent's ear for {@code ic2 status}, {@code apply}, {@code restore}, {@code pause} and {@code resume}: two Unix sockets beside the
 * journal, one for those who operate the agent and one for those who only look. One line of JSON in, one line out.
 */
public final class ControlSocket implements AutoCloseable {

    private static final int LONGEST_LINE = 8 * 1024;
    private static final int MOST_CLIENTS = 16;
    /** For a request to come, and for an answer to be taken. */
    private static final Duration REQUEST = Duration.ofSeconds(5);
    /** Longer than a change by hand takes that is rolled back. */
    private static final Duration WORK = Duration.ofSeconds(90);
    private static final int LONGEST_PATH = 100;

    private final Path path;
    private final Verbs commands;
    private final SocketPermissions access;
    private final ClientThreads clients;

    /** Where the socket of an agent with this journal is, for those with this access. */
    public static Path beside(Path journal, SocketPermissions access) {
        return journal.toAbsolutePath().resolveSibling(access == SocketPermissions.READERS ? "status.sock" : "control.sock");
    }

    /** Binds the socket; the journal's lock has made sure that no other agent uses it. */
    public ControlSocket(Path path, Verbs commands, SocketPermissions access) throws IOException {
        this(path, commands, access, REQUEST);
    }

    /**
     * @param time for a request to come
     */
    ControlSocket(Path path, Verbs commands, SocketPermissions access, Duration time) throws IOException {
        if (path.toString().length() > LONGEST_PATH) {
            throw new IOException("the path of the control socket is too long (" + path + "); use a shorter directory"
                    + " for the journal");
        }
        this.path = path;
        this.commands = commands;
        this.access = access;
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        access.grant(path);
        clients = new ClientThreads("control", server, MOST_CLIENTS, time, this::serve, this::sendAway);
    }

    public Path path() {
        return path;
    }

    private void serve(Client client) throws IOException, InterruptedException {
        ObjectNode answer;
        try {
            JsonNode request = Json.read(readLine(client.channel()));
            client.workWithin(WORK);
            answer = access == SocketPermissions.READERS ? commands.look(request)
                    : commands.handle(request, PeerCredentials.at(client.channel()));
        } catch (JsonProcessingException e) {
            answer = failure("expected a line of JSON, of " + LONGEST_LINE / 1024 + " KB at most");
        } catch (RuntimeException e) {
            answer = failure("the agent could not answer: " + e.getMessage());
        }
        send(client, answer);
    }

    private void sendAway(Client client) throws IOException {
        send(client, failure("the agent serves " + MOST_CLIENTS + " others; try again"));
    }

    private ObjectNode failure(String text) {
        return Json.object().put("ok", false).put("text", text);
    }

    /** In pieces, since long answers are made as they are written. */
    private void send(Client client, ObjectNode answer) throws IOException {
        client.within(REQUEST);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(client.channel()), 8 * 1024);
        try (JsonGenerator json = Json.generator(out)) {
            Json.write(json, answer);
            json.writeRaw('\n');
        }
        out.flush();
    }

    private static String readLine(SocketChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST_LINE);
        boolean ended = false;
        while (!ended && bytes.hasRemaining() && channel.read(bytes) >= 0) {
            ended = bytes.position() > 0 && bytes.get(bytes.position() - 1) == '\n';
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
    }

    /**
     * Asks a running agent.
     *
     * @throws IOException when none listens there
     */
    public static JsonNode ask(Path path, JsonNode request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
            channel.write(ByteBuffer.wrap(Json.line(request)));
            return Json.read(new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() throws IOException {
        clients.close();
        Files.deleteIfExists(path);
    }
}
