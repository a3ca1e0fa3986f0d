// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.ic2.agent.servers.TestCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of all kinds, whole and broken, plain and under TLS. */
class PageClientTest {

    @TempDir
    private Path directory;

    private static WebAnswer read(String answer, int most) throws IOException {
        return new AnswerReader(new ByteArrayInputStream(answer.getBytes(StandardCharsets.ISO_8859_1)), InetAddress.getLoopbackAddress())
                .read(most, false);
    }

    private static String body(String answer) throws IOException {
        return new String(read(answer, 1000).body(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void anAnswerEndsWhereItSays() throws Exception {
        assertThat(body("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")).isEqualTo("abc");
        assertThat(body("HTTP/1.0 200 OK\nX: 1\n\nabcdef")).isEqualTo("abcdef");
        assertThat(body("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\nmore")).isEqualTo("abc0123456789");
        assertThat(body("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc")).isEqualTo("abc");
        assertThat(body("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n")).isEmpty();
        WebAnswer answer = read("HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nset-cookie: b\r\nContent-Type: Text/HTML;x\r\nX-Cache: hit from a\r\n\r\n", 9);
        assertThat(answer.cookieNames()).containsExactly("a", "b");
        assertThat(answer.isHtml() && answer.isHit()).isTrue();
    }

    @Test
    void aLongBodyIsCut() throws Exception {
        for (String head : List.of("Content-Length: 8", "Transfer-Encoding: chunked", "X: y")) {
            boolean chunked = head.startsWith("T");
            String text = "HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n" + (chunked ? "8\r\nabcdefgh\r\n0\r\n\r\n" : "abcdefgh");
            assertThat(read(text, 5)).matches(answer -> answer.cut() && answer.body().length == 5);
            assertThat(read(text, 8)).matches(answer -> !answer.cut() && answer.body().length == 8);
        }
    }

    @Test
    void aBrokenAnswerIsNamed() {
        Map<String, String> broken = Map.of("", "the server closed without an answer", "HTTP/1.1 200 OK\r\nA: b", "ended in its header",
                "SSH-2.0-OpenSSH\r\n\r\n", "expected an answer of HTTP/1, got \"SSH-2.0-OpenSSH\"",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "the answer ended after 3 of 9 bytes",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "expected a Content-Length, got \"-1\"",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "expected the size of a chunk, got \"xyz\"",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "ended within a chunk",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "expected the end of a chunk",
                "HTTP/1.1 200 OK\r\nA: " + "x".repeat(70_000) + "\r\n\r\n", "header is longer than 64 KB",
                "HTTP/1.1 101 Switching\r\n\r\n", "expected an answer, got status 101");
        broken.forEach((answer, why) -> assertThatThrownBy(() -> read(answer, 1000)).isInstanceOf(IOException.class).hasMessageContaining(why));
    }

    @Test
    void gzipIsUnpackedUpToALimit() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write("<p>".repeat(1000).getBytes(StandardCharsets.US_ASCII));
        }
        WebAnswer answer = new WebAnswer(200, List.of(new WebAnswer.Header("content-encoding", "gzip")), packed.toByteArray(), false,
                InetAddress.getLoopbackAddress());
        assertThat(answer.plain(5000)).hasSize(3000);
        assertThat(answer.plain(10)).hasSize(10);
    }

    private static PageClient.Request request(String url, int port, Duration within) {
        URI page = URI.create(url);
        return new PageClient.Request(WebSite.of(page), new InetSocketAddress(InetAddress.getLoopbackAddress(), port), WebSite.target(page),
                Optional.empty(), Map.of("X-Broken", "a\r\nCookie: b"), within, 1000, false);
    }

    @Test
    void aServerThatSaysNothingIsGivenUp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> PageClient.usual().get(request("http://shop.example/a", silent.getLocalPort(), Duration.ofMillis(300))))
                    .hasMessage("GET http://shop.example/a: no whole answer within 0.3 s");
        }
    }

    @Test
    void aServerThatDripsIsGivenUp() throws Exception {
        try (ServerSocket dripping = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread drops = new Thread(() -> {
                try (Socket socket = dripping.accept()) {
                    while (true) {
                        socket.getOutputStream().write('x');
                        Thread.sleep(20);
                    }
                } catch (IOException | InterruptedException e) {
                    Thread.currentThread().interrupt();     // the client has gone
                }
            });
            drops.start();
            assertThatThrownBy(() -> PageClient.usual().get(request("http://shop.example/a", dripping.getLocalPort(), Duration.ofMillis(500))))
                    .hasMessageContaining("no whole answer within 0.5 s");
            drops.join();
        }
    }

    @Test
    void aHeadersLineEndCannotMakeAnotherHeader() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            StringBuilder got = new StringBuilder();
            Thread answers = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    while (got.indexOf("\r\n\r\n") < 0) {
                        got.append((char) socket.getInputStream().read());
                    }
                    socket.getOutputStream().write("HTTP/1.0 200 OK\r\n\r\nfine".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    got.append(e);
                }
            });
            answers.start();
            assertThat(PageClient.usual().get(request("http://shop.example/a?b", server.getLocalPort(), Duration.ofMinutes(1))).body()).hasSize(4);
            answers.join();
            assertThat(got.toString()).isEqualTo("GET /a?b HTTP/1.1\r\nHost: shop.example\r\nX-Broken: a  Cookie: b\r\nConnection: close\r\n\r\n");
        }
    }

    /** openssl answers with a page of its own. */
    private int tls(Path place) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        server = new ProcessBuilder("openssl", "s_server", "-accept", "127.0.0.1:" + port, "-cert", place.resolve("cert.pem").toString(), "-key",
                place.resolve("key.pem").toString(), "-www", "-quiet").redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        for (long end = System.nanoTime() + Duration.ofMinutes(1).toNanos(); System.nanoTime() < end; Thread.sleep(20)) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
                break;
            } catch (IOException e) {
                assertThat(server.isAlive()).isTrue();
            }
        }
        return port;
    }

    private Process server;

    private static SSLSocketFactory believing(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    @Test
    void anyCertificateIsTakenOnTheWayToThisMachineItself() throws Exception {
        TestCertificate.write(directory, "DNS:shop.example");
        int port = tls(directory);
        try {
            CrawlResult result = new Crawl(CrawlLimits.brief()).of(URI.create("https://other.example/"), Optional.of("127.0.0.1:" + port));
            assertThat(result.compared()).isEqualTo(1);
            assertThat(result.remarks()).containsExactly("the certificate was not checked, as other.example was asked at this machine's own address"
                    + " 127.0.0.1");
            assertThat(VisitRoute.of(new WebSite(true, "shop.example", 443), Optional.of("192.0.2.1")))
                    .matches(route -> !route.local() && route.uncheckedCertificate(new WebSite(true, "shop.example", 443)).isEmpty());
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void aCertificateMustBeTheSitesAndOfAnAuthorityThatIsBelieved() throws Exception {
        TestCertificate.write(directory, "DNS:shop.example");
        int port = tls(directory);
        try {
            PageClient client = new PageClient(believing(directory.resolve("cert.pem")), System::nanoTime);
            assertThat(client.get(request("https://shop.example:" + port + "/", port, Duration.ofMinutes(1))).status()).isEqualTo(200);
            assertThatThrownBy(() -> client.get(request("https://other.example/", port, Duration.ofMinutes(1)))).isInstanceOf(IOException.class)
                    .hasMessageStartingWith("GET https://other.example/: TLS failed: ").hasMessageContaining("other.example").hasMessageNotContaining("\n");
            assertThatThrownBy(() -> PageClient.usual().get(request("https://shop.example/", port, Duration.ofMinutes(1))))
                    .hasMessageContaining("TLS failed: ");
            InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            PageClient elsewhere = PageClient.to(new VisitRoute(here, false, List.of(), Optional.empty()));
            assertThatThrownBy(() -> elsewhere.get(request("https://shop.example/", port, Duration.ofMinutes(1))))
                    .as("as on the way to another machine").hasMessageContaining("TLS failed: ");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }
}
