// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jsoup.nodes.Document;

/**
 * Two strangers follow a site's own links: two client addresses, two browsers, no cookies. Each page is asked for twice at
 * least and compared. GET only, one request at a time, never off the site (scheme, host and port of the start), within
 * {@link CrawlLimits}. If the start leads to another host, that name is taken for the site's, once, and asked for at the same
 * address. Works for any web server.
 */
public final class Crawl {

    private static final int MOST_WAITING = 20_000;

    private final CrawlLimits limits;
    private final Optional<PageClient> client;
    private final LongSupplier nanoClock;
    private final InstantSource clock;
    private final Likeness likeness;

    /** With Java's own authorities for https, and any certificate where the connection stays on this machine. */
    public Crawl(CrawlLimits limits) {
        this(limits, (generators, route, one, other) -> false);
    }

    /** The same; pages that are alike count as the same. */
    public Crawl(CrawlLimits limits, Likeness likeness) {
        this(limits, Optional.empty(), System::nanoTime, InstantSource.system(), likeness);
    }

    /** @param client for those who believe other authorities */
    public Crawl(CrawlLimits limits, PageClient client, LongSupplier nanoClock) {
        this(limits, Optional.of(client), nanoClock, InstantSource.system(), (generators, route, one, other) -> false);
    }

    /**
     * @param client    empty: as the site's address asks for
     * @param nanoClock monotonic, ns
     * @param clock     of the wall, for headers that say a time
     */
    private Crawl(CrawlLimits limits, Optional<PageClient> client, LongSupplier nanoClock, InstantSource clock,
            Likeness likeness) {
        this.limits = limits;
        this.client = client;
        this.nanoClock = nanoClock;
        this.clock = clock;
        this.likeness = likeness;
    }

    /** Tells whether two answers that are not the same differ in nothing that means something. */
    public interface Likeness {

        /**
         * Compares.
         *
         * @param generators what the site's pages have said so far that they were made by
         * @throws IOException when one cannot be read
         */
        boolean alike(List<String> generators, VisitRoute route, WebAnswer one, WebAnswer other) throws IOException;
    }

    /** A page to look at, and where its link was. */
    private record Step(String target, String referer) {
    }

    /** A site and the path and query of a page of it. */
    private record Lead(WebSite site, String target) {
    }

    /** A crawl under way. */
    private record Walk(WebSite site, VisitRoute address, PageClient client, long began, boolean moved, Deque<Step> waiting,
            Set<String> known) {

        /** The same at another site's first page. */
        Walk moved(Lead lead) {
            Walk there = new Walk(lead.site, address, client, began, true, new ArrayDeque<>(), new HashSet<>());
            there.add(lead.target, "");
            return there;
        }

        void add(String target, String referer) {
            if (known.size() < MOST_WAITING && known.add(target)) {
                waiting.add(new Step(target, referer));
            }
        }

        Optional<InetAddress> from(Stranger stranger) {
            return address.visitors().isEmpty() ? Optional.empty() : Optional.of(address.visitors().get(stranger.ordinal()));
        }
    }

    /** What one stranger got. */
    record View(WebAnswer answer, byte[] body) {

        String text() {
            StringBuilder all = new StringBuilder();
            answer.headers().forEach(header -> all.append(header.name()).append(": ").append(header.value()).append('\n'));
            return all.append(new String(body, StandardCharsets.ISO_8859_1)).toString();
        }
    }

    /**
     * Crawls.
     *
     * @param start the first page, as {@link WebSite#page} has checked it
     * @param at    {@code ADDRESS[:PORT]} to connect to instead of the host's own address
     * @throws IOException in one line, when the first page cannot be had or leads off the site
     */
    public CrawlResult of(URI start, Optional<String> at) throws IOException, InterruptedException {
        WebSite site = WebSite.of(start);
        VisitRoute route = VisitRoute.of(site, at);
        Walk walk = new Walk(site, route, client.orElseGet(() -> PageClient.to(route)), nanoClock.getAsLong(), false, new ArrayDeque<>(),
                new HashSet<>());
        walk.add(WebSite.target(start), "");
        CrawlNotes notes = new CrawlNotes(site, WebSite.target(start), route);
        route.uncheckedCertificate(site).filter(remark -> client.isEmpty()).ifPresent(notes::remark);
        String end = "the site has no further links";
        while (!walk.waiting().isEmpty()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted in the middle of a crawl");
            }
            if (notes.pages() == limits.pages() || left(walk).isZero()) {
                end = (notes.pages() == limits.pages() ? Counted.of(limits.pages(), "page") : limits.time().toSeconds() + " s")
                        + " is the limit; " + Counted.of(walk.waiting().size(), "known link was", "known links were") + " not followed";
                break;
            }
            Optional<Lead> other = look(walk, walk.waiting().remove(), notes);
            if (other.isPresent()) {
                walk = walk.moved(other.get());
                notes.moved(other.get().site(), other.get().target());
            }
        }
        if (!notes.begun() && walk.waiting().isEmpty()) {
            throw new IOException("GET " + start + ": expected an HTML page, got nothing but redirects");
        }
        return notes.result(took(walk), end);
    }

    private Duration took(Walk walk) {
        return Duration.ofNanos(nanoClock.getAsLong() - walk.began());
    }

    private Duration left(Walk walk) {
        Duration left = limits.time().minus(took(walk));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Looks at a page; where the site's first one leads to, if that is another site. */
    private Optional<Lead> look(Walk walk, Step step, CrawlNotes notes) throws IOException {
        String page = step.target();
        notes.count();
        try {
            View one = view(walk, step, Stranger.CHROME);
            if (!one.answer().isHtml() || one.answer().status() != 200 || one.answer().isFile()) {
                notes.other(page, one.answer());
                return follow(walk, step, one, notes);
            }
            View other = view(walk, step, Stranger.FIREFOX);
            follow(walk, step, one, notes);
            if (one.answer().cut() || other.answer().cut()) {
                notes.failed(page, "longer than " + limits.answerBytes() / 1024 + " KB");
                return Optional.empty();
            }
            Optional<PageComparison.Place> place = notes.compared(page, one, other, clock.instant());
            if (place.isPresent() && likeness.alike(notes.generators(), walk.address(), one.answer(), other.answer())) {
                notes.alike(page);
            } else if (place.isPresent()) {
                // the same stranger once more: does it change with the visitor, or each time?
                View again = view(walk, step, Stranger.CHROME);
                notes.differs(page, place.get(), PageComparison.of(one.answer(), one.body(), again.answer(), again.body()).isPresent());
            }
        } catch (IOException e) {
            if (!notes.begun()) {
                throw e;
            }
            notes.failed(page, e.getMessage());
        }
        return Optional.empty();
    }

    private Optional<Lead> follow(Walk walk, Step step, View view, CrawlNotes notes) throws IOException {
        String base = walk.site().url(step.target());
        int status = view.answer().status();
        if (status >= 300 && status < 400) {
            String to = PageLinks.redirect(view.answer(), base);
            Optional<String> inside = walk.site().inside(to);
            inside.filter(PageLinks::wanted).ifPresent(target -> walk.add(target, step.referer()));
            if (inside.isEmpty() && !notes.begun()) {
                Optional<WebSite> other = walk.site().sibling(to).filter(sibling -> !walk.moved());
                return Optional.of(other.flatMap(sibling -> sibling.inside(to).map(target -> new Lead(sibling, target))).orElseThrow(() ->
                        new IOException("GET " + base + ": leads to another site, " + view.answer().header("Location").orElse("nowhere")
                        + "; give that URL")));
            }
        } else if (status == 200 && view.answer().isHtml()) {
            Optional<Document> page = PageLinks.parsed(view.body(), view.answer(), base);
            notes.html(page.map(PageLinks::generators).orElse(List.of()));
            page.ifPresent(document -> PageLinks.of(document, walk.site()).forEach(target -> walk.add(target, base)));
        } else if (!notes.begun()) {
            throw new IOException("GET " + base + ": expected an HTML page, got " + CrawlNotes.describe(view.answer()));
        }
        return Optional.empty();
    }

    private View view(Walk walk, Step step, Stranger stranger) throws IOException {
        Duration left = left(walk);
        Duration within = left.compareTo(limits.answerTime()) > 0 ? limits.answerTime() : left.plusMillis(1);
        WebAnswer answer = walk.client().get(new PageClient.Request(walk.site(), walk.address().server(), step.target(), walk.from(stranger),
                stranger.headers(step.referer()), within, limits.answerBytes(), true));
        return new View(answer, answer.plain(limits.answerBytes()));
    }

    /** What of its own request a stranger's answer holds, and what of another's, by kind. */
    static List<String> found(View view, Stranger stranger, InetAddress address) {
        String text = view.text();
        return stranger.secrets(address.getHostAddress()).stream().filter(secret -> text.contains(secret.getValue()))
                .map(Map.Entry::getKey).toList();
    }
}
