// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.ic2.load.http.TestServer.Call;
import org.ic2.load.http.TestServer.Reply;
import org.junit.jupiter.api.Test;

class HttpUserTest {
    private final Traffic traffic = new Traffic();

    private HttpUser user(TestServer server, boolean eager) {
        return new HttpUser(new HttpUser.Settings(new ServerAddress(false, "127.0.0.1", server.port()), null, eager, true,
                Duration.ofSeconds(60)), traffic, Clock.systemUTC());
    }

    @Test
    void keepsOneConnection() throws IOException {
        try (TestServer server = new TestServer(call -> Reply.of(200, "page " + call.path()));
                HttpUser user = user(server, false)) {
            for (int i = 0; i < 20; i++) {
                assertThat(user.send(Request.page("/" + i)).text()).isEqualTo("page /" + i);
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(traffic.connects).hasValue(1);
            assertThat(traffic.reconnects).hasValue(0);
            assertThat(traffic.bytes.get()).isGreaterThan(20 * 40);
        }
    }

    @Test
    void aLazyUserNoticesTheServersCloseAtNextUseAndThatIsNoError() throws IOException {
        try (TestServer server = new TestServer(0, call -> Reply.of(200, "ok"), Duration.ofMillis(50), null);
                HttpUser user = user(server, false)) {
            user.send(Request.page("/"));
            Await.until("the server lingers", () -> server.lingering() == 1);
            user.think(System.nanoTime() + Duration.ofMillis(200).toNanos());
            assertThat(server.lingering()).as("a lazy client leaves the server waiting").isEqualTo(1);
            assertThat(user.send(Request.page("/")).status()).isEqualTo(200);
            assertThat(traffic.connects).hasValue(2);
            assertThat(traffic.reconnects).hasValue(1);
        }
    }

    @Test
    void anEagerUserClosesAsSoonAsTheServerDoes() throws IOException {
        try (TestServer server = new TestServer(0, call -> Reply.of(200, "ok"), Duration.ofMillis(50), null);
                HttpUser user = user(server, true)) {
            user.send(Request.page("/"));
            long before = System.nanoTime();
            user.think(before + Duration.ofSeconds(30).toNanos());
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
            Await.until("the server is rid of the connection", () -> server.open() == 0);
            assertThat(user.send(Request.page("/")).status()).isEqualTo(200);
            assertThat(traffic.reconnects).hasValue(1);
        }
    }

    @Test
    void anEagerUserThinksToTheEndWhenTheServerKeepsTheConnection() throws IOException {
        try (TestServer server = new TestServer(call -> Reply.of(200, "ok")); HttpUser user = user(server, true)) {
            user.send(Request.page("/"));
            long until = System.nanoTime() + Duration.ofMillis(150).toNanos();
            user.think(until);
            assertThat(until - System.nanoTime()).as("returns at most 2 ms early").isLessThan(3_000_000);
            user.send(Request.page("/"));
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void followsRedirectsWithCookiesAndTurnsAPostIntoAGet() throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestServer server = new TestServer(call -> {
            seen.add(call.method() + " " + call.path() + " " + call.headers().get("cookie"));
            return switch (call.path()) {
                case "/login" -> Reply.of(303, "").with("Location", "/home?x=1").with("Set-Cookie", "sid=7; Path=/; HttpOnly");
                case "/home?x=1" -> Reply.of(302, "").with("Location", "end");
                default -> Reply.of(200, "there");
            };
        }); HttpUser user = user(server, false)) {
            Response response = user.follow(Request.post("/login", Form.urlEncoded(Map.of("a", "b c&d"))));
            assertThat(response.text()).isEqualTo("there");
            assertThat(seen).containsExactly("POST /login null", "GET /home?x=1 sid=7", "GET /end sid=7");
        }
    }

    @Test
    void refusesEndlessRedirectsAndForeignOnes() throws IOException {
        try (TestServer server = new TestServer(call -> Reply.of(302, "").with("Location",
                call.path().equals("/far") ? "http://example.invalid/" : "/again")); HttpUser user = user(server, false)) {
            assertThatThrownBy(() -> user.follow(Request.page("/")))
                    .isInstanceOf(HttpFailure.class).hasMessageContaining("at most 5");
            assertThatThrownBy(() -> user.follow(Request.page("/far")))
                    .isInstanceOf(HttpFailure.class).hasMessageContaining("example.invalid");
        }
    }

    @Test
    void readsCompressedPagesAndSaysWhenTheyAreBroken() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(packed)) {
            zip.write("hello".repeat(10_000).getBytes());
        }
        try (TestServer server = new TestServer(call -> {
            assertThat(call.headers()).containsEntry("accept-encoding", "gzip");
            return new Reply(200, Map.of("Content-Encoding", call.path().substring(1)), packed.toByteArray());
        }); HttpUser user = user(server, false)) {
            assertThat(user.send(Request.page("/gzip")).text()).hasSize(50_000);
            Response unknown = user.send(Request.page("/br"));
            assertThatThrownBy(unknown::text).hasMessageContaining("got br");
            assertThat(user.send(Request.file("/gzip")).body()).isEmpty();
        }
    }

    @Test
    void postsFormsWithFiles() throws IOException {
        Call[] got = new Call[1];
        try (TestServer server = new TestServer(call -> {
            got[0] = call;
            return Reply.of(200, "ok");
        }); HttpUser user = user(server, false)) {
            user.send(Request.post("/add", Form.multipart(Map.of("title", "Fête"), new Form.Upload("image", "a.png", "image/png",
                    new byte[] {1, 2, 3}))));
            assertThat(got[0].headers().get("content-type")).startsWith("multipart/form-data; boundary=");
            assertThat(got[0].text()).contains("name=\"title\"\r\n\r\nFête\r\n",
                    "name=\"image\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n\1\2\3\r\n--");
        }
    }

    @Test
    void honoursConnectionClose() throws IOException {
        try (TestServer server = new TestServer(call -> Reply.of(200, "ok").with("Connection", "close"));
                HttpUser user = user(server, false)) {
            user.send(Request.page("/"));
            user.send(Request.page("/"));
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aNewConnectionThatIsClosedWithoutAnAnswerIsAnError() throws IOException {
        try (TestServer server = new TestServer(call -> null); HttpUser user = user(server, false)) {
            assertThatThrownBy(() -> user.send(Request.page("/x"))).isInstanceOf(HttpFailure.class)
                    .hasMessageContaining("GET /x").hasMessageContaining("without an answer");
            assertThat(server.connections()).as("not tried again").isEqualTo(1);
        }
    }

    @Test
    void aServerThatIsGoneIsAnErrorAtOnce() throws IOException {
        TestServer server = new TestServer(call -> Reply.of(200, "ok"));
        try (HttpUser user = user(server, false)) {
            user.send(Request.page("/"));
            server.close();
            assertThatThrownBy(() -> user.send(Request.page("/"))).isInstanceOf(HttpFailure.class)
                    .hasMessageContaining("connect to 127.0.0.1");
        }
    }

    @Test
    void closingFromAnotherThreadEndsAnExchange() throws Exception {
        Object never = new Object();
        try (TestServer server = new TestServer(call -> {
            synchronized (never) {
                try {
                    never.wait(120_000);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            return null;
        })) {
            HttpUser user = user(server, false);
            Throwable[] thrown = new Throwable[1];
            Thread waiting = new Thread(() -> {
                try {
                    user.send(Request.page("/"));
                } catch (IOException e) {
                    thrown[0] = e;
                }
            });
            waiting.start();
            Await.until("the request is under way", () -> server.connections() == 1);
            user.close();
            waiting.join(30_000);
            assertThat(thrown[0]).isInstanceOf(HttpFailure.class);
        }
    }
}
