// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What two strangers saw of a site. Pages are named by path and query, as asked. A page of {@code storable} is in no other
 * list; a page may be in several of the others, but {@code differing} and {@code reflecting} have only pages that their
 * answers allow to be stored.
 *
 * @param site           that was looked at
 * @param start          URL of the first page
 * @param pages          how many addresses were looked at
 * @param took           the whole crawl
 * @param end            why it ended, in words
 * @param route          where it was asked for
 * @param remarks        what else is to be known of how it was reached, in words
 * @param generators     what its HTML pages say that they were made by, such as {@code MediaWiki 1.39.7}
 * @param storable       200, HTML, allowed by the answer, the same for both strangers, nothing of the request in it
 * @param differing      were different for the two strangers, or change with each request
 * @param settingCookies set cookies, by name
 * @param sayingPrivate  say that they must not be shared, by header
 * @param reflecting     hold something of the request: the client's address, its User-Agent or its Accept-Language
 * @param leaking        what the second stranger got holds something of the first one's request: a cache hands it on
 * @param others         redirects, errors and what is no HTML
 * @param failed         could not be read whole, and why
 * @param fromStore      how many answers came from a store already ({@code X-Cache: HIT})
 */
public record CrawlResult(WebSite site, String start, int pages, Duration took, String end, VisitRoute route,
        List<String> remarks, List<String> generators, List<String> storable, List<Difference> differing, List<Mark> settingCookies,
        List<Mark> sayingPrivate, List<Mark> reflecting, List<Mark> leaking, List<Mark> others, List<Mark> failed, int fromStore) {

    public CrawlResult {
        remarks = List.copyOf(remarks);
        generators = List.copyOf(generators);
        storable = List.copyOf(storable);
        differing = List.copyOf(differing);
        settingCookies = List.copyOf(settingCookies);
        sayingPrivate = List.copyOf(sayingPrivate);
        reflecting = List.copyOf(reflecting);
        leaking = List.copyOf(leaking);
        others = List.copyOf(others);
        failed = List.copyOf(failed);
    }

    /**
     * Something about a page.
     *
     * @param what the names of the cookies, the header, the kind of what is reflected
     */
    public record Mark(String page, List<String> what) {
        public Mark {
            what = List.copyOf(what);
        }

        /** All of it in one text. */
        public String text() {
            return String.join(", ", what);
        }
    }

    /**
     * Where two answers differ first.
     *
     * @param where  "byte N" of the body, "header NAME", or "status"
     * @param offset in the body that the first stranger got, bytes; -1 when the difference is in status or headers
     * @param first  what the first stranger got there, a few letters
     * @param second what the second got
     * @param always true when it changes with each request of the same stranger as well
     */
    public record Difference(String page, String where, int offset, String first, String second, boolean always) {

        /** In words. */
        public String text() {
            return where + ": \"" + first + "\" and \"" + second + "\""
                    + (always ? "; it changes with each request" : "; it differs between two visitors");
        }
    }

    /** What the crawl cannot see, in words; empty when both strangers had an address of their own. */
    public Optional<String> caveat() {
        return route.caveat();
    }

    /** The names of all cookies that strangers get, without repetition. */
    public List<String> cookieNames() {
        return settingCookies.stream().flatMap(mark -> mark.what().stream()).distinct().toList();
    }

    /** The pages that are 200 and HTML and were read whole. */
    public int compared() {
        return pages - others.size() - failed.size();
    }
}
