// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.crawl.Crawl;
import org.ic2.agent.crawl.CrawlLimits;
import org.ic2.agent.crawl.CrawlResult;
import org.ic2.agent.crawl.PageClient;
import org.ic2.agent.crawl.VisitRoute;
import org.ic2.agent.crawl.WebAnswer;
import org.ic2.agent.crawl.WebSite;

/** How init looks at the sites of this machine. Reads only. */
public final class SiteVisit {

    private static final Duration ANSWER_TIME = Duration.ofSeconds(10);
    private static final int ANSWER_BYTES = 2 * 1024 * 1024;
    /** Of the two visitors. */
    private static final List<String> AGENTS = List.of("Mozilla/5.0 (Windows NT 10.0)", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0)");

    private final CrawlLimits limits;

    /** @param limits of each crawl, and the time of each second look */
    public SiteVisit(CrawlLimits limits) {
        this.limits = limits;
    }

    CrawlLimits limits() {
        return limits;
    }

    /** Two strangers follow the links of a site. */
    CrawlResult crawl(SiteAddress site, String target) throws IOException, InterruptedException {
        return new Crawl(limits).of(site.page(target), Optional.of(site.here()));
    }

    /**
     * A page as a stranger gets it.
     *
     * @param site    where to connect to
     * @param web     as the site names itself
     * @param visitor 0 or 1
     */
    WebAnswer get(SiteAddress site, WebSite web, String target, int visitor) throws IOException {
        VisitRoute route = VisitRoute.of(web, Optional.of(site.here()));
        return PageClient.to(route).get(new PageClient.Request(web, route.server(), target, Optional.of(route.visitors().get(visitor)),
                Map.of("User-Agent", AGENTS.get(visitor), "Accept", "text/html,*/*;q=0.8"), ANSWER_TIME, ANSWER_BYTES, false));
    }

    /** The text of an answer of status 200. */
    String text(SiteAddress site, WebSite web, String target) throws IOException {
        WebAnswer answer = get(site, web, target, 0);
        if (answer.status() != 200) {
            throw new IOException("GET " + web.url(target) + ": expected status 200, got " + answer.status());
        }
        return new String(answer.plain(ANSWER_BYTES), StandardCharsets.UTF_8);
    }
}
