// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * One {@code GET} of a small text page over HTTP/1.0, plain or under TLS, on a connection of its own. It works through any
 * {@link Host}, and a status page that is asked once per second needs no more; keeping a connection alive would hold
 * one of the very threads that the agent manages.
 */
public final class HttpGet {

    private final Host host;
    private final URI uri;
    private final Endpoint.Tcp endpoint;
    private final PageAccess access;
    private final Optional<TlsClient> tls;
    private final String target;
    private final String headers;
    private final ByteBuffer chunk = ByteBuffer.allocate(16 * 1024);

    /**
     * @throws IllegalArgumentException when the URL is not plain http
     */
    public HttpGet(Host host, String url) {
        this(host, parse(url), PageAccess.OPEN);
    }

    /**
     * A page that may take TLS, a user and a password.
     *
     * @param uri as {@link PageAccess#uri} has found it
     */
    public HttpGet(Host host, URI uri, PageAccess access) {
        this.host = host;
        this.uri = uri;
        this.access = access;
        boolean secure = uri.getScheme().equals("https");
        tls = secure ? Optional.of(new TlsClient(access.authorities())) : Optional.empty();
        int port = uri.getPort() < 0 ? secure ? 443 : 80 : uri.getPort();
        String name = uri.getHost().startsWith("[") ? uri.getHost().substring(1, uri.getHost().length() - 1)
                : uri.getHost();
        endpoint = new Endpoint.Tcp(name, port);
        target = (uri.getRawPath().isEmpty() ? "/" : uri.getRawPath()) + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        headers = " HTTP/1.0\r\nHost: " + uri.getAuthority() + "\r\nUser-Agent: ic2\r\nConnection: close\r\n";
    }

    /** The page takes a user and a password, or others than these. */
    public static final class UnauthorizedException extends IOException {
        private static final long serialVersionUID = 1;

        UnauthorizedException(String text) {
            super(text);
        }
    }

    /**
     * What a server answered with 200.
     *
     * @param head the lines of its header, the status line first
     * @param body the page's text
     */
    public record Answer(String head, String body) {

        /** The value of the first header of a name, in whatever case. */
        public Optional<String> header(String name) {
            for (int end = head.indexOf('\n'); end >= 0; end = head.indexOf('\n', end + 1)) {
                int colon = end + 1 + name.length();
                if (head.regionMatches(true, end + 1, name, 0, name.length()) && head.startsWith(":", colon)) {
                    int next = head.indexOf('\n', colon);
                    return Optional.of(head.substring(colon + 1, next < 0 ? head.length() : next).strip());
                }
            }
            return Optional.empty();
        }
    }

    /** Checks a URL: plain http, with a host and without a fragment. */
    public static URI parse(String url) {
        URI uri = URI.create(PageAccess.withoutLogin(url));
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("expected a plain URL such as http://127.0.0.1/server-status?auto"
                    + " (the page should be served on loopback only), got \"" + url + "\"");
        }
        return uri;
    }

    public URI uri() {
        return uri;
    }

    /**
     * The page's text.
     *
     * @throws FileNotFoundException when the answer is 404
     * @throws UnauthorizedException when it is 401
     * @throws IOException           when it is another than 200
     */
    public String fetch() throws IOException, InterruptedException {
        return answer().body();
    }

    /**
     * The page with its header.
     *
     * @throws IOException as {@link #fetch}
     */
    public Answer answer() throws IOException, InterruptedException {
        return exchange("GET " + target + headers, "");
    }

    /** The page as for who comes from it: some pages heed no parameter of others. */
    public String fetchFromItself() throws IOException, InterruptedException {
        return exchange("GET " + target + headers + referer(), "").body();
    }

    /**
     * Sends a form that stands on the page.
     *
     * @param form encoded
     * @throws IOException as {@link #fetch}
     */
    public String post(String form) throws IOException, InterruptedException {
        return exchange("POST " + uri.getRawPath() + headers + referer() + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                + form.length() + "\r\n", form).body();
    }

    private String referer() {
        return "Referer: " + uri + "\r\n";
    }

    private Answer exchange(String head, String body) throws IOException, InterruptedException {
        String login = access.login().isPresent() ? access.login().get().header() : "";
        StringBuilder answer = new StringBuilder();
        try (SocketChannel channel = host.connect(endpoint)) {
            ByteChannel wire = tls.isPresent() ? tls.get().over(channel, uri, endpoint) : channel;
            ByteBuffer out = ByteBuffer.wrap((head + login + "\r\n" + body).getBytes(StandardCharsets.US_ASCII));
            while (out.hasRemaining()) {
                wire.write(out);
            }
            chunk.clear();
            while (wire.read(chunk) >= 0) {
                if (answer.length() > BoundedText.PAGE_BYTES) {
                    throw new IOException(uri + " answered more than " + BoundedText.size(BoundedText.PAGE_BYTES));
                }
                answer.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
                chunk.clear();
            }
        } catch (java.nio.channels.ClosedByInterruptException e) {
            throw new InterruptedException("interrupted while reading " + uri);
        } catch (SSLException e) {
            throw new IOException(uri + ": TLS failed: " + BoundedText.brief(e.getMessage()), e);
        }
        return page(answer.toString());
    }

    /** The page in a server's answer. */
    Answer page(String answer) throws IOException {
        int body = answer.indexOf("\r\n\r\n");
        String status = answer.substring(0, Math.max(0, answer.indexOf("\r\n")));
        if (body < 0 || !status.startsWith("HTTP/1.") || !status.startsWith(" 200", "HTTP/1.x".length())) {
            String text = uri + " answered \"" + (status.isEmpty() ? "nothing" : BoundedText.brief(status)) + "\" instead of 200";
            throw status.startsWith(" 404", "HTTP/1.x".length()) ? new FileNotFoundException(text)
                    : status.startsWith(" 401", "HTTP/1.x".length()) ? new UnauthorizedException(text) : new IOException(text);
        }
        Answer page = new Answer(answer.substring(0, body), answer.substring(body + 4));
        boolean chunked = page.header("transfer-encoding").filter("chunked"::equalsIgnoreCase).isPresent();
        return chunked ? new Answer(page.head(), joined(page.body())) : page;
    }

    /** The text of chunks: HAProxy makes some of its statistics even for who asks by HTTP/1.0, and they are ASCII. */
    private String joined(String chunks) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int at = 0; ;) {
            int end = chunks.indexOf("\r\n", at);
            String size = end < 0 ? "" : chunks.substring(at, end);
            int length = size.matches("[0-9a-fA-F]{1,6}") ? Integer.parseInt(size, 16) : -1;
            if (length < 0 || end + 2 + length > chunks.length()) {
                throw new IOException(uri + " answered with a broken chunk \"" + BoundedText.brief(size) + "\"");
            }
            if (length == 0) {
                return text.toString();
            }
            text.append(chunks, end + 2, end + 2 + length);
            at = end + 2 + length + 2;
        }
    }
}
