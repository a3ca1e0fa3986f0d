// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import java.io.IOException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.load.http.FileCache;
import org.ic2.load.http.Form;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.Request;
import org.ic2.load.http.Response;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.PageError;

/** The site as one browser sees it: fetches pages with their files, and checks of each page whose it is and how old. */
final class Visitor {
    private static final Pattern FILE = Pattern.compile("(?:src|href)=[\"'](?:https?://[^/\"']*)?"
            + "(/wp-(?:content|includes)/[!#-&(-;=?-~]+\\.(?:css|js|jpe?g|png|svg|gif|webp)(?:\\?[!#-&(-;=?-~]*)?)[\"']");

    private final HttpUser browser;
    private final LoadObserver observer;
    private final Clock clock;
    private final WordPressSettings settings;
    private final FileCache cache = new FileCache();
    private String name = Stamp.ANONYMOUS;

    Visitor(HttpUser browser, LoadObserver observer, Clock clock, WordPressSettings settings) {
        this.browser = browser;
        this.observer = observer;
        this.clock = clock;
        this.settings = settings;
    }

    HttpUser browser() {
        return browser;
    }

    /** Whether the site has been told who this is. */
    boolean known() {
        return !name.equals(Stamp.ANONYMOUS);
    }

    void emptyCache() {
        cache.clear();
    }

    /**
     * Fetches a page with its files.
     *
     * @param path where it is
     * @param mark what the page has to hold, such as the id of its post
     * @return the page
     */
    String visit(String path, String mark) throws IOException {
        long sent = clock.millis();
        Response response = browser.send(Request.page(path));
        String page = checked("GET " + path, response, sent, mark);
        if (settings.files()) {
            filesOf(page);
        }
        return page;
    }

    /** Asks for a page as a crawler: being told to come back later is an answer too, if it says when. */
    void crawl(String path) throws IOException {
        long sent = clock.millis();
        Response response = browser.send(Request.page(path));
        if (response.status() != 503 || response.header("retry-after") == null) {
            checked("GET " + path, response, sent, "");
        }
    }

    /** Logs in; the visitor is this member from now on. */
    void logIn(String login, String password) throws IOException {
        browser.forgetCookies();
        name = Stamp.ANONYMOUS;
        visit("/wp-login.php", "loginform");
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("log", login);
        fields.put("pwd", password);
        fields.put("testcookie", "1");
        Response response = browser.send(Request.post("/wp-login.php", Form.urlEncoded(fields)));
        if (response.status() != 302) {
            throw new PageError("POST /wp-login.php as " + login + ": expected 302, got " + response.status(), response.status());
        }
        name = "member:" + login;
    }

    /** Leaves a comment under a post, which has to be in the page that the site then sends its author to. */
    void comment(Pages.Address post, String author, String text) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("comment", text);
        fields.put("author", author);
        fields.put("email", author + "@example.org");
        fields.put("comment_post_ID", Integer.toString(post.post()));
        fields.put("comment_parent", "0");
        fields.put("wp-comment-cookies-consent", "yes");
        long sent = clock.millis();
        String where = "POST /wp-comments-post.php for " + post.path();
        Response response = browser.send(Request.post("/wp-comments-post.php", Form.urlEncoded(fields)));
        String location = response.header("location");
        if (response.status() != 302 || location == null || !location.contains(post.path())) {
            throw new PageError(where + ": expected 302 to the post, got " + response.status() + (location == null ? "" : " " + location),
                    response.status());
        }
        name = "commenter:" + author;
        String page = visit(post.path(), mark(post));
        if (!page.contains(text)) {
            double age = Stamp.of(where, page).built().ageAt(sent);
            throw new PageError("own comment: " + where + ": expected the author's own comment in the page, it is not there (the page was "
                    + (age > 0 ? "built " + age + " s before" : "built afterwards") + ")");
        }
    }

    /** What marks the page of a post. */
    static String mark(Pages.Address address) {
        return address.post() > 0 ? "postid-" + address.post() : "";
    }

    private String checked(String where, Response response, long sent, String mark) throws IOException {
        if (response.status() != 200) {
            if (response.status() == 302 && name.startsWith("member:")) {
                name = Stamp.ANONYMOUS;
            }
            throw new PageError(where + ": expected 200, got " + response.status(), response.status());
        }
        String page = response.text();
        Stamp stamp = Stamp.of(where, page);
        checkVisitor(where, stamp.visitor());
        if (!page.contains(mark)) {
            throw new PageError(where + ": expected a page with " + mark + ", got another one");
        }
        double age = stamp.built().ageAt(sent);
        observer.page(age);
        if (age > settings.oldest()) {
            throw new PageError("age: " + where + ": expected a page of at most " + settings.oldest() + " s, got one of " + age + " s");
        }
        return page;
    }

    /**
     * A page built for another visitor is the worst that a cache can do: it fails the operation and is counted apart. Who is known
     * but not logged in may be taken for anonymous (a level of the ladder), a member never.
     */
    private void checkVisitor(String where, String builtFor) throws PageError {
        boolean anonymous = builtFor.equals(Stamp.ANONYMOUS);
        if (builtFor.equals(name) || anonymous && name.startsWith("commenter:")) {
            return;
        }
        String expected = name;
        if (anonymous) {
            name = Stamp.ANONYMOUS;
            throw new PageError(where + ": expected a page for " + expected + ", got one for anonymous: the session is lost");
        }
        observer.leaked();
        throw PageError.leak(where + ": expected a page for " + expected + ", got one for " + builtFor);
    }

    private void filesOf(String page) throws IOException {
        for (Matcher m = FILE.matcher(page); m.find(); ) {
            String path = m.group(1).replace("&#038;", "&").replace("&amp;", "&");
            if (cache.add(path)) {
                fetch(path);
            }
        }
    }

    private void fetch(String path) throws IOException {
        boolean done = false;
        try {
            Response response = browser.follow(Request.file(path));
            if (response.status() != 200) {
                throw new PageError("GET " + path + ": expected 200, got " + response.status(), response.status());
            }
            observer.file(false);
            done = true;
        } finally {
            if (!done) {
                cache.remove(path);
            }
        }
    }
}
