// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The agent's ear for {@code ic2 status}, {@code apply}, {@code restore} and {@code resume}: two Unix sockets beside the
 * journal, one for those who operate the agent and one for those who only look. One line of JSON in, one line out.
 */
public final class ControlSocket implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ControlSocket.class.getName());
    private static final int LONGEST_LINE = 64 * 1024;
    private static final int LONGEST_PATH = 100;

    private final Path path;
    private final Commands commands;
    private final Access access;
    private final ServerSocketChannel server;
    private final JsonMapper mapper = new JsonMapper();

    /** Where the socket of an agent with this journal is, for those with this access. */
    public static Path beside(Path journal, Access access) {
        return journal.toAbsolutePath().resolveSibling(access == Access.READERS ? "status.sock" : "control.sock");
    }

    /** Binds the socket; the journal's lock has made sure that no other agent uses it. */
    public ControlSocket(Path path, Commands commands, Access access) throws IOException {
        if (path.toString().length() > LONGEST_PATH) {
            throw new IOException("the path of the control socket is too long (" + path + "); use a shorter directory"
                    + " for the journal");
        }
        this.path = path;
        this.commands = commands;
        this.access = access;
        Files.deleteIfExists(path);
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        access.grant(path);
        daemon("control socket", this::serve);
    }

    public Path path() {
        return path;
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 256 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    private void serve() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                daemon("control client", () -> answer(client));
            } catch (IOException e) {
                LOG.log(Level.FINE, "control socket", e);
            }
        }
    }

    private void answer(SocketChannel client) {
        try (client) {
            String line = readLine(client);
            String answer;
            try {
                JsonNode request = mapper.readTree(line);
                answer = (access == Access.READERS ? commands.look(request) : commands.handle(request)).toString();
            } catch (JsonProcessingException e) {
                answer = mapper.createObjectNode().put("ok", false).put("text", "expected a line of JSON").toString();
            }
            ByteBuffer bytes = ByteBuffer.wrap((answer + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
        } catch (IOException e) {
            LOG.log(Level.FINE, "control client", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String readLine(SocketChannel channel) throws IOException {
        StringBuilder text = new StringBuilder();
        ByteBuffer chunk = ByteBuffer.allocate(4096);
        while (text.indexOf("\n") < 0 && text.length() < LONGEST_LINE && channel.read(chunk) >= 0) {
            text.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
            chunk.clear();
        }
        return text.toString().strip();
    }

    /**
     * Asks a running agent.
     *
     * @throws IOException when none listens there
     */
    public static JsonNode ask(Path path, JsonNode request) throws IOException {
        JsonMapper mapper = new JsonMapper();
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
            channel.write(ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8)));
            StringBuilder text = new StringBuilder();
            ByteBuffer chunk = ByteBuffer.allocate(16 * 1024);
            while (channel.read(chunk) >= 0) {
                text.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
                chunk.clear();
            }
            return mapper.readTree(text.toString());
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
