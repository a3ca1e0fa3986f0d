// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.ic2.agent.application.PageRules;
import org.ic2.agent.application.WebApplication;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.crawl.Counted;
import org.ic2.agent.crawl.CrawlResult;
import org.ic2.agent.crawl.CrawlResult.Difference;
import org.ic2.agent.crawl.CrawlResult.Mark;

/** A crawl in lines: for each kind of page how many there are, then examples. */
final class CrawlFindings {

    private static final String WHAT = "crawl";

    private final CrawlResult result;
    private final Optional<WebApplication> application;
    private final int examples;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param application that the pages are of, if it is known: what its lists do not name passes the store by
     * @param examples    of each kind at most
     */
    CrawlFindings(CrawlResult result, Optional<WebApplication> application, int examples) {
        this.result = result;
        this.application = application;
        this.examples = examples;
    }

    List<Finding> findings() {
        say(true, WHAT, "two strangers looked at " + Counted.of(result.pages(), "page") + " of " + result.start() + " in " + seconds(result.took()) + " s: "
                + result.end());
        result.remarks().forEach(remark -> say(false, WHAT, remark));
        result.caveat().ifPresent(caveat -> say(false, WHAT, caveat));
        if (result.fromStore() > 0) {
            say(false, WHAT, Counted.of(result.fromStore(), "answer") + " came from a store (X-Cache: HIT), which tells less: crawl at level 0");
        }
        kind("leak", result.leaking(), Mark::page, Mark::text, true, "page hands", "pages hand",
                " the second visitor something of the first one's request: the application shows it, or a cache mixes visitors up");
        List<String> storable = result.storable().stream().filter(this::isNamed).toList();
        say(!storable.isEmpty(), "stored", storable.size() + " of " + Counted.of(result.compared(), "HTML page") + " would be stored, and "
                + (storable.size() == 1 ? "is" : "are") + " the same for both");
        storable.stream().limit(examples).forEach(page -> say(true, "stored", "  " + page));
        List<String> unnamed = result.storable().stream().filter(page -> !isNamed(page)).toList();
        if (!unnamed.isEmpty()) {
            say(false, "passes by", Counted.of(unnamed.size(), "page is", "pages are") + " the same for both, but on no list of "
                    + application.map(WebApplication::name).orElse("") + ": never stored");
            unnamed.stream().limit(examples).forEach(page -> say(false, "passes by", "  " + page));
        }
        kind("differs", result.differing(), Difference::page, Difference::text, false, "page differs", "pages differ",
                " between the two; never served from the store");
        mark("reflects", result.reflecting(), "page holds", "pages hold", " something of the request; not stored");
        mark("sets cookies", result.settingCookies(), "page sets", "pages set", " cookies (" + String.join(", ", result.cookieNames()) + "); not stored");
        mark("private", result.sayingPrivate(), "page says that it must not be shared", "pages say that they must not be shared",
                "; not stored");
        mark("no page", result.others(), "address has", "addresses have", " a redirect, an error, a file or no HTML");
        mark("failed", result.failed(), "page", "pages", " could not be compared");
        return findings;
    }

    private boolean isNamed(String page) {
        return application.isEmpty() || new PageRules(application.get()).pattern(page).isPresent();
    }

    private static String seconds(Duration time) {
        return String.valueOf(Math.round(time.toMillis() / 100.0) / 10.0);
    }

    private void mark(String what, List<Mark> pages, String one, String many, String summary) {
        kind(what, pages, Mark::page, Mark::text, false, one, many, summary);
    }

    private <T> void kind(String what, List<T> pages, Function<T, String> page, Function<T, String> text, boolean bad, String one, String many,
            String summary) {
        if (!pages.isEmpty()) {
            findings.add(new Finding(false, bad, what, Counted.of(pages.size(), one, many) + summary));
            pages.stream().limit(examples).forEach(each ->
                    findings.add(new Finding(false, bad, what, "  " + page.apply(each) + ": " + text.apply(each))));
        }
    }

    private void say(boolean ok, String what, String text) {
        findings.add(new Finding(ok, false, what, text));
    }
}
