// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.ic2.load.spi.LoadObserver;

/**
 * The browser of one emulated user: one kept-alive connection, cookies, redirects.
 *
 * <p>A connection that the server closed while the user was thinking is no error. Either it is noticed at once and closed
 * on this side too (eager, as a browser does), or at its next use (lazy, as Faban's own transport does); then the request
 * is sent once more on a new connection, inside the operation's time, as browsers do. The server pays for lazy users: it
 * waits for their close. One thread uses an instance; any thread may close it.
 */
public final class HttpUser implements Closeable {
    private static final int MAX_REDIRECTS = 5;

    /**
     * What all users have in common.
     *
     * @param endpoint the server
     * @param tls      trust and resumption; unused when the endpoint speaks no TLS
     * @param eager    whether a close by the server is noticed while the user thinks
     * @param gzip     whether compressed answers are asked for
     * @param timeout  limit of one exchange, connecting included
     * @param keep     whether a connection serves several requests
     */
    public record Settings(ServerAddress endpoint, Tls tls, boolean eager, boolean gzip, Duration timeout, boolean keep) {
        /** With connections that serve several requests. */
        public Settings(ServerAddress endpoint, Tls tls, boolean eager, boolean gzip, Duration timeout) {
            this(endpoint, tls, eager, gzip, timeout, true);
        }
    }

    private final Settings settings;
    private final LoadObserver observer;
    private final String agent;
    private final CookieJar cookies;
    private final SSLContext sessions;
    private volatile Connection connection;
    private volatile boolean closed;
    private boolean serverClosed;
    private int visitor;

    /**
     * A user without cookies and without a connection.
     *
     * @param settings what all users have in common
     * @param observer hears of connections and bytes
     * @param clock    time of day, for the end of cookies
     */
    public HttpUser(Settings settings, LoadObserver observer, Clock clock) {
        this(settings, observer, clock, "Mozilla/5.0 (X11; Linux x86_64) ic2-load/1.0");
    }

    /**
     * A user without cookies and without a connection.
     *
     * @param settings what all users have in common
     * @param observer hears of connections and bytes
     * @param clock    time of day, for the end of cookies
     * @param agent    what the browser says that it is
     */
    public HttpUser(Settings settings, LoadObserver observer, Clock clock, String agent) {
        this.settings = settings;
        this.agent = agent;
        this.observer = observer;
        this.cookies = new CookieJar(clock);
        this.sessions = settings.endpoint().tls() && settings.tls().resumes() ? settings.tls().newContext() : null;
    }

    /**
     * Says which user this is. Where the server is on this machine's loopback, each user's connections come from an address of
     * its own, as those of visitors do.
     *
     * @param number of the user, from 0 on
     */
    public void comeFrom(int number) {
        visitor = number;
    }

    /** Forgets all cookies: another visitor uses this browser. */
    public void forgetCookies() {
        cookies.clear();
    }

    /**
     * Takes a cookie that no answer has set, as scripts of a page do.
     *
     * @param setCookie what a Set-Cookie header would say
     */
    public void takeCookie(String setCookie) {
        cookies.accept(setCookie, "/");
    }

    /** Closes the connection; the next request opens another one. */
    public void hangUp() {
        drop(false);
    }

    /**
     * Sends a request and follows redirects.
     *
     * @param request what to send
     * @return the last response, of any status
     * @throws HttpFailure when no response came; the connection is closed then
     */
    public Response follow(Request request) throws HttpFailure {
        Request next = request;
        for (int i = 0; i <= MAX_REDIRECTS; i++) {
            Response response = send(next);
            String location = response.header("location");
            int status = response.status();
            if (location == null || status < 301 || status > 308 || status == 304) {
                return response;
            }
            String path = resolve(next.path(), location);
            boolean sameMethod = status == 307 || status == 308 || next.method().equals("GET");
            next = sameMethod
                    ? new Request(next.method(), path, next.contentType(), next.body(), next.keepBody(), next.since())
                    : Request.page(path);
        }
        throw new HttpFailure("redirects: expected at most " + MAX_REDIRECTS + " from " + request.path() + ", got more");
    }

    /**
     * Sends a request, without following redirects.
     *
     * @param request what to send
     * @return the response, of any status
     * @throws HttpFailure when no response came; the connection is closed then
     */
    public Response send(Request request) throws HttpFailure {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        byte[] bytes = serialize(request);
        Connection used = connection;
        boolean reused = used != null && used.used();
        try {
            return exchange(request, bytes, deadline);
        } catch (StaleConnection stale) {
            drop(true);
            if (!reused) {
                throw failure(request, "the server closed a new connection without an answer", stale);
            }
        } catch (IOException e) {
            drop(false);
            throw failure(request, e.getMessage(), e);
        }
        try {
            return exchange(request, bytes, deadline);
        } catch (IOException e) {
            drop(true);
            throw failure(request, e.getMessage(), e);
        }
    }

    private Response exchange(Request request, byte[] bytes, long deadline) throws IOException {
        Connection c = connect(deadline);
        ResponseReader.Result result;
        try {
            c.send(bytes, deadline);
            result = ResponseReader.read(c, request.keepBody());
        } finally {
            observer.received(c.takeReceived());
        }
        c.completed();
        if (!result.reusable()) {
            drop(true);
        }
        for (Response.Field field : result.response().headers()) {
            if (field.name().equals("set-cookie")) {
                cookies.accept(field.value(), request.path());
            }
        }
        return result.response();
    }

    private Connection connect(long deadline) throws HttpFailure {
        Connection c = connection;
        if (c != null) {
            return c;
        }
        boolean tls = settings.endpoint().tls();
        SSLContext context = tls && sessions == null ? settings.tls().newContext() : sessions;
        c = Connection.open(settings.endpoint(), context, tls && settings.tls().checksName(), visitor, deadline);
        observer.connected(serverClosed, c.resumed());
        serverClosed = false;
        connection = c;
        if (closed) {
            drop(false);
            throw new HttpFailure("the run has ended");
        }
        return c;
    }

    private void drop(boolean byServer) {
        Connection c = connection;
        connection = null;
        serverClosed = byServer && c != null;
        if (c != null) {
            c.close();
        }
    }

    /**
     * Lets the user think. An eager user watches the connection meanwhile.
     *
     * @param untilNanos end of thinking by {@link System#nanoTime()}; returns early when there is nothing to watch
     */
    public void think(long untilNanos) {
        Connection c = connection;
        if (settings.eager() && c != null && !c.staysOpen(untilNanos)) {
            drop(true);
        }
    }

    /** Ends an exchange that is under way, from any thread. The user cannot be used afterwards. */
    @Override
    public void close() {
        closed = true;
        Connection c = connection;
        if (c != null) {
            c.close();
        }
    }

    private byte[] serialize(Request request) {
        StringBuilder head = new StringBuilder(256);
        head.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\r\nHost: ")
                .append(settings.endpoint().authority()).append("\r\nUser-Agent: ").append(agent)
                .append("\r\nAccept: */*\r\n");
        if (!settings.keep()) {
            head.append("Connection: close\r\n");
        }
        if (settings.gzip()) {
            head.append("Accept-Encoding: gzip\r\n");
        }
        String cookie = cookies.header(request.path());
        if (cookie != null) {
            head.append("Cookie: ").append(cookie).append("\r\n");
        }
        if (request.since() != null) {
            head.append("If-Modified-Since: ").append(request.since()).append("\r\n");
        }
        if (request.contentType() != null) {
            head.append("Content-Type: ").append(request.contentType()).append("\r\nContent-Length: ")
                    .append(request.body().length).append("\r\n");
        }
        byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[headBytes.length + request.body().length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(request.body(), 0, all, headBytes.length, request.body().length);
        return all;
    }

    private String resolve(String from, String location) throws HttpFailure {
        try {
            URI target = URI.create(from).resolve(new URI(location));
            boolean elsewhere = target.getRawAuthority() != null
                    && !target.getRawAuthority().equals(settings.endpoint().authority());
            String path = target.getRawPath();
            if (elsewhere || path == null || !path.startsWith("/")) {
                throw new HttpFailure("redirect from " + from + ": expected a path on this server, got " + location);
            }
            return target.getRawQuery() == null ? path : path + "?" + target.getRawQuery();
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new HttpFailure("redirect from " + from + ": expected a URL, got " + location, e);
        }
    }

    private static HttpFailure failure(Request request, String what, Throwable cause) {
        return new HttpFailure(request.method() + " " + request.path() + ": " + what, cause);
    }
}
