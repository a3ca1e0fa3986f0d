// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.ic2.agent.servers.TestCertificate;
import org.ic2.runtime.testing.Waiting;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What others try against daemons that listen: one on loopback, one for all with TLS and token, one for all that only tells. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpAttackTest {

    private static final String HOST = "Host: localhost";
    private static final String KEY = "Authorization: Bearer " + HttpSite.TOKEN;
    /** What a browser says when somebody clicks on a link of another site. */
    private static final String FOLLOWED = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document";
    private static final int SILENT = 200;
    private static final int STREAMS = 50;
    /** More than twice as many as there are threads: the next one would wait twice as long as each may. No more than may wait. */
    private static final int HALVES = 70;
    private static final int TRIES = 20;

    private final List<Socket> held = new ArrayList<>();
    private HttpSite plain;
    private HttpSite secure;
    private HttpSite told;
    private Path certificates;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        certificates = Files.createDirectory(directory.resolve("secure"));
        TestCertificate.write(certificates, "DNS:web1.example,DNS:*.shop.example");
        plain = new HttpSite(Files.createDirectory(directory.resolve("plain")), "{listen: \"127.0.0.1:0\", token-file: DIR/token}");
        secure = new HttpSite(certificates,
                "{listen: \"0.0.0.0:0\", tls: {certificate: DIR/cert.pem, key: DIR/key.pem}, token-file: DIR/token}");
        told = new HttpSite(Files.createDirectory(directory.resolve("told")),
                "{listen: \"0.0.0.0:0\", insecure-read-only: true, names: [web1.example]}");
    }

    @AfterEach
    void release() throws Exception {
        for (Socket socket : held) {
            socket.close();
        }
        held.clear();
    }

    @AfterAll
    void end() {
        Stream.of(plain, secure, told).filter(java.util.Objects::nonNull).forEach(HttpSite::close);
    }

    private Stream<HttpSite> sites() {
        return Stream.of(plain, secure, told);
    }

    private Stream<HttpSite> changeable() {
        return Stream.of(plain, secure);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("sites")
    void aPageThatCallsItsOwnNameOursIsNotAnswered(HttpSite site) throws Exception {
        for (String host : List.of("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9464", "evil.example:9464",
                "[::1].evil.example", "", "localhost:evil", "web1.example.evil", "a.b.shop.example")) {
            for (String line : List.of("GET /", "GET /metrics", "GET /api/stream", "HEAD /api/status", "POST /api/resume")) {
                assertThat(site.code(line, "Host: " + host, KEY)).as(line + " of " + host).isEqualTo(403);
            }
        }
        assertThat(site.code("GET /api/status", KEY)).as("no name").isEqualTo(403);
        assertThat(site.code("GET /api/status", HOST, KEY)).isEqualTo(200);
        assertThat(site.code("GET /api/status", "Host: [::1]:1", KEY)).isEqualTo(200);
    }

    @Test
    void theNamesOfTheCertificateAndThoseThatAreConfiguredAreOurs() throws Exception {
        for (String host : List.of("web1.example", "WEB1.example:9464", "a.shop.example", "10.1.2.3:9464")) {
            assertThat(secure.code("GET /api/status", "Host: " + host, KEY)).as(host).isEqualTo(200);
            assertThat(plain.code("GET /api/status", "Host: " + host, KEY)).as(host).isEqualTo(403);
        }
        assertThat(told.code("GET /api/status", "Host: web1.example:9464")).isEqualTo(200);
        assertThat(told.code("GET /api/status", "Host: a.shop.example")).isEqualTo(403);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("changeable")
    void aPageOfAnotherSiteChangesNothingAndReadsNothingEvenWithTheToken(HttpSite site) throws Exception {
        String own = (site.isTls() ? "https" : "http") + "://localhost";
        for (String foreign : List.of("Origin: http://evil.example", "Origin: null", "Origin: " + own + ".evil.example",
                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", FOLLOWED, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate",
                "Sec-Fetch-Site: cross-site\r\nOrigin: " + own)) {
            assertThat(site.code("POST /api/resume", HOST, KEY, foreign)).as(foreign).isEqualTo(403);
            assertThat(site.code("GET /api/stream", HOST, KEY, foreign)).as(foreign).isEqualTo(403);
        }
        assertThat(site.code("POST /api/resume", HOST, KEY, "Origin: " + own)).isEqualTo(200);
        assertThat(site.code("POST /api/resume", HOST, KEY, "Sec-Fetch-Site: same-origin")).isEqualTo(200);
        for (String path : List.of("/", "/metrics", "/api/status", "/healthz")) {
            assertThat(site.code("GET " + path, HOST, KEY, FOLLOWED)).as("a link to " + path).isEqualTo(200);
            assertThat(site.code("HEAD " + path, HOST, KEY, FOLLOWED.replace("cross", "same"))).as("a link to " + path).isEqualTo(200);
            for (String other : List.of("Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe",
                    "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty", "Sec-Fetch-Dest: document")) {
                assertThat(site.code("GET " + path, HOST, KEY, "Sec-Fetch-Site: cross-site", other)).as(other).isEqualTo(403);
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("sites")
    void tooLongAndInvalidRequestsAreRefused(HttpSite site) throws Exception {
        assertThat(site.code("GET /", HOST, "X: " + "x".repeat(9000))).isEqualTo(431);
        assertThat(site.code("GET /" + "x".repeat(9000), HOST)).isEqualTo(431);
        assertThat(site.code("POST /api/resume", HOST, KEY, "Content-Length: 4097")).isEqualTo(413);
        assertThat(site.code("POST /api/resume", HOST, KEY, "Content-Length: 99999999999999")).isEqualTo(400);
        assertThat(site.code("POST /api/resume", HOST, KEY, "Transfer-Encoding: chunked")).isEqualTo(411);
        assertThat(site.code("PUT /", HOST)).isEqualTo(405);
        assertThat(site.code("GET http://localhost/", HOST)).isEqualTo(400);
        assertThat(site.code("GET /api/events?limit=0", HOST, KEY)).isEqualTo(400);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("sites")
    void noPathLeadsToAFile(HttpSite site) throws Exception {
        for (String path : List.of("/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                "/dashboard.css/../../../../ic2.yaml", "/..%2f..%2fic2.yaml", "/%00", "/dashboard.css%00.js", "/token", "/index.html/..",
                "/\\..\\..\\ic2.yaml", "/api/../token", "/uplot/../../HttpApi.class")) {
            String answer = site.ask("GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n" + KEY + "\r\n\r\n");
            assertThat(answer).as(path).matches("(?s)HTTP/1\\.1 (400|404) .*").doesNotContain("root:", "application: shop", HttpSite.TOKEN);
        }
    }

    @Test
    void beyondLoopbackNothingIsReadWithoutTheTokenButThePage() throws Exception {
        for (String path : List.of("/metrics", "/healthz", "/readyz", "/api/status", "/api/config", "/api/samples", "/api/events",
                "/api/stream", "/nothing")) {
            for (String key : List.of("X: y", "Authorization: Bearer wrong", "Authorization: Bearer ", "Authorization: " + HttpSite.TOKEN,
                    KEY + "x", "Authorization: Basic " + HttpSite.TOKEN)) {
                assertThat(secure.code("GET " + path, HOST, key)).as(path + " " + key).isEqualTo(401);
            }
            assertThat(secure.code("HEAD " + path, HOST, KEY)).as(path).isIn(200, 404, 503);
            assertThat(plain.code("HEAD " + path, HOST)).as(path).isIn(200, 404, 503);
            assertThat(told.code("HEAD " + path, HOST)).as(path).isIn(200, 404, 503);
        }
        assertThat(secure.code("GET /", HOST)).isEqualTo(200);
        assertThat(secure.ask("GET /api/status HTTP/1.1\r\n" + HOST + "\r\n\r\n")).contains("\r\nWWW-Authenticate: Bearer\r\n");
    }

    @Test
    void nothingIsChangedWithoutTheTokenAndNothingAtAllWhereItIsReadOnly() throws Exception {
        for (String verb : List.of("apply", "restore", "pause", "resume")) {
            for (HttpSite site : List.of(plain, secure)) {
                assertThat(site.code("POST /api/" + verb, HOST)).as(verb).isEqualTo(401);
                assertThat(site.code("POST /api/" + verb, HOST, "Authorization: Bearer wrong")).as(verb).isEqualTo(401);
            }
            assertThat(told.code("POST /api/" + verb, HOST, KEY)).as(verb).isEqualTo(403);
        }
        assertThat(told.agent().log()).contains("insecure-read-only: everybody on any machine that reaches 0.0.0.0")
                .contains("nothing can be changed over HTTP");
        assertThat(plain.agent().status().get("state").asText()).isNotEqualTo("MANUAL");
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("sites")
    void everyAnswerTellsBrowsersWhatNotToMakeOfIt(HttpSite site) throws Exception {
        for (String line : List.of("GET /", "GET /metrics", "GET /nothing", "POST /api/resume", "GET /api/events", "BREW /")) {
            assertThat(site.ask(line + " HTTP/1.1\r\n" + HOST + "\r\n\r\n")).as(line)
                    .contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; ")
                    .contains("frame-ancestors 'none'").contains("\r\nX-Content-Type-Options: nosniff\r\n")
                    .contains("\r\nReferrer-Policy: no-referrer\r\n").contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n");
        }
    }

    private void hold(Socket socket, String part) throws Exception {
        held.add(socket);
        socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("changeable")
    void slowClientsDelayNoOther(HttpSite site) throws Exception {
        for (int i = 0; i < STREAMS; i++) {
            Socket stream = site.connect();
            hold(stream, "GET /api/stream HTTP/1.1\r\n" + HOST + "\r\n" + KEY + "\r\n\r\n");
            assertThat(stream.getInputStream().read()).isEqualTo('H');
        }
        for (int i = 0; i < SILENT; i++) {
            hold(site.raw(), "");
        }
        int tries = 1;
        while (!servesBesideTheSlow(site)) {    // on a busy machine all may take longer than a connection lasts
            assertThat(tries++).as("served only after those who came before had lost their connections").isLessThan(TRIES);
        }
        for (Socket stream : held.subList(0, STREAMS)) {
            assertThat(stream.getInputStream().readNBytes(1000)).as("the streams go on").hasSize(1000);
        }
        for (Socket socket : held.subList(STREAMS, held.size())) {
            HttpSite.awaitEnd(socket);
        }
        release();
        Waiting.until("a site that has noticed the end of all of them", () -> site.code("GET /metrics", HOST, KEY) == 200);
    }

    /**
     * True when each request was answered before one who came before it and says nothing had used up his time. That is
     * shorter than the time for which those who came before the first hold all threads, if nobody takes them away.
     */
    private boolean servesBesideTheSlow(HttpSite site) throws Exception {
        try {
            for (int i = 0; i < 25; i++) {
                hold(site.connect(), "GET /metrics HTTP/1.1\r\nX-Half: ");
                hold(site.connect(), "GET /api/samples HTTP/1.1\r\n" + HOST + "\r\n" + KEY + "\r\n\r\n");
            }
            for (int i = 0; i < HALVES; i++) {
                hold(site.raw(), site.isTls() ? "\u0016\u0003\u0001" : "POST /api/resume HTTP/1.1\r\nContent-Length: 10\r\n\r\n");
            }
            for (int i = 0; i < 5; i++) {
                Socket bystander = site.raw();
                hold(bystander, "");
                String answer = site.ask("GET /metrics HTTP/1.1\r\n" + HOST + "\r\n" + KEY + "\r\n\r\n");
                if (!answer.startsWith("HTTP/1.1 200 ")) {
                    return false;
                }
                assertThat(answer).contains("ic2_build_info");
                if (!HttpSite.isOpen(bystander)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;       // where a handshake is as slow as theirs, it is ended as they are
        }
    }

    @Test
    void plainHttpOnATlsPortIsClosedAndTheNextClientServed() throws Exception {
        Socket socket = secure.raw();
        hold(socket, "GET /metrics HTTP/1.1\r\n" + HOST + "\r\n\r\n");
        HttpSite.awaitEnd(socket);
        Socket garbage = secure.raw();
        hold(garbage, "\u0016\u0003\u0001\u0040\u0000" + "\u00ff".repeat(20_000));
        HttpSite.awaitEnd(garbage);
        assertThat(secure.code("GET /metrics", HOST, KEY)).isEqualTo(200);
    }

    @Test
    void aNewCertificateIsTakenUpAndABadOneIsNot() throws Exception {
        Object before = serial();
        TestCertificate.write(certificates, "DNS:web1.example,DNS:*.shop.example", "-newkey", "rsa:2048");
        Waiting.until("the new certificate", () -> !serial().equals(before));
        Object now = serial();
        Files.writeString(certificates.resolve("cert.pem"), "no certificate");
        Waiting.until("the word on the bad one", () -> {
            assertThat(serial()).isEqualTo(now);
            return secure.agent().log().contains("the certificate stays as it was: ");
        });
    }

    private Object serial() throws Exception {
        try (SSLSocket socket = (SSLSocket) secure.connect()) {
            return ((java.security.cert.X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
        }
    }
}
