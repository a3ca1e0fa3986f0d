// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.load.http.Form;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.Request;
import org.ic2.load.http.Response;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.Built;
import org.ic2.load.workload.PageError;

/**
 * The application as one user's browser sees it: fetches pages with their files and checks of each page that it is the
 * expected one and was built for this user. Contract: section 1 of the web application's README.
 */
final class Site {
    private static final String ANONYMOUS = "anon";
    private static final Pattern SIZE = Pattern.compile("\"(events|persons|tags)\"\\s*:\\s*(\\d{1,9})");

    /**
     * How much was loaded: ids run from 1.
     *
     * @param events  number of events
     * @param persons number of persons
     * @param tags    number of tags
     */
    record Size(int events, int persons, int tags) {
    }

    private final HttpUser browser;
    private final LoadObserver observer;
    private final Clock clock;
    private final PageFiles files;
    private String user = ANONYMOUS;

    Site(HttpUser browser, LoadObserver observer, Clock clock, PageFiles files) {
        this.browser = browser;
        this.observer = observer;
        this.clock = clock;
        this.files = files;
    }

    boolean loggedIn() {
        return !user.equals(ANONYMOUS);
    }

    /** Another visitor, anonymous, takes over; the files in the browser stay. */
    void becomeAnonymous() {
        browser.forgetCookies();
        user = ANONYMOUS;
    }

    /** A visitor logs in at a browser that perhaps has no files. */
    void newSession(boolean emptyCache) {
        becomeAnonymous();
        files.newSession(emptyCache);
    }

    /** Asks the server how much is loaded. */
    Size size() throws IOException {
        Response response = browser.send(Request.page("/api/size"));
        String text = response.status() == 200 ? response.text() : "";
        int events = 0;
        int persons = 0;
        int tags = 0;
        for (Matcher m = SIZE.matcher(text); m.find(); ) {
            int n = Integer.parseInt(m.group(2));
            switch (m.group(1)) {
                case "events" -> events = n;
                case "persons" -> persons = n;
                default -> tags = n;
            }
        }
        if (events < 1 || persons < 1 || tags < 1) {
            throw new PageError("GET /api/size: expected events, persons and tags of at least 1, got status "
                    + response.status() + " " + text);
        }
        return new Size(events, persons, tags);
    }

    /** The words of the loaded tags, in the order of their ids. */
    String[] tagWords(int count) throws IOException {
        Response response = browser.send(Request.page("/api/tags"));
        String[] words = response.status() == 200 ? response.text().split("\n") : new String[0];
        if (words.length < count) {
            throw new PageError("GET /api/tags: expected " + count + " words, got status " + response.status() + " and " + words.length);
        }
        return words;
    }

    /** Fetches a page with its files. */
    void visit(String path, String name) throws IOException {
        try (Page page = open(Request.page(path), name)) {
            files.of(name, page);
        }
    }

    /** Fetches a page with its files and returns the token of its form. */
    String form(String path, String name) throws IOException {
        try (Page page = open(Request.page(path), name)) {
            files.of(name, page);
            return page.token();
        }
    }

    /** Logs in, from the form's post to the home page that follows. */
    void login(String id, Form form) throws IOException {
        String target = post("/login", form);
        user = id;
        try {
            visit(target, "home");
        } catch (IOException e) {
            becomeAnonymous();
            throw e;
        }
    }

    /** Posts a form and fetches the page to which the server redirects. */
    void submit(String path, Form form, String nextPage) throws IOException {
        visit(post(path, form), nextPage);
    }

    /** The user logs out and sees the home page as a visitor. */
    void logOut(String token) throws IOException {
        String target = post("/logout", Form.urlEncoded(Map.of("_csrf", token)));
        user = ANONYMOUS;
        visit(target, "home");
    }

    /** Posts a form; returns the path to which the server redirects. */
    String post(String path, Form form) throws IOException {
        Response response = browser.send(Request.post(path, form));
        String location = response.header("location");
        if (response.status() != 303 || location == null || !location.startsWith("/")) {
            throw new PageError("POST " + path + ": expected 303 with a path as Location, got " + response.status()
                    + (location == null ? "" : " " + location), response.status());
        }
        if (location.equals("/login")) {
            user = ANONYMOUS;
            throw new PageError("POST " + path + ": the session is lost, the server asks to log in again");
        }
        return location;
    }

    private Page open(Request request, String name) throws IOException {
        long sent = clock.millis();
        Response response = browser.send(request);
        String where = request.method() + " " + request.path();
        if (response.status() != 200) {
            boolean toLogin = response.status() == 303 && "/login".equals(response.header("location"));
            user = toLogin ? ANONYMOUS : user;
            throw new PageError(where + ": expected 200, got " + response.status() + (toLogin ? " to /login" : ""), response.status());
        }
        checkUser(where, response.header("x-user"), "X-User");
        Page page = new Page(response);
        checkUser(where, page.user(), "data-user");
        if (!name.equals(page.name())) {
            throw new PageError(where + ": expected the page '" + name + "', got '" + page.name() + "'");
        }
        observer.page(Built.ofSeconds(where, response.header("x-built")).ageAt(sent));
        if ("left-out".equals(response.header("x-optional"))) {
            observer.pageLeftOut();
        }
        return page;
    }

    /** A page built for another visitor is the worst that a cache can do: it fails the operation and is counted apart. */
    private void checkUser(String where, String builtFor, String mark) throws PageError {
        if (user.equals(builtFor)) {
            return;
        }
        if (builtFor == null) {
            throw new PageError(where + ": expected " + mark + " " + user + ", got none");
        }
        if (builtFor.equals(ANONYMOUS)) {
            String lost = user;
            user = ANONYMOUS;
            throw new PageError(where + ": expected " + mark + " " + lost + ", got " + ANONYMOUS + ": the session is lost");
        }
        observer.leaked();
        throw PageError.leak(where + ": expected " + mark + " " + user + ", got " + builtFor);
    }
}
