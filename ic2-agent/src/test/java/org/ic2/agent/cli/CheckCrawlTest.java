// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ic2 check --crawl} as an administrator runs it. */
class CheckCrawlTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            StringBuilder page = new StringBuilder("<title>").append(path).append("</title>");
            for (int i = 0; path.equals("/") && i < 12; i++) {
                page.append("<a href=/p").append(i).append("><a href=/mine").append(i).append('>');
            }
            if (path.startsWith("/mine")) {
                page.append(exchange.getRemoteAddress().getAddress().getHostAddress());
            }
            if (path.equals("/news") || path.equals("/drawn")) {
                page.append("<meta name=generator content=\"MediaWiki 1.39.7\"><script>{\"wg").append(path.equals("/news") ? "RequestId" : "Other")
                        .append("\":\"").append(System.nanoTime()).append("\",\"a\":1}</script>");
            }
            if (path.startsWith("/wiki")) {
                page.append("<meta name=Generator content=\"MediaWiki 1.39.7\">");
                exchange.getResponseHeaders().set("Cache-Control", "private, must-revalidate, max-age=0");
            }
            if (path.equals("/moved")) {
                exchange.getResponseHeaders().set("Location", "http://wiki.example/wiki/Main_Page");
            }
            byte[] body = page.toString().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(path.equals("/moved") ? 301 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private int check(String... options) {
        CommandLine line = Ic2.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(errors));
        String[] all = new String[options.length + 3];
        all[0] = "check";
        all[1] = "-c";
        all[2] = directory.resolve("none.yaml").toString();
        System.arraycopy(options, 0, all, 3, options.length);
        return line.execute(all);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Test
    void aCrawlNeedsNoConfiguration() {
        assertThat(check("--crawl", url())).isZero();
        assertThat(out.toString().lines().limit(5)).satisfiesExactly(
                line -> assertThat(line).startsWith("note    configuration      ").contains("none.yaml").endsWith("; only the crawl is done"),
                line -> assertThat(line).startsWith("ok      crawl              two strangers looked at 25 pages of " + url() + " in ")
                        .endsWith(" s: the site has no further links"),
                line -> assertThat(line).isEqualTo("ok      stored             13 of 25 HTML pages would be stored, and are the same for both"),
                line -> assertThat(line).isEqualTo("ok      stored               /"),
                line -> assertThat(line).isEqualTo("ok      stored               /p0"));
        assertThat(out.toString()).contains("note    reflects           12 pages hold something of the request; not stored\n",
                "note    reflects             /mine9: the client's address\n").doesNotContain("/mine10", "/p9");
        assertThat(check("--ladder", url())).as("the ladder needs one").isEqualTo(Ic2.USAGE);
    }

    @Test
    void jsonHasAllPages() throws Exception {
        assertThat(check("--crawl", "http://shop.example/", "--at", "127.0.0.1:" + server.getAddress().getPort(), "--json")).isZero();
        JsonNode findings = new JsonMapper().readTree(out.toString());
        assertThat(findings.findValuesAsText("text")).contains("  /p11", "  /mine11: the client's address");
        assertThat(findings.findValuesAsText("word")).containsOnly("ok", "note");
    }

    @Test
    void textThatTheApplicationMasksIsNotCompared() {
        assertThat(check("--crawl", url() + "news")).isZero();
        assertThat(out.toString()).contains("stored             1 of 1 HTML page would be stored, and is the same for both").doesNotContain("differ");
        assertThat(check("--crawl", url() + "news?oldid=1")).isZero();
        assertThat(out.toString()).contains("note    stored             0 of 1 HTML page would be stored",
                "note    passes by          1 page is the same for both, but on no list of MediaWiki: never stored\nnote    passes by            /news?oldid=1\n");
        assertThat(check("--crawl", url() + "drawn")).isZero();
        assertThat(out.toString()).contains("note    differs            1 page differs between the two; never served from the store\n");
    }

    @Test
    void anApplicationWhosePagesArePrivateIsToldWhatToAdd() {
        assertThat(check("--crawl", url() + "moved")).isEqualTo(Ic2.FAILED);
        assertThat(out.toString()).contains("two strangers looked at 2 pages of http://wiki.example/wiki/Main_Page in ",
                "note    crawl              " + url() + "moved leads to http://wiki.example/wiki/Main_Page: that site was looked at, at the same address\n",
                "note    private            1 page says that it must not be shared; not stored\n", "note    no page            1 address has a redirect, ",
                "note    stored             0 of 1 HTML page would be stored",
                "MISSING application        in the configuration of MediaWiki, whose pages say that they are private: $wgUseCdn = true;\n",
                "$wgCdnServers = [ \"127.0.0.1:" + server.getAddress().getPort() + "\" ];\n", "$wgInternalServer = \"http://wiki.example\";");
    }

    @Test
    void aSiteThatCannotBeHadIsMissing() {
        String gone = url();
        server.stop(0);
        assertThat(check("--crawl", gone)).isEqualTo(Ic2.FAILED);
        assertThat(out.toString()).contains("MISSING crawl              GET " + gone).contains("Connection refused");
    }

    @Test
    void helpNamesTheExitStatus() {
        assertThat(check("--help")).isZero();
        assertThat(out.toString()).contains("--crawl=URL", "--at=ADDRESS[:PORT]", "The ladder is empty");
    }
}
