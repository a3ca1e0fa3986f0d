// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.ic2.load.http.TestServer.Reply;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {
    private final Traffic traffic = new Traffic();
    private TestKeys keys;
    private Path pem;

    @BeforeAll
    void makeKeys(@TempDir Path folder) throws Exception {
        keys = TestKeys.in(folder);
        pem = Files.createTempFile("certificate", ".pem");
        Files.writeString(pem, keys.certificate());
        pem.toFile().deleteOnExit();
    }

    private TestServer server(Duration keepAlive) throws IOException {
        return new TestServer(0, call -> Reply.of(200, "secret"), keepAlive, keys.server());
    }

    private HttpUser user(TestServer server, Tls tls, boolean eager) {
        traffic.connects.set(0);
        traffic.reconnects.set(0);
        traffic.resumed.set(0);
        return new HttpUser(new HttpUser.Settings(new ServerAddress(true, "localhost", server.port()), tls, eager, true,
                Duration.ofSeconds(60)), traffic, Clock.systemUTC());
    }

    @Test
    void resumesItsSessionOnANewConnection() throws IOException {
        try (TestServer server = server(Duration.ofMillis(50)); HttpUser user = user(server, Tls.of("any", true), true)) {
            for (int i = 0; i < 4; i++) {
                assertThat(user.send(Request.page("/")).text()).isEqualTo("secret");
                user.think(System.nanoTime() + Duration.ofSeconds(5).toNanos());
            }
            assertThat(traffic.connects).hasValue(4);
            assertThat(traffic.resumed).hasValue(3);
            assertThat(traffic.reconnects).hasValue(3);
        }
    }

    @Test
    void makesAFullHandshakeEachTimeWhenResumptionIsOff() throws IOException {
        try (TestServer server = server(Duration.ofMillis(50)); HttpUser user = user(server, Tls.of("any", false), true)) {
            for (int i = 0; i < 3; i++) {
                user.send(Request.page("/"));
                user.think(System.nanoTime() + Duration.ofSeconds(5).toNanos());
            }
            assertThat(traffic.connects).hasValue(3);
            assertThat(traffic.resumed).hasValue(0);
        }
    }

    @Test
    void sessionTicketsThatArriveWhileTheUserThinksDoNotLookLikeAClose() throws IOException {
        try (TestServer server = server(Duration.ZERO); HttpUser user = user(server, Tls.of("any", true), true)) {
            for (int i = 0; i < 5; i++) {
                user.send(Request.page("/"));
                user.think(System.nanoTime() + Duration.ofMillis(60).toNanos());
            }
            assertThat(traffic.connects).hasValue(1);
        }
    }

    @Test
    void aLazyUserReconnectsOverTlsToo() throws IOException {
        try (TestServer server = server(Duration.ofMillis(50)); HttpUser user = user(server, Tls.of("any", true), false)) {
            user.send(Request.page("/"));
            Await.until("the server has closed", () -> server.lingering() == 1);
            assertThat(user.send(Request.page("/")).status()).isEqualTo(200);
            assertThat(traffic.reconnects).hasValue(1);
            assertThat(traffic.resumed).hasValue(1);
        }
    }

    @Test
    void trustsOnlyWhatItIsTold() throws IOException {
        try (TestServer server = server(Duration.ZERO)) {
            assertThat(user(server, Tls.of(pem.toString(), true), true).send(Request.page("/")).status()).isEqualTo(200);
            assertThatThrownBy(() -> user(server, Tls.of("system", true), true).send(Request.page("/")))
                    .isInstanceOf(HttpFailure.class).hasMessageContaining("connect to localhost");
        }
        assertThatThrownBy(() -> Tls.of("/nowhere.pem", true)).hasMessageContaining("/nowhere.pem");
    }
}
