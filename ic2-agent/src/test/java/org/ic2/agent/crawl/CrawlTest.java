// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.agent.crawl.CrawlResult.Difference;
import org.ic2.agent.crawl.CrawlResult.Mark;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two strangers on a site of this test. */
class CrawlTest {

    private final Map<String, Page> pages = new HashMap<>();
    private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Headers> headers = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> clients = new ConcurrentLinkedQueue<>();
    private final AtomicInteger together = new AtomicInteger();
    private final AtomicInteger mostTogether = new AtomicInteger();
    private final AtomicInteger counter = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    /** Answers a request with a body; status and headers it sets itself. */
    private interface Page {
        String answer(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        mostTogether.accumulateAndGet(together.incrementAndGet(), Math::max);
        asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        headers.add(exchange.getRequestHeaders());
        clients.add(exchange.getRemoteAddress().getAddress().getHostAddress());
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=UTF-8");
        Page page = pages.get(exchange.getRequestURI().toString());
        byte[] body = (page == null ? "<p>nothing here" : page.answer(exchange)).getBytes(StandardCharsets.UTF_8);
        int status = page == null ? 404 : exchange.getResponseHeaders().containsKey("Location") ? 302 : 200;
        together.decrementAndGet();
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void page(String path, String body) {
        pages.put(path, exchange -> body);
    }

    private void links(String... paths) {
        StringBuilder body = new StringBuilder("<html><title>Start</title>");
        for (String path : paths) {
            body.append("<a href=\"").append(path).append("\">x</a>");
        }
        page("/", body.toString());
    }

    private URI start() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    private CrawlResult crawl() throws Exception {
        return new Crawl(CrawlLimits.whole()).of(start(), Optional.empty());
    }

    private static String header(HttpExchange exchange, String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }

    private static String client(HttpExchange exchange) {
        return exchange.getRemoteAddress().getAddress().getHostAddress();
    }

    @Test
    void theSitesOwnLinksAreFollowedByGetAndOneAtATime() throws Exception {
        links("/a", "b?x=1&amp;y=2", "/a#part", "//127.0.0.1:1/else", "http://localhost:" + server.getAddress().getPort() + "/else",
                "https://127.0.0.1/else", "mailto:a@b", "javascript:go()", "/wp-login.php?action=logout", "/Special:UserLogout", "/post/7/delete",
                "/w/index.php?title=A&amp;action=rollback", "/photo.jpg", "/gone", "/moved", "/straße x", "/\"><script>");
        page("/a", "<link rel=next href=/linked><form method=post action=/posted><a href='/deep/er'>y</a><area href=/area><!-- <a href=/comment> -->");
        page("/b?x=1&y=2", "<base href=/deep/><a href=er2>");
        page("/deep/er", "<p>the end");
        page("/deep/er2", "<p>the end");
        page("/stra%C3%9Fe%20x", "<p>a street");
        page("/there", "<p>moved here");
        pages.put("/moved", exchange -> {
            exchange.getResponseHeaders().set("Location", "/there");
            return "";
        });
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactly("/", "/a", "/b?x=1&y=2", "/stra%C3%9Fe%20x", "/deep/er", "/deep/er2", "/there");
        assertThat(result.others()).extracting(Mark::page).containsExactly("/gone", "/moved");
        assertThat(result.failed()).isEmpty();
        assertThat(result.end()).isEqualTo("the site has no further links");
        assertThat(asked).allMatch(request -> request.startsWith("GET ")).noneMatch(request -> request.matches(
                ".*(?i:else|logout|delete|rollback|jpg|linked|posted|comment).*"));
        assertThat(mostTogether).hasValue(1);
    }

    @Test
    void theStrangersDifferInAddressAndBrowserAndKeepNoCookie() throws Exception {
        links("/a");
        pages.put("/a", exchange -> {
            exchange.getResponseHeaders().add("Set-Cookie", "visitor=7; Path=/");
            return "<a href=/>";
        });
        crawl();
        assertThat(clients).containsExactly("127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3");
        List<Headers> sent = List.copyOf(headers);
        assertThat(sent).noneMatch(one -> one.containsKey("Cookie") || one.containsKey("Accept-Encoding"))
                .allMatch(one -> one.getFirst("Host").equals(start().getAuthority()));
        assertThat(sent.get(0).getFirst("User-Agent")).contains("Windows", "Chrome");
        assertThat(sent.get(0).getFirst("Accept-Language")).startsWith("de");
        assertThat(sent.get(1).getFirst("User-Agent")).contains("Linux", "Firefox");
        assertThat(sent.get(1).getFirst("Accept-Language")).startsWith("en");
        assertThat(sent.get(0).containsKey("Referer")).isFalse();
        assertThat(sent.get(2).getFirst("Referer")).isEqualTo(start().toString());
    }

    @Test
    void eachKindOfPageIsNamed() throws Exception {
        links("/same", "/address", "/browser", "/language", "/nonce", "/visitor", "/cookie", "/private", "/old", "/vary", "/encoding", "/text");
        pages.put("/same", exchange -> "<p>same<!-- built in 0." + counter.incrementAndGet() + " s, " + counter.addAndGet(97) + " queries -->");
        pages.put("/address", exchange -> "<p>You are " + client(exchange));
        pages.put("/browser", exchange -> {
            exchange.getResponseHeaders().set("X-Seen", header(exchange, "User-Agent"));
            return "<p>same";
        });
        pages.put("/language", exchange -> "<html lang=" + header(exchange, "Accept-Language").substring(0, 2) + ">");
        pages.put("/nonce", exchange -> "<p>nonce=" + counter.incrementAndGet());
        pages.put("/visitor", exchange -> "<p>before " + (client(exchange).endsWith("2") ? "one" : "two"));
        pages.put("/cookie", exchange -> {
            exchange.getResponseHeaders().add("Set-Cookie", "PHPSESSID=" + counter.incrementAndGet() + "; Path=/");
            exchange.getResponseHeaders().add("Set-Cookie", "seen; Path=/");
            return "<p>" + counter.incrementAndGet();
        });
        pages.put("/private", exchange -> says(exchange, "Cache-Control", "max-age=0, private"));
        pages.put("/old", exchange -> says(exchange, "Expires", "Thu, 19 Nov 1981 08:52:00 GMT"));
        pages.put("/vary", exchange -> says(exchange, "Vary", "Accept-Encoding, X-Region"));
        pages.put("/encoding", exchange -> says(exchange, "Vary", "Accept-Encoding, Cookie"));
        pages.put("/text", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            return "plain";
        });
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactly("/", "/same", "/encoding");
        assertThat(result.reflecting()).containsExactly(new Mark("/address", List.of("the client's address")), new Mark("/browser", List.of("User-Agent")));
        assertThat(result.differing()).extracting(Difference::page, Difference::where, Difference::offset, Difference::always).containsExactly(
                tuple("/language", "byte 11", 11, false),
                tuple("/nonce", "byte 11", 11, true),
                tuple("/visitor", "byte 10", 10, false));
        assertThat(result.differing().get(2).text()).isEqualTo("byte 10: \"<p>before one\" and \"<p>before two\"; it differs between two visitors");
        assertThat(result.settingCookies()).containsExactly(new Mark("/cookie", List.of("PHPSESSID", "seen")));
        assertThat(result.cookieNames()).containsExactly("PHPSESSID", "seen");
        assertThat(result.sayingPrivate()).extracting(Mark::text).containsExactly("Cache-Control: max-age=0, private",
                "Expires: Thu, 19 Nov 1981 08:52:00 GMT", "Vary: Accept-Encoding, X-Region");
        assertThat(result.others()).extracting(Mark::text).containsExactly("200 text/plain");
        assertThat(result.leaking()).isEmpty();
        assertThat(result.pages()).isEqualTo(13);
        assertThat(result.compared()).isEqualTo(12);
        assertThat(result.caveat()).isEmpty();
    }

    private static String says(HttpExchange exchange, String name, String value) {
        exchange.getResponseHeaders().set(name, value);
        return "<p>same";
    }

    /** mod_standby stores what the application builds; a manual beside it is no such page, but its links are followed. */
    @Test
    void aFileIsNoPageThatWouldBeStored() throws Exception {
        links("/manual.html", "/zipped.html", "/built.html");
        file("/manual.html", "\"3c7a-63245f7c0bdc0\"", "<a href=\"/behind.html\">x</a>");
        file("/zipped.html", "\"3c7a-63245f7c0bdc0-gzip\"", "manual");
        file("/built.html", "\"my-own-tag\"", "built");
        page("/behind.html", "built");
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactlyInAnyOrder("/", "/built.html", "/behind.html");
        assertThat(result.others()).extracting(Mark::page).containsExactly("/manual.html", "/zipped.html");
        assertThat(result.others()).allSatisfy(mark -> assertThat(mark.what()).singleElement().asString().endsWith(", a file"));
    }

    private void file(String path, String tag, String body) {
        pages.put(path, exchange -> {
            exchange.getResponseHeaders().set("ETag", tag);
            exchange.getResponseHeaders().set("Accept-Ranges", "bytes");
            exchange.getResponseHeaders().set("Last-Modified", "Tue, 08 Apr 2025 15:25:51 GMT");
            return body;
        });
    }

    @Test
    void aHeaderThatDiffersAndAStatusThatDiffersAreSeen() throws Exception {
        links("/tagged", "/refused");
        pages.put("/tagged", exchange -> says(exchange, "X-Trace", "t" + counter.incrementAndGet()));
        pages.put("/refused", exchange -> {
            if (client(exchange).endsWith("3")) {
                exchange.getResponseHeaders().set("Location", "/captcha");
            }
            return "<p>same";
        });
        assertThat(crawl().differing()).extracting(Difference::text).containsExactly(
                "header x-trace: \"t1\" and \"t2\"; it changes with each request", "status: \"200\" and \"302\"; it differs between two visitors");
    }

    @Test
    void aCacheThatMixesVisitorsUpIsALeak() throws Exception {
        Map<String, String> kept = new HashMap<>();
        links("/talk");
        pages.put("/talk", exchange -> {
            exchange.getResponseHeaders().set("X-Cache", kept.containsKey("/talk") ? "HIT from localhost" : "MISS");
            return kept.computeIfAbsent("/talk", any -> "<title>User talk:" + client(exchange) + "</title>");
        });
        CrawlResult result = crawl();
        assertThat(result.leaking()).containsExactly(new Mark("/talk", List.of("the client's address")));
        assertThat(result.storable()).containsExactly("/");
        assertThat(result.fromStore()).isEqualTo(1);
    }

    @Test
    void anAgeThatModStandbyRewroteIsNoPrivatePage() throws Exception {
        links("/stored", "/own");
        String rewritten = "s-maxage=0, must-revalidate, max-age=0";
        pages.put("/own", exchange -> says(exchange, "Cache-Control", rewritten));
        pages.put("/stored", exchange -> {
            exchange.getResponseHeaders().set("X-Cache", "MISS");
            return says(exchange, "Cache-Control", rewritten);
        });
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactly("/", "/stored");
        assertThat(result.sayingPrivate()).containsExactly(new Mark("/own", List.of("Cache-Control: " + rewritten)));
    }

    @Test
    void theLimitsHold() throws Exception {
        for (int i = 0; i < 30; i++) {
            page("/" + i, "<a href=/" + (i + 1) + "><a href=/" + (i + 2) + ">");
        }
        links("/0");
        CrawlResult few = new Crawl(new CrawlLimits(5, Duration.ofSeconds(60), Duration.ofSeconds(60), 1000)).of(start(), Optional.empty());
        assertThat(few.pages()).isEqualTo(5);
        assertThat(few.end()).isEqualTo("5 pages is the limit; 2 known links were not followed");
        AtomicLong nanos = new AtomicLong();
        CrawlResult brief = new Crawl(new CrawlLimits(50, Duration.ofSeconds(60), Duration.ofSeconds(60), 1000), PageClient.usual(),
                () -> nanos.addAndGet(Duration.ofSeconds(2).toNanos())).of(start(), Optional.empty());
        assertThat(brief.pages()).isBetween(2, 20);
        assertThat(brief.end()).startsWith("60 s is the limit; ");
        links("/long");
        page("/long", "x".repeat(1001));
        CrawlResult cut = new Crawl(new CrawlLimits(50, Duration.ofSeconds(60), Duration.ofSeconds(60), 1000)).of(start(), Optional.empty());
        assertThat(cut.failed()).containsExactly(new Mark("/long", List.of("longer than 0 KB")));
        assertThatThrownBy(() -> new CrawlLimits(0, Duration.ofSeconds(1), Duration.ofSeconds(1), 1)).hasMessageContaining("limits above 0");
    }

    @Test
    void aPageThatFailsDoesNotEndTheCrawl() throws Exception {
        links("/broken", "/a");
        pages.put("/broken", exchange -> {
            throw new IOException("the application died");
        });
        page("/a", "<p>same");
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactly("/", "/a");
        assertThat(result.failed()).hasSize(1);
        assertThat(result.failed().get(0).text()).startsWith("GET " + start() + "broken at 127.0.0.1 port ").endsWith("the server closed without an answer");
    }

    @Test
    void aStartThatIsNoPageIsOneClearError() throws Exception {
        pages.put("/", exchange -> {
            exchange.getResponseHeaders().set("Location", "https://elsewhere.example/");
            return "";
        });
        assertThatThrownBy(this::crawl).isInstanceOf(IOException.class)
                .hasMessage("GET " + start() + ": leads to another site, https://elsewhere.example/; give that URL");
        pages.remove("/");
        assertThatThrownBy(this::crawl).hasMessage("GET " + start() + ": expected an HTML page, got 404 text/html; charset=UTF-8");
        server.stop(0);
        assertThatThrownBy(this::crawl).isInstanceOf(IOException.class).hasMessageContaining("Connection refused").hasMessageNotContaining("\n");
    }

    @Test
    void aStartThatLeadsToAnotherHostIsLookedAtByThatName() throws Exception {
        pages.put("/", exchange -> {
            boolean named = header(exchange, "Host").equals("wiki.example");
            if (!named) {
                exchange.getResponseHeaders().set("Location", "http://Wiki.example/");
            }
            return named ? "<meta name=generator content='MediaWiki 1.39.7'><a href=http://wiki.example/a>x</a>" : "";
        });
        page("/a", "<meta name=generator content=' Other 2 '><meta name=generator content=''>");
        CrawlResult result = crawl();
        assertThat(result.storable()).containsExactly("/", "/a");
        assertThat(result.start()).isEqualTo("http://wiki.example/");
        assertThat(result.site()).isEqualTo(new WebSite(false, "wiki.example", 80));
        assertThat(result.remarks()).containsExactly(start() + " leads to http://wiki.example/: that site was looked at, at the same address");
        assertThat(result.generators()).containsExactly("MediaWiki 1.39.7", "Other 2");
        assertThat(List.copyOf(headers).subList(1, headers.size())).allMatch(one -> one.getFirst("Host").equals("wiki.example"));
    }

    @Test
    void aRedirectOfTheSiteItselfMayComeFirst() throws Exception {
        pages.put("/", exchange -> {
            exchange.getResponseHeaders().set("Location", "/wiki/");
            return "";
        });
        pages.put("/wiki/", exchange -> {
            if (!header(exchange, "Host").equals("wiki.example")) {
                exchange.getResponseHeaders().set("Location", "http://wiki.example/wiki/");
            }
            return "<p>same";
        });
        assertThat(crawl().storable()).containsExactly("/wiki/");
    }

    @Test
    void onlyOneRedirectToAnotherHostIsFollowed() throws Exception {
        pages.put("/", exchange -> {
            exchange.getResponseHeaders().set("Location", "http://" + (header(exchange, "Host").equals("a.example") ? "b" : "a") + ".example/");
            return "";
        });
        assertThatThrownBy(this::crawl).hasMessage("GET http://a.example/: leads to another site, http://b.example/; give that URL");
        for (String location : List.of("http://user@a.example/", "http://a b/", "ftp://a.example/", "http://127.0.0.1:1/")) {
            pages.put("/", exchange -> {
                exchange.getResponseHeaders().set("Location", location);
                return "";
            });
            assertThatThrownBy(this::crawl).hasMessage("GET " + start() + ": leads to another site, " + location + "; give that URL");
        }
        pages.put("/", exchange -> {
            exchange.getResponseHeaders().set("Location", "/");
            return "";
        });
        assertThatThrownBy(this::crawl).hasMessage("GET " + start() + ": expected an HTML page, got nothing but redirects");
    }

    @Test
    void aPageWhoseUrlNamesTheVisitorIsNoLeak() throws Exception {
        links("/User_talk:127%2E0.0.2", "/?title=User_talk%3A127%2E0%2E0%2E2", "/talk");
        page("/User_talk:127%2E0.0.2", "<p>Talk of 127.0.0.2");
        page("/?title=User_talk%3A127%2E0%2E0%2E2", "<p>Talk of 127.0.0.2");
        page("/talk", "<p>Talk of 127.0.0.2");
        CrawlResult result = crawl();
        assertThat(result.leaking()).containsExactly(new Mark("/talk", List.of("the client's address")));
        assertThat(result.storable()).containsExactly("/");
    }

    @Test
    void anotherAddressMayBeAskedForTheSameSite() throws Exception {
        links("/a", "http://shop.example/b");
        page("/a", "<p>same");
        page("/b", "<p>same");
        URI site = URI.create("http://shop.example/");
        CrawlResult result = new Crawl(CrawlLimits.brief()).of(site, Optional.of("127.0.0.1:" + server.getAddress().getPort()));
        assertThat(result.storable()).containsExactly("/", "/a", "/b");
        assertThat(headers).allMatch(one -> one.getFirst("Host").equals("shop.example"));
    }
}
