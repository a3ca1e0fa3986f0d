// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
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

    /** Twice the time that a request has. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

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
        for (Socket socket : slow) {
            socket.close();
        }
        site.close();
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

    private int metrics(Duration timeout) throws Exception {
        // not HttpClient, which would try again behind the test's back
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/metrics").toURL()
                .openConnection(Proxy.NO_PROXY);
        connection.setReadTimeout((int) timeout.toMillis());
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    @Test
    void halfARequestHeldOpenHoldsUpNobody() throws Exception {
        hold(1, HALF);
        assertThat(metrics(Duration.ofSeconds(3))).isEqualTo(200);
    }

    @Test
    void aBodyThatNeverComesHoldsUpNobody() throws Exception {
        hold(3, "POST /api/apply HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{");
        hold(3, "");
        assertThat(metrics(Duration.ofSeconds(3))).isEqualTo(200);
    }

    @Test
    void manySlowClientsHoldUpNobodyAndAreSentAway() throws Exception {
        hold(24, HALF);
        assertThat(metrics(Duration.ofSeconds(3))).isEqualTo(200);
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
        } catch (java.net.SocketException reset) {
            return true;
        }
    }
}
