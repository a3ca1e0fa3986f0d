// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client may send, and what becomes of one that sends too much, too little or nothing. */
@Timeout(300)
class HttpListenerTest {

    private static final Duration TIME = Duration.ofSeconds(10);

    private final List<Socket> sockets = new ArrayList<>();
    private HttpListener listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new HttpListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), TIME, request -> {
            if (request.path().equals("/broken")) {
                throw new IllegalStateException("it broke");
            }
            return request.path().equals("/long") ? new Answer(200, "text/plain", -1, out -> {
                for (int i = 0; i < 100_000; i++) {
                    out.write("0123456789".getBytes(StandardCharsets.US_ASCII));
                }
            }) : Answer.text(200, request.method() + " " + request.path() + "?" + request.query() + " "
                    + request.header("host").orElse("nobody") + " " + new String(request.body(), StandardCharsets.UTF_8));
        });
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        listener.close();
    }

    private Socket send(String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.address().getPort());
        sockets.add(socket);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** What comes before the connection ends, also where it is reset. */
    private static String end(Socket socket) throws IOException {
        try {
            return answer(socket);
        } catch (SocketException e) {
            return "";
        }
    }

    /** At once, or when the threads of those that were sent away have noticed. */
    private void stillAnswers() throws IOException {
        String answer;
        do {
            answer = answer(send("GET / HTTP/1.1\r\n\r\n"));
        } while (answer.startsWith("HTTP/1.1 503"));
        assertThat(answer).startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void answersARequestHoweverItsBytesCome() throws Exception {
        String request = "POST /a%20b?since=1%3A2 HTTP/1.1\r\nHost: localhost\r\nhost: other\r\ncontent-length: 4\r\n\r\nb\u00e4r";
        assertThat(answer(send(request))).startsWith("HTTP/1.1 200 OK\r\n").contains("\r\nConnection: close\r\n")
                .endsWith("\r\n\r\nPOST /a b?since=1:2 localhost b\u00e4r\n");
        Socket slow = send("");
        slow.setTcpNoDelay(true);
        for (byte next : request.getBytes(StandardCharsets.UTF_8)) {
            slow.getOutputStream().write(next);
        }
        assertThat(answer(slow)).endsWith("b\u00e4r\n");
    }

    @Test
    void waitsForABodyThatIsAnnounced() throws Exception {
        Socket socket = send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        byte[] word = socket.getInputStream().readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length());
        assertThat(new String(word, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 100");
        socket.getOutputStream().write("ok".getBytes(StandardCharsets.US_ASCII));
        assertThat(answer(socket)).startsWith("HTTP/1.1 200").endsWith("ok\n");
    }

    @Test
    void aLongAnswerComesWholeAndABrokenOneSaysSo() throws Exception {
        String text = answer(send("GET /long HTTP/1.1\r\n\r\n"));
        assertThat(text.length() - text.indexOf("\r\n\r\n") - 4).isEqualTo(1_000_000);
        assertThat(answer(send("GET /broken HTTP/1.1\r\n\r\n"))).startsWith("HTTP/1.1 500").contains("it broke");
    }

    @Test
    void headIsAnsweredWithoutTheBody() throws Exception {
        String text = answer(send("HEAD /a HTTP/1.1\r\nHost: me\r\n\r\n"));
        assertThat(text).startsWith("HTTP/1.1 200 OK\r\n").contains("\r\nContent-Length: 13\r\n").endsWith("\r\n\r\n");
        assertThat(answer(send("HEAD /long HTTP/1.1\r\n\r\n"))).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
        assertThat(answer(send("HEAD /broken HTTP/1.1\r\n\r\n"))).startsWith("HTTP/1.1 500").endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET /                                             | 400",
        "GET http://localhost/ HTTP/1.1                    | 400",
        "GET /%zz HTTP/1.1                                 | 400",
        "GET / HTTP/1.1~Broken                             | 400",
        "GET / HTTP/1.1~Bad name: x                        | 400",
        "POST / HTTP/1.1~Content-Length: -1                | 400",
        "POST / HTTP/1.1~Content-Length: 99999999999       | 400",
        "POST / HTTP/1.1~Content-Length: 5000              | 413",
        "POST / HTTP/1.1~Transfer-Encoding: chunked        | 411",
    })
    void garbageRequestsAreRefused(String request, int code) throws Exception {
        Socket socket = send(request.replace("~", "\r\n") + "\r\n\r\n");
        socket.shutdownOutput();
        assertThat(answer(socket)).startsWith("HTTP/1.1 " + code + " ").contains("\r\n\r\nexpected ");
    }

    @Test
    void aHeadWithoutEndIsCutOffAtOnce() throws Exception {
        Socket socket = send("GET / HTTP/1.1\r\nX: " + "x".repeat(8 * 1024));
        assertThat(answer(socket)).startsWith("HTTP/1.1 431 ");
        stillAnswers();
    }

    @Test
    void theLongestHeadWithTheLongestBodyIsTakenAndOneByteMoreIsNot() throws Exception {
        String head = "POST / HTTP/1.1\r\nContent-Length: 4096\r\nX: ";
        String longest = head + "x".repeat(8 * 1024 - head.length());
        assertThat(answer(send(longest + "\r\n\r\n" + "b".repeat(4096)))).startsWith("HTTP/1.1 200").contains("b".repeat(4096));
        assertThat(end(send(longest + "x\r\n\r\n"))).startsWith("HTTP/1.1 431");
    }

    @Test
    void silentClientsDelayNoOtherAndAreClosed() throws Exception {
        for (int i = 0; i < 200; i++) {
            send(i % 2 == 0 ? "G" : "");
        }
        for (int i = 0; i < 10; i++) {
            assertThat(answer(send("GET / HTTP/1.1\r\n\r\n"))).as("one of more than there are threads").startsWith("HTTP/1.1 200");
        }
        for (Socket socket : sockets.subList(0, 200)) {
            assertThat(end(socket)).isEmpty();
        }
    }
}
