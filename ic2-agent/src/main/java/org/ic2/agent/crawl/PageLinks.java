// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** The links of a page that lead to pages of the same site. */
final class PageLinks {

    private static final int MOST = 2000;
    private static final int MOST_GENERATORS = 10;

    /**
     * Links that a polite visitor leaves alone. The list is short and incomplete, and nothing depends on it: a stranger
     * without a cookie may do nothing that needs a login, and a site that changes something for a plain GET does so for each
     * search engine too. It only spares a log some refused requests.
     */
    private static final Pattern IMPOLITE = Pattern.compile("log-?_?out|sign-?_?out|userlogout|delete|unsubscribe|[?&]action=(?:rollback|purge)");

    /** What is no page by its name is not asked for. */
    private static final Pattern NO_PAGE = Pattern.compile(".*\\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|js|json|xml|txt|pdf|zip|gz|tgz|bz2|xz|7z|deb|rpm"
            + "|exe|iso|mp[34]|ogg|webm|avi|mov|woff2?|ttf|odt|ods|docx?|xlsx?|pptx?)");

    private PageLinks() {
    }

    /**
     * Path and query of each link, in their order and without repetition.
     *
     * @param base the page's URL
     */
    static Set<String> of(byte[] html, WebAnswer answer, String base, WebSite site) {
        return parsed(html, answer, base).map(page -> of(page, site)).orElse(Set.of());
    }

    /** A page to look at; empty for one in a charset that Java has not. */
    static Optional<Document> parsed(byte[] html, WebAnswer answer, String base) {
        try {
            return Optional.of(Jsoup.parse(new ByteArrayInputStream(html), charset(answer), base));
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The links of a page. */
    static Set<String> of(Document page, WebSite site) {
        Set<String> links = new LinkedHashSet<>();
        for (Element link : page.select("a[href]")) {
            site.inside(link.absUrl("href")).filter(PageLinks::wanted).ifPresent(links::add);
            if (links.size() == MOST) {
                break;
            }
        }
        return links;
    }

    /** Where a redirect leads to, as a whole URL; empty when that is none. */
    static String redirect(WebAnswer answer, String base) {
        try {
            return new URL(new URL(base), answer.header("Location").orElse("")).toString();
        } catch (MalformedURLException e) {
            return "";
        }
    }

    /** What a page says that it was made by: {@code MediaWiki 1.39.7}. */
    static List<String> generators(Document page) {
        return page.select("meta[name=generator]").stream().map(element -> element.attr("content").strip())
                .filter(text -> !text.isEmpty()).limit(MOST_GENERATORS).toList();
    }

    private static String charset(WebAnswer answer) {
        String type = answer.header("Content-Type").orElse("");
        int at = type.toLowerCase(Locale.ROOT).indexOf("charset=");
        return at < 0 ? null : type.substring(at + "charset=".length()).split("[; ]", 2)[0].replace("\"", "");
    }

    /** True for what is asked for. */
    static boolean wanted(String target) {
        String small = decoded(target).toLowerCase(Locale.ROOT);
        return !IMPOLITE.matcher(small).find() && !NO_PAGE.matcher(small.split("\\?", 2)[0]).matches();
    }

    /** Path and query without their percent signs, where they are encoded well. */
    static String decoded(String target) {
        try {
            return URLDecoder.decode(target, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return target;
        }
    }
}
