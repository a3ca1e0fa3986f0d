// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon in a process of its own, with clients that begin a request and leave it at that. */
class SlowClientsTest {

    private static final String HALF = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n";

    /** For what comes, in the time that a request has and after it. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TRIES = 20;

    @TempDir
    private Path directory;

    private final List<Socket> slow = new ArrayList<>();
    private int port;
    private HttpSite site;

    @BeforeEach
    void start() throws Exception {
        site = new HttpSite(directory, "{listen: \"127.0.0.1:0\"}");
        port = site.agent().port();
    }

    @AfterEach
    void end() throws IOException {
        release();
        site.close();
    }

    private void release() throws IOException {
        for (Socket socket : slow) {
            socket.close();
        }
        slow.clear();
    }

    /** Clients, each with a connection of its own, that send a part of a request. */
    private void hold(int clients, String part) throws IOException {
        for (int i = 0; i < clients; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            slow.add(socket);
            socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
        }
    }

    private int metrics() throws IOException {
        // not HttpClient, which would try again behind the test's back
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/metrics").toURL()
                .openConnection(Proxy.NO_PROXY);
        connection.setReadTimeout((int) PATIENCE.toMillis());
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    private interface Slow {
        void hold() throws IOException;
    }

    /** A request is answered while the first of those who came before it still has its connection: nobody waited for its end. */
    private void answersBeside(Slow clients) throws IOException {
        int tries = 1;
        while (!isAnsweredBefore(clients)) { // on a busy machine all may take longer than a connection lasts
            assertThat(tries++).as("answered only after those who came before had lost their connections").isLessThan(TRIES);
        }
    }

    private boolean isAnsweredBefore(Slow clients) throws IOException {
        release();
        clients.hold();
        try {
            assertThat(metrics()).isEqualTo(200);
        } catch (SocketException e) {
            return false;   // as slow as they are, it is ended as they are
        }
        return HttpSite.isOpen(slow.get(0));
    }

    @Test
    void aHalfOpenRequestDelaysNoOther() throws Exception {
        answersBeside(() -> hold(1, HALF));
    }

    @Test
    void aMissingBodyDelaysNoOther() throws Exception {
        answersBeside(() -> {
            hold(3, "POST /api/apply HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{");
            hold(3, "");
        });
    }

    @Test
    void manySlowClientsDelayNoOtherAndAreClosed() throws Exception {
        answersBeside(() -> hold(24, HALF));
        sentAway();
    }

    private void sentAway() throws IOException {
        for (Socket socket : slow) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(closed(socket)).isTrue();
        }
    }

    /** Waits until the server ends a connection, by a last word or none. */
    private static boolean closed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().readAllBytes().length == 0;
        } catch (SocketException reset) {
            return true;
        }
    }
}
