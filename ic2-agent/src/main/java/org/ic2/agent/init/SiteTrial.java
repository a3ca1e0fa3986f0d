// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.agent.application.PageRules;
import org.ic2.agent.application.WebApplication;
import org.ic2.agent.crawl.Counted;
import org.ic2.agent.crawl.CrawlResult;
import org.ic2.agent.crawl.WebSite;
import org.ic2.runtime.host.BoundedText;

/**
 * Looks at the pages of a found application as two strangers see them, and leaves of its entry only what they have seen to be
 * the same for both. mod_standby has the last word on each page; this decides what it is asked to store at all.
 */
public final class SiteTrial {

    private static final int MOST_NAMED = 5;

    private final TargetSystem machine;
    private final SiteVisit visit;
    private final int plainPort;

    /** @param plainPort on which httpd takes requests without TLS */
    private SiteTrial(TargetSystem machine, SiteVisit visit, int plainPort) {
        this.machine = machine;
        this.visit = visit;
        this.plainPort = plainPort;
    }

    /** Looks at all applications that were found. */
    public static List<TriedApplication> all(SiteFacts facts, TargetSystem machine, SiteVisit visit) throws InterruptedException {
        SiteTrial trial = new SiteTrial(machine, visit, SiteAddress.plainPort(facts.config()));
        List<TriedApplication> tried = new ArrayList<>();
        for (FoundApplication found : facts.applications()) {
            tried.add(trial.of(found, facts.running()));
        }
        return tried;
    }

    /** A crawl and where it went to; the site may call itself otherwise. */
    private record Walk(SiteAddress site, CrawlResult result) {

        WebSite web() {
            return result.site();
        }
    }

    private TriedApplication of(FoundApplication found, boolean running) throws InterruptedException {
        WebApplication application = found.application().below(found.prefix());
        List<String> seen = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        if (application.cacheable()) {
            Optional<Walk> walk = running ? walk(found, seen) : Optional.empty();
            if (!running) {
                seen.add("httpd does not run, so no page could be looked at");
            }
            if (walk.isPresent()) {
                application = judged(withNamespaces(application, found, walk.get(), seen), walk.get(), seen, missing);
            } else {
                application = application.with(application.pages().only(List.of()));
            }
        }
        if (!application.cacheable()) {
            seen.add(found.application().cacheable() ? "no page of it will be stored: none was seen to be the same for everybody"
                    : "no page of it can be stored: " + String.join(" ", found.application().notes()));
        }
        return new TriedApplication(found, application, brownout(found), seen, missing);
    }

    /** The first of its sites whose pages can be had. */
    private Optional<Walk> walk(FoundApplication found, List<String> seen) throws InterruptedException {
        List<String> problems = new ArrayList<>();
        for (SiteAddress site : found.sites()) {
            try {
                return Optional.of(new Walk(site, visit.crawl(site, found.prefix() + "/")));
            } catch (IOException | IllegalArgumentException e) {
                problems.add(BoundedText.brief(String.valueOf(e.getMessage())));
            }
        }
        problems.stream().limit(MOST_NAMED).forEach(problem -> seen.add("its pages could not be looked at: " + problem));
        return Optional.empty();
    }

    private WebApplication withNamespaces(WebApplication application, FoundApplication found, Walk walk, List<String> seen) {
        WebApplication.Pages pages = application.pages();
        if (pages.namespacesApi().isEmpty()) {
            return application;
        }
        try {
            SiteNamespaces names = SiteNamespaces.parse(visit.text(walk.site(), walk.web(), found.prefix() + "/" + pages.namespacesApi()
                    + SiteNamespaces.QUERY));
            seen.add(Counted.of(names.content().size(), "name of a namespace comes", "names of namespaces come") + " from its API");
            if (!names.unusable().isEmpty()) {
                seen.add("pages of these namespaces are not stored, as httpd's configuration cannot name them: "
                        + String.join(", ", names.unusable()));
            }
            return application.with(pages.withNamespaces(names.content(), names.exceptions()));
        } catch (IOException e) {
            seen.add("its API does not tell its namespaces, so only pages of the English ones are stored: "
                    + BoundedText.brief(String.valueOf(e.getMessage())));
            return application;
        }
    }

    private WebApplication judged(WebApplication application, Walk walk, List<String> seen, List<String> missing) {
        PageRules rules = new PageRules(application);
        CrawlResult result = walk.result();
        List<CrawlResult.Difference> differing = new ArrayList<>();
        List<String> storable = new ArrayList<>(result.storable());
        long end = System.nanoTime() + visit.limits().time().toNanos();
        for (CrawlResult.Difference difference : result.differing()) {
            if (rules.pattern(difference.page()).isEmpty() || System.nanoTime() > end
                    || !sameButForMasks(application, walk, difference.page())) {
                differing.add(difference);
            } else {
                storable.add(difference.page());
            }
        }
        Set<String> patterns = storable.stream().flatMap(page -> rules.pattern(page).stream()).collect(Collectors.toCollection(TreeSet::new));
        seen.addAll(result.remarks());
        long storables = storable.stream().filter(page -> rules.pattern(page).isPresent()).count();
        seen.add(storables + " of " + Counted.of(result.pages(), "address", "addresses") + (storables == 1 ? " has" : " have")
                + " a page that may be stored (" + result.start() + ", from this machine)");
        name(seen, rules, differing.stream().map(difference -> new CrawlResult.Mark(difference.page(), List.of(difference.text()))),
                "differ between two visitors");
        name(seen, rules, result.reflecting().stream(), "show something of the request");
        name(seen, rules, result.leaking().stream(), "show one visitor's data to another already (the application does, or a cache before it)");
        name(seen, rules, result.settingCookies().stream(), "set a cookie");
        name(seen, rules, result.sayingPrivate().stream(), "say that they are private");
        application.pages().patterns().stream().filter(pattern -> !patterns.contains(pattern)).forEach(pattern ->
                seen.add("no page of " + pattern + " was seen to be the same for everybody; it is left out"));
        if (patterns.isEmpty() && result.sayingPrivate().stream().anyMatch(mark -> rules.pattern(mark.page()).isPresent())) {
            application.linesIfPrivate(walk.web().host(), plainPort).forEach(line -> missing.add("in the configuration of "
                    + application.name() + ", whose pages say that they are private: " + line));
        }
        return application.with(application.pages().only(application.pages().patterns().stream().filter(patterns::contains).toList()));
    }

    /** A crawl compares all of a page; this leaves out what the application's entry names. */
    private boolean sameButForMasks(WebApplication application, Walk walk, String page) {
        if (application.answers().masks().isEmpty() && application.answers().ignoredHeaders().isEmpty()) {
            return false;
        }
        try {
            return MaskedAnswer.same(visit.get(walk.site(), walk.web(), page, 0), visit.get(walk.site(), walk.web(), page, 1),
                    application.answers());
        } catch (IOException e) {
            return false;
        }
    }

    /** Of pages that the entry would have stored. */
    private static void name(List<String> seen, PageRules rules, Stream<CrawlResult.Mark> marks, String what) {
        List<CrawlResult.Mark> all = marks.filter(mark -> rules.pattern(mark.page()).isPresent()).toList();
        if (!all.isEmpty()) {
            seen.add("pages that " + what + " (" + all.size() + "): " + all.stream().limit(MOST_NAMED)
                    .map(mark -> mark.page() + " (" + BoundedText.brief(mark.text()) + ")").collect(Collectors.joining(", "))
                    + (all.size() > MOST_NAMED ? ", ..." : ""));
        }
    }

    private boolean brownout(FoundApplication found) {
        WebApplication.Brownout brownout = found.application().brownout();
        return brownout.possible() && (brownout.files().isEmpty() || brownout.files().stream().anyMatch(file ->
                machine.has(file.startsWith("/") ? file : found.root() + "/" + file)));
    }
}
