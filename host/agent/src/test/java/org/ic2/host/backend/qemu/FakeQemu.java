// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ic2.runtime.json.Json;

/** A QMP socket that answers as a real QEMU 7.2 does; what it says to a command can be said otherwise. */
final class FakeQemu implements AutoCloseable {
    static final String GREETING = "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 9, \"minor\": 2, \"major\": 7},"
            + " \"package\": \"\"},"
            + " \"capabilities\": [\"oob\"]}}\r\n";
    static final String EVENT = "{\"timestamp\": {\"seconds\": 1, \"microseconds\": 2}, \"event\": \"BALLOON_CHANGE\","
            + " \"data\": {\"actual\": 1}}\r\n";

    /** What it does with a command, once. */
    interface Answer {
        /** @param say the bytes go out as they are */
        void to(JsonNode command, Say say) throws IOException;
    }

    interface Say {
        void bytes(String text) throws IOException;
    }

    private final ServerSocketChannel server;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private volatile String greeting = GREETING;
    private volatile long actual = 256L << 20;
    private volatile int polling;

    FakeQemu(Path socket) throws IOException {
        Files.createDirectories(socket.getParent());
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        returns("qmp_capabilities", "{}");
        returns("query-name", "{\"name\": \"t 1\"}");
        returns("query-status", "{\"status\": \"running\", \"singlestep\": false, \"running\": true}");
        returns("query-uuid", "{\"UUID\": \"00000000-0000-0000-0000-000000000000\"}");
        returns("query-cpus-fast", "[{\"thread-id\": 71, \"props\": {}, \"cpu-index\": 0, \"target\": \"x86_64\"}]");
        returns("query-memory-size-summary", "{\"base-memory\": 268435456}");
        answers.put("query-balloon", (command, say) -> say.bytes(returned(command, "{\"actual\": " + actual + "}")));
        answers.put("balloon", (command, say) -> {
            actual = command.path("arguments").path("value").asLong();
            say.bytes(EVENT + returned(command, "{}"));
        });
        answers.put("qom-list", (command, say) -> say.bytes(returned(command,
                command.path("arguments").path("path").asText().endsWith("anon")
                        ? "[{\"name\": \"device[3]\", \"type\": \"child<virtio-balloon-pci>\"}]"
                        : "[{\"name\": \"type\", \"type\": \"string\"}]")));
        answers.put("qom-set", (command, say) -> {
            polling = command.path("arguments").path("value").asInt();
            say.bytes(returned(command, "{}"));
        });
        stats("{\"stats\": {\"stat-major-faults\": 18446744073709551615}, \"last-update\": 0}");
        Thread thread = new Thread(this::serve, "fake qemu");
        thread.setDaemon(true);
        thread.start();
    }

    void returns(String command, String value) {
        answers.put(command, (asked, say) -> say.bytes(returned(asked, value)));
    }

    void does(String command, Answer answer) {
        answers.put(command, answer);
    }

    void greets(String text) {
        greeting = text;
    }

    void stats(String value) {
        answers.put("qom-get", (command, say) -> say.bytes(returned(command,
                command.path("arguments").path("property").asText().equals("guest-stats") ? value : Integer.toString(polling))));
    }

    long actual() {
        return actual;
    }

    /** As its provider asks the guest to report. */
    void polls(int seconds) {
        polling = seconds;
    }

    int polling() {
        return polling;
    }

    static String returned(JsonNode command, String value) {
        ObjectNode answer = Json.object();
        answer.set("id", command.get("id"));
        String id = Json.text(answer);
        return "{\"return\": " + value + ", " + id.substring(1) + "\r\n";
    }

    private void serve() {
        try {
            while (true) {
                try (SocketChannel client = server.accept()) {
                    converse(client);
                } catch (java.nio.channels.ClosedChannelException e) {
                    return;
                } catch (IOException e) {
                    continue;   // that client has gone
                }
            }
        } finally {
            close();
        }
    }

    private void converse(SocketChannel client) throws IOException {
        OutputStream out = Channels.newOutputStream(client);
        Say say = text -> out.write(text.getBytes(StandardCharsets.UTF_8));
        say.bytes(greeting);
        BufferedReader in = new BufferedReader(new InputStreamReader(Channels.newInputStream(client), StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode command = Json.read(line);
            Answer answer = answers.get(command.path("execute").asText());
            if (answer == null) {
                say.bytes("{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"The command has not been found\"}, \"id\": "
                        + command.get("id") + "}\r\n");
            } else {
                answer.to(command, say);
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
