// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.ic2.agent.application.Applications;
import org.ic2.agent.application.WebApplication;
import org.ic2.agent.crawl.CrawlLimits;
import org.ic2.agent.sensor.FakeHost;
import org.ic2.agent.servers.TestCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A site that a server of the test answers for: what two strangers see decides what may be stored. */
class SiteTrialTest {

    private static final String NAMESPACES = """
            {"query":{"general":{"lang":"de"},"namespaces":{
            "-2":{"id":-2,"name":"Medium","canonical":"Media"},"-1":{"id":-1,"name":"Spezial","canonical":"Special"},
            "0":{"id":0,"name":""},"1":{"id":1,"name":"Diskussion","canonical":"Talk"},
            "3":{"id":3,"name":"Benutzer Diskussion","canonical":"User talk"},"4":{"id":4,"name":"A: B","canonical":"Project"}},
            "namespacealiases":[{"id":6,"alias":"Bild"},{"id":3,"alias":"BD"}]}}""";

    @TempDir
    private Path directory;

    private HttpServer server;
    private final AtomicInteger builds = new AtomicInteger();
    private String cookie = "";
    private String control = "";
    private String api = NAMESPACES;
    /** The only host that the application knows; empty: it does not look at it. */
    private String known = "";
    /** Where it sends those who call it by another name than localhost; empty: nowhere. */
    private String redirect = "";

    @BeforeEach
    void serve() throws Exception {
        serve(HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0));
    }

    private void serve(HttpServer made) {
        server = made;
        server.createContext("/", exchange -> {
            String target = exchange.getRequestURI().toString();
            boolean asked = target.contains("api.php");
            String name = exchange.getRequestHeaders().getFirst("Host").replaceFirst(":.*", "");
            if (!redirect.isEmpty() && !name.equals("localhost")) {
                exchange.getResponseHeaders().add("Location", redirect);
                exchange.sendResponseHeaders(301, -1);
                return;
            }
            String text = asked ? api : page(target, exchange.getRemoteAddress().getAddress().getHostAddress());
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", asked ? "application/json" : "text/html; charset=UTF-8");
            exchange.getResponseHeaders().add("X-Request-Id", "r" + builds.incrementAndGet());
            if (!cookie.isEmpty()) {
                exchange.getResponseHeaders().add("Set-Cookie", cookie);
            }
            if (!control.isEmpty()) {
                exchange.getResponseHeaders().add("Cache-Control", control);
            }
            exchange.sendResponseHeaders(known.isEmpty() || known.equals(name) ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private String page(String target, String address) {
        String text = target.contains("MyTalk") ? "talk of " + address : target.contains("Zufall") ? "drawn " + builds.get() : "text";
        return "<html><a href='/index.php?title=Hauptseite'>x</a><a href='/index.php?title=Special:MyTalk'>x</a>"
                + "<a href='/index.php?title=Spezial:Zufall'>x</a><a href='/index.php?title=Zufall'>x</a><p>" + text
                + "<script>mw.config.set({\"wgRequestId\":\"r" + builds.get() + "\",\"wgCSPNonce\":false});"
                + "mw.config.set({\"wgBackendResponseTime\":" + builds.get() + "});</script></html>";
    }

    /** With a certificate that no authority has signed. */
    private void serveByTls() throws Exception {
        server.stop(0);
        TestCertificate.write(directory, "DNS:other.example");
        Path keys = directory.resolve("keys.p12");
        new ProcessBuilder("openssl", "pkcs12", "-export", "-passout", "pass:secret", "-inkey", directory.resolve("key.pem").toString(),
                "-in", directory.resolve("cert.pem").toString(), "-out", keys.toString()).start().waitFor();
        KeyStore store = KeyStore.getInstance(keys.toFile(), "secret".toCharArray());
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        HttpsServer secured = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        secured.setHttpsConfigurator(new HttpsConfigurator(context));
        serve(secured);
    }

    private TriedApplication tried(String id) throws Exception {
        return tried(id, "wiki.example");
    }

    private TriedApplication tried(String id, String... names) throws Exception {
        Site site = new Site(directory);
        SiteFacts found = site.facts();
        WebApplication application = Applications.shipped().find(id).orElseThrow();
        SiteFacts facts = new SiteFacts(found.apachectl(), found.build(), found.dump(), found.config(), true, "", List.of(),
                List.of(new FoundApplication(application, "/srv/it", "", Stream.of(names).map(name -> new SiteAddress(name,
                server.getAddress().getPort(), server instanceof HttpsServer)).toList())), found.ports(), found.surroundings());
        SiteVisit visit = new SiteVisit(new CrawlLimits(30, Duration.ofSeconds(60), Duration.ofSeconds(60), 100_000));
        return SiteTrial.all(facts, site.machine, visit).get(0);
    }

    @Test
    void pagesThatAreTheSameButForMasksMayBeStoredAndOthersAreNamed() throws Exception {
        TriedApplication wiki = tried("mediawiki");
        assertThat(wiki.application().pages().patterns()).containsExactly("/*");
        assertThat(wiki.missing()).isEmpty();
        assertThat(String.join("\n", wiki.seen())).contains("2 of 5 addresses have a page that may be stored",
                "pages that differ between two visitors (1): /index.php?title=Zufall");
        assertThat(wiki.application().pages().namespaces()).containsExactly("Diskussion", "Talk", "Benutzer_Diskussion", "User_talk",
                "Project", "Bild", "BD");
        assertThat(wiki.application().pages().except()).contains("Special:*", "*/Special:*", "Spezial:*", "*/Spezial:*", "Medium:*");
        assertThat(String.join("\n", wiki.seen())).contains("httpd's configuration cannot name them: A:_B");
    }

    @Test
    void withoutTheApiOnlyEnglishNamespacesAreStored() throws Exception {
        api = "<html>no API";
        TriedApplication wiki = tried("mediawiki");
        assertThat(wiki.application().pages().namespaces()).contains("User_talk").doesNotContain("Special");
        assertThat(String.join("\n", wiki.seen())).contains("only pages of the English ones are stored");
    }

    @Test
    void aSiteThatSaysPrivateIsNotStoredAndTheLineToAddIsNamed() throws Exception {
        control = "private, must-revalidate, max-age=0";
        TriedApplication wiki = tried("mediawiki");
        assertThat(wiki.application().cacheable()).isFalse();
        assertThat(wiki.missing()).anySatisfy(line -> assertThat(line).contains("$wgUseCdn = true;"))
                .anySatisfy(line -> assertThat(line).contains("$wgCdnServers = [ \"127.0.0.1:"));
        assertThat(String.join("\n", wiki.seen())).contains("pages that say that they are private (", "no page of it will be stored");
    }

    @Test
    void aSiteWhoseEveryPageSetsACookieIsNotStored() throws Exception {
        cookie = "PHPSESSID=1";
        TriedApplication blog = tried("wordpress");
        assertThat(blog.application().cacheable()).isFalse();
        assertThat(String.join("\n", blog.seen())).contains("pages that set a cookie (", "PHPSESSID", "no page of /* was seen to be the same");
        assertThat(blog.missing()).isEmpty();
    }

    @Test
    void aSiteBehindAnyCertificateIsLookedAt() throws Exception {
        serveByTls();
        assertThat(String.join("\n", tried("mediawiki").seen())).contains("2 of 5 addresses", "https://wiki.example:");
    }

    @Test
    void otherNamesAreTriedWhereTheApplicationLooksAtTheHost() throws Exception {
        known = "localhost";
        TriedApplication blog = tried("mediawiki", "127.0.0.1", "localhost", "web1");
        assertThat(blog.application().cacheable()).isTrue();
        assertThat(String.join("\n", blog.seen())).contains("http://localhost:").doesNotContain("could not be looked at");
        TriedApplication lost = tried("mediawiki", "127.0.0.1", "web1");
        assertThat(String.join("\n", lost.seen())).contains("could not be looked at: GET http://127.0.0.1:", "expected an HTML page, got 404",
                "GET http://web1:");
    }

    @Test
    void aRedirectToTheSitesNameIsFollowedAtTheSameAddress() throws Exception {
        redirect = "http://localhost/";
        control = "private";
        TriedApplication wiki = tried("mediawiki", "127.0.0.1");
        assertThat(String.join("\n", wiki.seen())).contains("leads to http://localhost/: that site was looked at", "7 names of namespaces come from its API");
        assertThat(wiki.missing()).anySatisfy(line -> assertThat(line).contains("$wgInternalServer = \"http://localhost\";"));
        control = "";
        assertThat(String.join("\n", tried("mediawiki", "127.0.0.1").seen())).contains(" have a page that may be stored (http://localhost/, from");
        redirect = "https://localhost/";
        assertThat(String.join("\n", tried("mediawiki", "127.0.0.1").seen())).contains("leads to another site, https://localhost/; give that URL");
    }

    @Test
    void aVirtualHostWithoutANameMayHaveSeveral() throws Exception {
        Site site = new Site(directory);
        ((FakeHost) site.machine.host()).files.put("/proc/sys/kernel/hostname", "web1\n");
        assertThat(site.facts().applications().get(0).sites()).extracting(SiteAddress::name).containsExactly("www.example.org", "localhost", "web1");
        site.put(Site.APACHE + "/conf/security.conf", "ServerName www.example.org\n");
        assertThat(site.facts().applications().get(0).sites()).extracting(SiteAddress::name).containsExactly("www.example.org");
        site.put(Site.APACHE + "/conf/security.conf", "ServerName 127.0.0.1\n");
        assertThat(site.facts().applications().get(0).sites()).extracting(SiteAddress::name).contains("localhost", "web1");
        site.put(Site.APACHE + "/sites/000-default.conf", "# the site\n<VirtualHost *:8099>\n\tDocumentRoot /usr/share/wordpress\n"
                + "\tServerName www.example.org\n</VirtualHost>\n");
        assertThat(site.facts().applications().get(0).sites()).extracting(SiteAddress::name).containsExactly("www.example.org");
    }

    @Test
    void aSiteThatCannotBeHadIsNotStored() throws Exception {
        server.stop(0);
        TriedApplication blog = tried("wordpress");
        assertThat(blog.application().cacheable()).isFalse();
        assertThat(String.join("\n", blog.seen())).contains("its pages could not be looked at");
    }

    @Test
    void anAnswerThatIsNoWikisIsRefused() {
        for (String json : List.of("", "[]", "{}", "{\"query\":{\"namespaces\":{\"1\":{\"id\":1,\"name\":\"Talk\"}}}}",
                "{\"query\":{\"namespaces\":[1,\"x\",{\"id\":\"y\"}]}}")) {
            assertThatThrownBy(() -> SiteNamespaces.parse(json)).as(json).isInstanceOf(IOException.class);
        }
    }

    @Test
    void sitesComeFromTheVirtualHostThatServesTheDirectory() throws Exception {
        Site site = new Site(directory);
        site.put(Site.APACHE + "/conf/security.conf", "ServerName www.example.org\n");
        assertThat(site.facts().applications()).singleElement().satisfies(found -> assertThat(found.sites())
                .containsExactly(new SiteAddress("www.example.org", 8099, false)));
        site.put(Site.APACHE + "/sites/blog.conf", "<VirtualHost *:8099>\n</VirtualHost>\n\n\n\n\n\n<VirtualHost 127.0.0.1:8443>\n"
                + "SSLEngine on\nDocumentRoot /usr/share/wordpress\n</VirtualHost>\n");
        FoundApplication found = site.facts().applications().get(0);
        assertThat(found.sites()).containsExactly(new SiteAddress("www.example.org", 8099, false),
                new SiteAddress("shop.example.org", 8443, true));
        assertThat(found.sites().get(1).page("/a?b=c")).hasToString("https://shop.example.org:8443/a?b=c");
        for (var port : Map.of("80", 80, "443 https", 80, "8081 https\nListen 8082", 8082).entrySet()) {
            site.put(Site.APACHE + "/conf/security.conf", "Listen " + port.getKey() + "\n");
            assertThat(SiteAddress.plainPort(site.facts().config())).isEqualTo(port.getValue());
        }
    }
}
