// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.agent.application.Applications;
import org.ic2.agent.application.PageRules;
import org.ic2.agent.application.WebApplication;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.crawl.Crawl;
import org.ic2.agent.crawl.CrawlResult;
import org.ic2.agent.crawl.VisitRoute;
import org.ic2.agent.crawl.WebAnswer;
import org.ic2.agent.crawl.WebSite;
import org.ic2.agent.init.MaskedAnswer;

/**
 * What applications.yaml knows of the application of a site: which text of its pages means nothing ({@code masks}), and what to
 * add to its configuration where they say that they are private ({@code if-private}). The application is known by what its pages
 * say that they were made by. Where they say nothing, a site of this machine is taken for the application of the agent's
 * configuration, which {@code ic2 init} has found there. Pure.
 *
 * @param applications that are known
 * @param configured   the application's key in the agent's configuration, if there is one
 */
record ApplicationCheck(Applications applications, Optional<String> configured) implements Crawl.Likeness {

    private static final int HTTP = 80;

    /** Of a crawl; none where some page that the entry names may be shared. */
    List<Finding> of(CrawlResult result) {
        Optional<WebApplication> application = application(result).filter(ApplicationCheck::advises);
        if (application.isEmpty()) {
            return List.of();
        }
        PageRules rules = new PageRules(application.get());
        boolean some = result.sayingPrivate().stream().anyMatch(mark -> rules.pattern(mark.page()).isPresent());
        boolean all = Stream.of(result.storable().stream(), result.differing().stream().map(CrawlResult.Difference::page),
                result.reflecting().stream().map(CrawlResult.Mark::page)).flatMap(pages -> pages)
                .noneMatch(page -> rules.pattern(page).isPresent());
        return some && all ? lines(application.get(), result.site(), result.route()) : List.of();
    }

    /** Of a page; none where it may be shared. */
    List<Finding> of(PageView page, WebSite site, VisitRoute route) {
        return page.saysPrivate() ? application(page.generators(), route).filter(ApplicationCheck::advises).map(known -> lines(known, site, route)).orElse(List.of())
                : List.of();
    }

    /** The one that a crawl has seen. */
    Optional<WebApplication> application(CrawlResult result) {
        return application(result.generators(), result.route());
    }

    @Override
    public boolean alike(List<String> generators, VisitRoute route, WebAnswer one, WebAnswer other) throws IOException {
        Optional<WebApplication> application = application(generators, route);
        return application.isPresent() && MaskedAnswer.same(one, other, application.get().answers());
    }

    private static boolean advises(WebApplication application) {
        return !application.ifPrivate().isEmpty();
    }

    private Optional<WebApplication> application(List<String> generators, VisitRoute route) {
        return generators.isEmpty() && route.local() ? configured.flatMap(applications::find)
                : applications.byGenerator(generators);
    }

    /** A PURGE comes to the port of plain HTTP: the site's own, or the usual one where the site has TLS. */
    private static List<Finding> lines(WebApplication application, WebSite site, VisitRoute route) {
        int port = site.secure() ? HTTP : route.server().getPort();
        return application.linesIfPrivate(site.host(), port).stream().map(line -> new Finding(false, true, "application",
                "in the configuration of " + application.name() + ", whose pages say that they are private: " + line)).toList();
    }
}
