// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.ic2.agent.crawl.CrawlResult.Difference;
import org.ic2.agent.crawl.CrawlResult.Mark;

/** A result that grows. Not thread-safe. */
final class CrawlNotes {

    private static final int MOST_GENERATORS = 10;

    private final VisitRoute route;
    private final Set<String> generators = new LinkedHashSet<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> storable = new ArrayList<>();
    private final List<Difference> differing = new ArrayList<>();
    private final List<Mark> cookies = new ArrayList<>();
    private final List<Mark> saysPrivate = new ArrayList<>();
    private final List<Mark> reflecting = new ArrayList<>();
    private final List<Mark> leaking = new ArrayList<>();
    private final List<Mark> others = new ArrayList<>();
    private final List<Mark> failed = new ArrayList<>();
    private int pages;
    private int fromStore;
    private WebSite site;
    private String start;
    private boolean begun;

    CrawlNotes(WebSite site, String target, VisitRoute route) {
        this.site = site;
        this.start = site.url(target);
        this.route = route;
    }

    /** Another site is looked at in the first one's place. */
    void moved(WebSite other, String target) {
        remarks.add(start + " leads to " + other.url(target) + ": that site was looked at, at the same address");
        site = other;
        start = other.url(target);
    }

    void remark(String text) {
        remarks.add(text);
    }

    /** An HTML page is there, and says that it was made by these. */
    void html(List<String> madeBy) {
        begun = true;
        madeBy.stream().filter(each -> generators.size() < MOST_GENERATORS).forEach(generators::add);
    }

    /** True once there was an HTML page. */
    boolean begun() {
        return begun;
    }

    void count() {
        pages++;
    }

    int pages() {
        return pages;
    }

    void other(String page, WebAnswer answer) {
        others.add(new Mark(page, List.of(describe(answer))));
    }

    /** Status, type, where it leads to, and that it is a file. */
    static String describe(WebAnswer answer) {
        return answer.status() + " " + answer.header("Content-Type").orElse("without a type")
                + answer.header("Location").map(to -> " to " + to).orElse("") + (answer.isFile() ? ", a file" : "");
    }

    void failed(String page, String why) {
        failed.add(new Mark(page, List.of(why)));
    }

    /** Judges an HTML page; where its answers differ, if that is all that keeps it from being storable. */
    Optional<PageComparison.Place> compared(String page, Crawl.View one, Crawl.View other, Instant now) {
        fromStore += (one.answer().isHit() ? 1 : 0) + (other.answer().isHit() ? 1 : 0);
        List<String> leaks = leaks(page, one, other);
        if (!leaks.isEmpty()) {
            leaking.add(new Mark(page, leaks));
        }
        List<String> names = both(one.answer().cookieNames(), other.answer().cookieNames());
        List<String> forbidden = both(StoreRules.forbidden(one.answer(), now), StoreRules.forbidden(other.answer(), now));
        if (!names.isEmpty()) {
            cookies.add(new Mark(page, names));
        }
        if (!forbidden.isEmpty()) {
            saysPrivate.add(new Mark(page, forbidden));
        }
        if (!names.isEmpty() || !forbidden.isEmpty()) {
            return Optional.empty();
        }
        List<String> reflected = both(Crawl.found(one, Stranger.CHROME, one.answer().client()),
                Crawl.found(other, Stranger.FIREFOX, other.answer().client()));
        Optional<PageComparison.Place> place = PageComparison.of(one.answer(), one.body(), other.answer(), other.body());
        if (!reflected.isEmpty()) {
            reflecting.add(new Mark(page, reflected));
            return Optional.empty();
        }
        if (place.isEmpty() && leaks.isEmpty()) {
            storable.add(page);
        }
        return place;
    }

    /** Its answers differ in nothing that means something. */
    void alike(String page) {
        if (leaking.stream().noneMatch(mark -> mark.page().equals(page))) {
            storable.add(page);
        }
    }

    List<String> generators() {
        return List.copyOf(generators);
    }

    /** What the second stranger's answer holds of the first one; an address that both have, or have asked for, says nothing. */
    private static List<String> leaks(String page, Crawl.View one, Crawl.View other) {
        List<String> leaks = Crawl.found(other, Stranger.CHROME, one.answer().client());
        boolean known = one.answer().client().equals(other.answer().client())
                || PageLinks.decoded(page).contains(one.answer().client().getHostAddress());
        return leaks.stream().filter(kind -> !known || !kind.contains("address")).toList();
    }

    private static List<String> both(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }

    void differs(String page, PageComparison.Place place, boolean always) {
        differing.add(new Difference(page, place.where(), place.offset(), place.first(), place.second(), always));
    }

    CrawlResult result(Duration took, String end) {
        return new CrawlResult(site, start, pages, took, end, route, remarks, generators(), storable, differing, cookies, saysPrivate, reflecting, leaking,
                others, failed, fromStore);
    }
}
