// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.crawl.PageClient;
import org.ic2.agent.crawl.VisitRoute;
import org.ic2.agent.crawl.WebSite;

/**
 * Those who look at the page of a trial: two strangers, the owner of some cookies, and a crawler. The store serves a page
 * only after builds for two client addresses were the same, so the strangers have an address each where that is possible.
 */
final class TrialVisitors {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Words that lists of crawlers have, in one name. */
    private static final String CRAWLER = "Mozilla/5.0 (compatible; ic2 check as bot crawler spider; GPTBot; CCBot; ClaudeBot; AhrefsBot;"
            + " SemrushBot; MJ12bot; DotBot; Bytespider; PetalBot; Amazonbot; bingbot)";

    private final WebSite site;
    private final String target;
    private final VisitRoute address;
    private final List<String> cookies;
    private final PageClient client;

    /** @param cookies {@code NAME=VALUE} of one person who is logged in, all sent in one request; none: nobody is */
    TrialVisitors(URI page, VisitRoute address, List<String> cookies) {
        site = WebSite.of(page);
        target = WebSite.target(page);
        this.address = address;
        client = PageClient.to(address);
        this.cookies = List.copyOf(cookies);
    }

    /**
     * What all see, one after the other.
     *
     * @param strangers the first, the second, the first again
     * @param owner     who has the cookies
     * @param crawler   somebody whose name is that of a crawler
     */
    record Visit(List<PageView> strangers, Optional<PageView> owner, PageView crawler) {

        long hits() {
            return strangers.stream().filter(PageView::hit).count();
        }

        PageView first() {
            return strangers.get(0);
        }
    }

    /** How many answers strangers get in a visit. */
    static final int LOOKS = 3;

    Visit visit() throws IOException {
        List<PageView> strangers = new ArrayList<>();
        for (int look = 0; look < LOOKS; look++) {
            strangers.add(view(look % 2, Map.of("User-Agent", "ic2 check")));
        }
        Optional<PageView> owner = cookies.isEmpty() ? Optional.empty()
                : Optional.of(view(0, Map.of("User-Agent", "ic2 check", "Cookie", String.join("; ", cookies))));
        return new Visit(strangers, owner, view(1, Map.of("User-Agent", CRAWLER)));
    }

    /** As browsers ask, compressed; what leaves the server then is what its visitors get. */
    private PageView view(int stranger, Map<String, String> own) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(own);
        headers.put("Accept", "text/html,*/*;q=0.8");
        headers.put("Accept-Encoding", "gzip");
        Optional<InetAddress> from = address.visitors().isEmpty() ? Optional.empty() : Optional.of(address.visitors().get(stranger));
        return PageView.of(client, new PageClient.Request(site, address.server(), target, from, headers, PATIENCE, PageView.LARGEST_PAGE, false));
    }

    /** Why hits cannot be expected: both strangers have one address. */
    Optional<String> caveat() {
        return address.caveat();
    }

    /** That the site's certificate is not checked, in words. */
    Optional<String> uncheckedCertificate() {
        return address.uncheckedCertificate(site);
    }

    /** What a page that says that it is private asks for. */
    List<Checkup.Finding> advice(ApplicationCheck application, PageView page) {
        return application.of(page, site, address);
    }

    /** The names of the owner's cookies. */
    String cookieNames() {
        return String.join(", ", cookies.stream().flatMap(each -> List.of(each.split(";")).stream())
                .map(each -> each.split("=", 2)[0].strip()).filter(name -> !name.isEmpty()).toList());
    }
}
