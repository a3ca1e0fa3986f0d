// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.ic2.load.spi.LoadObserver;
import org.junit.jupiter.api.Test;

class UserAddressTest {

    @Test
    void eachUserHasAnAddressOfItsOwn() throws Exception {
        assertThat(addressOf(0)).isEqualTo("127.1.1.1");
        assertThat(addressOf(1)).isEqualTo("127.1.1.2");
        assertThat(addressOf(250)).isEqualTo("127.1.2.1");
        assertThat(addressOf(62_500)).isEqualTo("127.2.1.1");
    }

    @Test
    void numbersBeyondTheLastAddressBeginAgain() throws Exception {
        assertThat(Connection.ownAddress(250 * 250 * 250)).isEqualTo(Connection.ownAddress(0));
        assertThat(Connection.ownAddress(-1).getHostAddress()).isEqualTo("127.250.250.250");
    }

    /** From where the connection of this user comes. */
    private static String addressOf(int number) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> answerOne(listener));
            HttpUser.Settings settings = new HttpUser.Settings(new ServerAddress(false, "127.0.0.1", listener.getLocalPort()), null,
                    false, false, Duration.ofSeconds(60));
            try (HttpUser user = new HttpUser(settings, LoadObserver.NONE, Clock.systemUTC())) {
                user.comeFrom(number);
                assertThat(user.send(Request.page("/")).status()).isEqualTo(204);
            }
            return seen.get();
        }
    }

    private static String answerOne(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            while (socket.getInputStream().read() != '\n' || socket.getInputStream().read() != '\r') {
                // the end of the head is an empty line
            }
            socket.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInetAddress().getHostAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
