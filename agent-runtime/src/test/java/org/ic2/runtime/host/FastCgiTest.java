// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server of a few lines that answers what the test says, whole or not. */
class FastCgiTest {

    private static final int STDOUT = 6;
    private static final int STDERR = 7;
    private static final int END_REQUEST = 3;

    private final LocalHost host = new LocalHost();
    private ServerSocketChannel server;
    private Endpoint endpoint;

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        endpoint = new Endpoint.Tcp("127.0.0.1", ((InetSocketAddress) server.getLocalAddress()).getPort());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        host.close();
    }

    /** Answers one request with these bytes; what came until then. */
    private CompletableFuture<byte[]> answering(byte[] answer) {
        return CompletableFuture.supplyAsync(() -> {
            try (SocketChannel channel = server.accept()) {
                ByteBuffer in = ByteBuffer.allocate(4096);
                channel.read(in);
                ByteBuffer out = ByteBuffer.wrap(answer);
                while (out.hasRemaining()) {
                    channel.write(out);
                }
                return java.util.Arrays.copyOf(in.array(), in.position());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static byte[] records(byte[]... records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] record : records) {
            out.writeBytes(record);
        }
        return out.toByteArray();
    }

    private static byte[] record(int type, int padding, String content) {
        byte[] text = content.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(8 + text.length + padding);
        out.put((byte) 1).put((byte) type).putShort((short) 1).putShort((short) text.length).put((byte) padding)
                .put((byte) 0).put(text);
        return out.array();
    }

    private static byte[] end() {
        return record(END_REQUEST, 0, "\0\0\0\0\0\0\0\0");
    }

    private String get(byte[] answer) throws IOException, InterruptedException {
        CompletableFuture<byte[]> served = answering(answer);
        try {
            return FastCgi.get(host, endpoint, "/status");
        } finally {
            served.exceptionally(e -> new byte[0]).join();
        }
    }

    @Test
    void asksForThePathAndReturnsTheBody() throws IOException, InterruptedException {
        CompletableFuture<byte[]> request = answering(records(
                record(STDOUT, 3, "Content-Type: text/plain\r\n"), record(STDERR, 0, "a warning"),
                record(STDOUT, 0, "\r\npool: www\n"), record(STDOUT, 5, "b\u00e4r\n"), record(STDOUT, 0, ""), end()));
        assertThat(FastCgi.get(host, endpoint, "/status")).isEqualTo("pool: www\nb\u00e4r\n");
        byte[] sent = request.join();
        assertThat(sent).startsWith(1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0);
        assertThat(new String(sent, StandardCharsets.ISO_8859_1)).contains("SCRIPT_NAME/status")
                .contains("REQUEST_METHODGET");
    }

    @Test
    void aStatusIsNoPage() {
        assertThatThrownBy(() -> get(records(record(STDOUT, 0, "Status: 404 Not Found\r\n\r\nFile not found.\n"), end())))
                .isInstanceOf(IOException.class).hasMessageContaining("Status: 404 Not Found");
        assertThatThrownBy(() -> get(records(record(STDOUT, 0, "no header"), end())))
                .isInstanceOf(IOException.class).hasMessageContaining("instead of a page");
        assertThatThrownBy(() -> get(end())).isInstanceOf(IOException.class).hasMessageContaining("\"nothing\"");
    }

    @Test
    void anAnswerThatBreaksOffIsSaidSo() {
        byte[] whole = records(record(STDOUT, 0, "A: b\r\n\r\nbody"), end());
        for (int length = 0; length < whole.length; length++) {
            byte[] part = java.util.Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> get(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aServerOfAnotherProtocolIsRefused() {
        byte[] http = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> get(http)).isInstanceOf(IOException.class)
                .hasMessage(endpoint + " does not speak FastCGI");
        Random random = new Random(1);
        for (int round = 0; round < 100; round++) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            assertThatThrownBy(() -> get(noise)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anAnswerWithoutEndIsCutOff() {
        byte[] chunk = record(STDOUT, 0, "x".repeat(60_000));
        byte[] flood = new byte[chunk.length * 40];
        for (int i = 0; i < 40; i++) {
            System.arraycopy(chunk, 0, flood, i * chunk.length, chunk.length);
        }
        assertThatThrownBy(() -> get(flood)).isInstanceOf(IOException.class).hasMessageContaining("more than 256 KB");
    }

    @Test
    void aPathThatTheProtocolsShortFormCannotHoldIsRefused() {
        CompletableFuture<byte[]> served = answering(new byte[0]);
        assertThatThrownBy(() -> FastCgi.get(host, endpoint, "/" + "a".repeat(127)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most 127 bytes");
        served.join();
    }
}
