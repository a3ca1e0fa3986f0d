// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a site is, where it is found, and which links stay on it. */
class SiteAndLinksTest {

    private static WebSite site(String url) {
        return WebSite.of(WebSite.page(url));
    }

    @Test
    void aPagesUrlIsChecked() {
        assertThat(site("https://Shop.example/a?b").authority()).isEqualTo("shop.example");
        assertThat(site("http://[::1]:8080/").authority()).isEqualTo("[::1]:8080");
        assertThat(WebSite.target(WebSite.page("http://a"))).isEqualTo("/");
        assertThat(WebSite.target(WebSite.page("http://a?b=%20"))).isEqualTo("/?b=%20");
        for (String wrong : List.of("localhost", "ftp://a/", "http:///", "http://a/#b", "http://user:word@a/", "http://a b/", "")) {
            assertThatThrownBy(() -> WebSite.page(wrong)).hasMessage("expected the URL of a page, such as http://localhost/, got \"" + wrong + "\"");
        }
    }

    @Test
    void onlySchemeHostAndPortOfTheSiteAreInside() {
        WebSite shop = site("http://shop.example/");
        assertThat(shop.inside("http://SHOP.example:80/a b?c=ü#d")).contains("/a%20b?c=%C3%BC");
        assertThat(shop.inside("http://shop.example?x")).contains("/?x");
        for (String outside : List.of("https://shop.example/", "http://shop.example:81/", "http://a.shop.example/", "http://user@shop.example/",
                "file:///etc/passwd", "javascript:x", "", "/a", "http://shop.example/" + "a".repeat(3000))) {
            assertThat(shop.inside(outside)).as(outside).isEmpty();
        }
    }

    @Test
    void linksAreReadFromBrokenHtmlToo() {
        byte[] html = "<a href='/1'><A HREF=/2 ><a href=\" /3?a&amp;b \"><p <a href=/4></p><a name=x><a href=/logout>".getBytes(StandardCharsets.UTF_8);
        WebAnswer answer = new WebAnswer(200, List.of(new WebAnswer.Header("Content-Type", "text/html; charset=no-such")), html, false,
                InetAddress.getLoopbackAddress());
        assertThat(PageLinks.of(html, answer, "http://shop.example/", site("http://shop.example/"))).as("an unknown charset").isEmpty();
        WebAnswer known = new WebAnswer(200, List.of(), html, false, InetAddress.getLoopbackAddress());
        assertThat(PageLinks.of(html, known, "http://shop.example/", site("http://shop.example/"))).contains("/1", "/2", "/3?a&b").doesNotContain("/logout");
    }

    @Test
    void aLocalAddressGivesTwoVisitors() throws Exception {
        VisitRoute here = VisitRoute.of(site("http://localhost:8080/"), Optional.empty());
        assertThat(here.server().toString()).endsWith("/127.0.0.1:8080");
        assertThat(here.visitors()).extracting(InetAddress::getHostAddress).containsExactly("127.0.0.2", "127.0.0.3");
        assertThat(here.caveat()).isEmpty();
        assertThat(VisitRoute.of(site("http://shop.example/"), Optional.of("127.0.0.1:81")).server().getPort()).isEqualTo(81);
        assertThat(VisitRoute.of(site("https://shop.example/"), Optional.of("127.0.0.1")).server().getPort()).isEqualTo(443);
        assertThat(VisitRoute.of(site("http://shop.example/"), Optional.of("[::1]:82")).server().getPort()).isEqualTo(82);
        assertThat(VisitRoute.of(site("http://shop.example/"), Optional.of("::1")).caveat().orElseThrow())
                .startsWith("both visitors have one address, as shop.example is 0:0:0:0:0:0:0:1, an IPv6 address");
    }

    @Test
    void anotherMachineHasOneVisitorAndSaysWhatThatHides() throws Exception {
        VisitRoute away = VisitRoute.of(site("http://192.0.2.1:1/"), Optional.empty());
        assertThat(away.visitors()).isEmpty();
        assertThat(away.caveat().orElseThrow()).startsWith("both visitors have one address, as 192.0.2.1 is 192.0.2.1, another machine: a page that"
                + " shows its visitor's address cannot be told").doesNotContain("--at");
    }

    @Test
    void atRefusesAnythingButAnAddress() {
        for (String wrong : List.of("", ":80", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x", "[::1", "no such host", "[]:80")) {
            assertThatThrownBy(() -> VisitRoute.of(site("http://shop.example/"), Optional.of(wrong))).as(wrong).isInstanceOf(IOException.class)
                    .hasMessage("--at: expected ADDRESS or ADDRESS:PORT, such as 127.0.0.1:8080, got \"" + wrong + "\"");
        }
        assertThatThrownBy(() -> VisitRoute.of(WebSite.of(URI.create("http://no-such-host.invalid/")), Optional.empty()))
                .hasMessage("no-such-host.invalid has no address here; --at ADDRESS says where to connect");
    }
}
