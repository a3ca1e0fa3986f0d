// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineBuffer;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.json.Json;

/**
 * One conversation with QEMU's machine protocol: greeting, capabilities, commands one after the other. Events in between are
 * passed over. A monitor serves one client at a time, so a conversation is kept short.
 */
final class QmpConnection implements Closeable {
    private final String name;
    private final SocketChannel channel;
    private final Selector selector;
    private final long patience;
    private final LineBuffer lines = new LineBuffer();
    private final Deque<String> waiting = new ArrayDeque<>();
    private final ByteBuffer chunk = ByteBuffer.allocate(16 * 1024);
    private long asked;

    private QmpConnection(String name, SocketChannel channel, Selector selector, Duration patience) {
        this.name = name;
        this.channel = channel;
        this.selector = selector;
        this.patience = patience.toNanos();
    }

    /**
     * Connects and introduces itself.
     *
     * @param patience for each answer
     */
    static QmpConnection open(Host host, String socket, Duration patience) throws IOException, InterruptedException {
        SocketChannel channel = host.connect(new Endpoint.Unix(socket));
        Selector selector = null;
        try {
            channel.configureBlocking(false);
            selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
            QmpConnection connection = new QmpConnection(socket, channel, selector, patience);
            JsonNode greeting = connection.next("its greeting");
            if (!greeting.has("QMP")) {
                throw new IOException(socket + ": expected QMP's greeting, got " + BoundedText.brief(Json.text(greeting)));
            }
            connection.ask("qmp_capabilities", Json.object());
            return connection;
        } catch (IOException | InterruptedException | RuntimeException e) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw e;
        }
    }

    /**
     * The answer to a command.
     *
     * @throws NotDoneException when QEMU says that it does not do it
     */
    JsonNode ask(String command, ObjectNode arguments) throws IOException, InterruptedException {
        ObjectNode question = Json.object().put("execute", command).put("id", ++asked);
        if (!arguments.isEmpty()) {
            question.set("arguments", arguments);
        }
        send(Json.line(question), command);
        while (true) {
            JsonNode answer = next("an answer to " + command);
            if (answer.has("event")) {
                continue;
            }
            if (answer.path("id").asLong(-1) != asked || !answer.has("return") && !answer.has("error")) {
                throw new IOException(name + ": expected an answer to " + command + ", got "
                        + BoundedText.brief(Json.text(answer)));
            }
            if (answer.has("error")) {
                throw new NotDoneException(name + " refused " + command + ": "
                        + BoundedText.brief(answer.path("error").path("desc").asText("no reason")));
            }
            return answer.path("return");
        }
    }

    private void send(byte[] line, String command) throws IOException, InterruptedException {
        ByteBuffer out = ByteBuffer.wrap(line);
        long end = System.nanoTime() + patience;
        SelectionKey key = channel.keyFor(selector);
        key.interestOps(SelectionKey.OP_WRITE);
        for (channel.write(out); out.hasRemaining(); channel.write(out)) {
            await(end, "room for " + command);
        }
        key.interestOps(SelectionKey.OP_READ);
    }

    private JsonNode next(String what) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience;
        while (waiting.isEmpty()) {
            chunk.clear();
            int count = channel.read(chunk);
            if (count < 0) {
                throw new IOException(name + ": QEMU closed the connection before " + what);
            }
            if (count == 0) {
                await(end, what);
            }
            lines.add(chunk.array(), Math.max(0, count));
            waiting.addAll(lines.take());
        }
        String line = waiting.removeFirst();
        try {
            JsonNode node = Json.readStrictly(line);
            if (node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            throw new IOException(name + ": expected a line of JSON, got \"" + BoundedText.brief(line) + "\"", e);
        }
        throw new IOException(name + ": expected an object of JSON, got \"" + BoundedText.brief(line) + "\"");
    }

    private void await(long end, String what) throws IOException, InterruptedException {
        long left = end - System.nanoTime();
        if (left <= 0) {
            throw new IOException(name + ": QEMU did not send " + what
                    + " within " + Duration.ofNanos(patience).toMillis() + " ms");
        }
        selector.select(left / 1_000_000 + 1);
        selector.selectedKeys().clear();
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for " + what);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
