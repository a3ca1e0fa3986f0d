// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that break the rules: every time a clear error, never a hang, never a wrong page. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NastyServerTest {
    private static final Duration LIMIT = Duration.ofMillis(400);
    /** The limit where it must not matter. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private interface Script {
        void run(Socket client) throws IOException;
    }

    /** A server that reads a request head and then plays a script, once per connection. */
    private static ServerSocket server(Script script) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (true) {
                try (Socket client = listener.accept()) {
                    InputStream in = client.getInputStream();
                    for (int newlines = 0; newlines < 2; ) {
                        int b = in.read();
                        if (b < 0) {
                            break;
                        }
                        newlines = b == '\n' ? newlines + 1 : b == '\r' ? newlines : 0;
                    }
                    script.run(client);
                } catch (IOException e) {
                    if (listener.isClosed()) {
                        return;
                    }
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return listener;
    }

    private static Response ask(ServerSocket server) throws IOException {
        return ask(server, PATIENCE);
    }

    private static Response ask(ServerSocket server, Duration limit) throws IOException {
        try (HttpUser user = new HttpUser(new HttpUser.Settings(new ServerAddress(false, "127.0.0.1", server.getLocalPort()), null,
                false, true, limit), new Traffic(), Clock.systemUTC())) {
            return user.send(Request.page("/"));
        }
    }

    private static Script saying(String text) {
        return client -> client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"SSH-2.0-OpenSSH_9.2\\r\\n\" | expected a status line",
        "\"HTTP/1.1 20\\r\\n\\r\\n\" | expected a status line",
        "\"HTTP/1.1 2000 OK\\r\\n\\r\\n\" | expected a status line",
        "\"HTTP/1.1 200 OK\\r\\nno colon here\\r\\n\\r\\n\" | expected a header",
        "\"HTTP/1.1 200 OK\\r\\nContent-Le\" | in the middle of a head",
        "\"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf\" | expected 100 bytes, the connection ended 96 before",
        "\"HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\n\\r\\n\" | expected 1 bytes, the connection ended 1 before",
        "\"HTTP/1.1 200 OK\\r\\nContent-Length: -5\\r\\n\\r\\n\" | Content-Length: expected a number",
        "\"HTTP/1.1 200 OK\\r\\nContent-Length: 99999999999\\r\\n\\r\\n\" | expected at most",
        "\"HTTP/1.1 200 OK\\r\\nContent-Length: many\\r\\n\\r\\n\" | Content-Length: expected a number, got 'many'",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n\" | chunk size: expected a number, got 'zz'",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n-1\\r\\n\" | chunk size: expected a number",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhel\" | the connection ended",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nhello\\r\\n\" | expected the end of a chunk",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\n\" | in the middle of a head",
        "\"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: gzip\\r\\n\\r\\n\" | Transfer-Encoding: expected chunked",
        "\"\" | closed a new connection without an answer"
    })
    void saysWhatIsWrong(String answer, String message) throws IOException {
        try (ServerSocket server = server(saying(answer.replace("\\r", "\r").replace("\\n", "\n")))) {
            assertThatThrownBy(() -> ask(server)).isInstanceOf(HttpFailure.class).hasMessageContaining(message);
        }
    }

    @Test
    void survivesGarbage() throws IOException {
        Random random = new Random(5);
        try (ServerSocket server = server(client -> {
            byte[] noise = new byte[2000];
            random.nextBytes(noise);
            client.getOutputStream().write(noise);
        })) {
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> ask(server)).isInstanceOf(HttpFailure.class)
                        .message().matches("[ -~]*");
            }
        }
    }

    @Test
    void refusesHugeHeads() throws IOException {
        try (ServerSocket server = server(client -> {
            byte[] header = ("X-Padding: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            client.getOutputStream().write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 1000; i++) {
                client.getOutputStream().write(header);
            }
        })) {
            assertThatThrownBy(() -> ask(server)).hasMessageContaining("head: expected at most 65536 bytes");
        }
    }

    @Test
    void refusesEndlessBodiesAndEndlessInterimAnswers() throws IOException {
        try (ServerSocket endless = server(client -> {
            client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] block = new byte[1 << 16];
            for (int i = 0; i < 1000; i++) {
                client.getOutputStream().write(block);
            }
        }); ServerSocket interim = server(saying("HTTP/1.1 100 Continue\r\n\r\n".repeat(20)))) {
            assertThatThrownBy(() -> ask(endless, LIMIT)).isInstanceOf(HttpFailure.class);
            assertThatThrownBy(() -> ask(interim)).hasMessageContaining("expected a final answer");
        }
    }

    @Test
    void aServerThatDripsDoesNotOutliveTheTimeLimit() throws IOException {
        try (ServerSocket server = server(client -> {
            client.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 1000; i++) {
                client.getOutputStream().write('x');
                LockSupport.parkNanos(20_000_000);
            }
        })) {
            long before = System.nanoTime();
            assertThatThrownBy(() -> ask(server, LIMIT)).hasMessageContaining("no complete answer within the time limit");
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LIMIT.multipliedBy(25));
        }
    }

    @Test
    void aServerThatIsSilentDoesNotOutliveTheTimeLimit() throws IOException {
        try (ServerSocket server = server(client -> {
            while (client.getInputStream().read() >= 0) {
                // until the client gives up
            }
        })) {
            assertThatThrownBy(() -> ask(server, LIMIT)).hasMessageContaining("no complete answer within the time limit");
        }
    }

    @Test
    void acceptsWhatIsUnusualButAllowed() throws IOException {
        try (ServerSocket chunked = server(saying("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "5;name=value\r\nhello\r\n6 \r\n world\r\n0\r\nTrailer: x\r\n\r\n"));
                ServerSocket toTheEnd = server(saying("HTTP/1.0 200 OK\n\nold style"))) {
            assertThat(ask(chunked).text()).isEqualTo("hello world");
            assertThat(ask(toTheEnd).text()).isEqualTo("old style");
        }
    }

    @Test
    void aResetInTheMiddleIsAnError() throws IOException {
        try (ServerSocket server = server(client -> {
            client.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc".getBytes(StandardCharsets.US_ASCII));
            client.setSoLinger(true, 0);
        })) {
            assertThatThrownBy(() -> ask(server)).isInstanceOf(HttpFailure.class);
        }
    }
}
