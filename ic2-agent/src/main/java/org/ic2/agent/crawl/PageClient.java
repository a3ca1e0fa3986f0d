// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.ic2.runtime.host.BoundedText;

/**
 * Fetches pages as a visitor with a given address does: Java's own client cannot choose it. One connection for each
 * request, GET only, no cookie is kept, no redirect is followed.
 */
public final class PageClient {

    private static final Duration CONNECTING = Duration.ofSeconds(5);

    private final SSLSocketFactory tls;
    private final LongSupplier nanoClock;

    /**
     * @param tls       whom it believes is whom this server must be signed by
     * @param nanoClock monotonic, ns
     */
    public PageClient(SSLSocketFactory tls, LongSupplier nanoClock) {
        this.tls = tls;
        this.nanoClock = nanoClock;
    }

    /** Believes whom the Java runtime believes. */
    public static PageClient usual() {
        return new PageClient((SSLSocketFactory) SSLSocketFactory.getDefault(), System::nanoTime);
    }

    /** The same; on the way to this machine's own address any certificate is taken, since sites have private ones there. */
    public static PageClient to(VisitRoute route) {
        return route.local() ? new PageClient(AnyCertificate.factory(), System::nanoTime) : usual();
    }

    /**
     * A page, and who asks for it.
     *
     * @param target   path and query
     * @param from     the address to ask from; empty: the one that the system takes
     * @param headers  sent beside Host and Connection
     * @param within   for all of it
     * @param most     bytes of the body; the rest is not read
     * @param htmlOnly true: the body of anything else is not read
     */
    public record Request(WebSite site, InetSocketAddress server, String target, Optional<InetAddress> from,
            Map<String, String> headers, Duration within, int most, boolean htmlOnly) {

        private String url() {
            return site.url(target);
        }
    }

    /**
     * Asks.
     *
     * @throws IOException that says in one line which page failed, and how
     */
    public WebAnswer get(Request request) throws IOException {
        long end = nanoClock.getAsLong() + request.within().toNanos();
        try (Socket plain = new Socket()) {
            if (request.from().isPresent()) {
                plain.bind(new InetSocketAddress(request.from().get(), 0));
            }
            plain.connect(request.server(), (int) Math.min(CONNECTING.toMillis(), millisTo(end)));
            try (Socket wire = request.site().secure() ? secured(plain, request, end) : plain) {
                wire.getOutputStream().write(head(request).getBytes(StandardCharsets.ISO_8859_1));
                wire.getOutputStream().flush();
                return new AnswerReader(wire, () -> millisTo(end)).read(request.most(), request.htmlOnly());
            }
        } catch (SocketTimeoutException e) {
            throw new IOException("GET " + request.url() + ": no whole answer within " + seconds(request.within()) + " s", e);
        } catch (SSLException e) {
            throw new IOException("GET " + request.url() + ": TLS failed: " + BoundedText.brief(String.valueOf(e.getMessage())), e);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("GET " + request.url() + " at " + text(request.server()) + ": "
                    + (e.getMessage() == null ? e : BoundedText.brief(e.getMessage())), e);
        }
    }

    private static String text(InetSocketAddress server) {
        return server.getAddress().getHostAddress() + " port " + server.getPort();
    }

    private static String seconds(Duration time) {
        return String.valueOf(Math.round(time.toMillis() / 100.0) / 10.0).replaceAll("\\.0$", "");
    }

    /** At least one: 0 would mean for ever. */
    private int millisTo(long end) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(end - nanoClock.getAsLong())));
    }

    private SSLSocket secured(Socket plain, Request request, long end) throws IOException {
        WebSite site = request.site();
        plain.setSoTimeout(millisTo(end));
        SSLSocket secured = (SSLSocket) tls.createSocket(plain, site.host(), site.port(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (!site.host().matches("[0-9.]+|.*:.*")) {
            try {
                parameters.setServerNames(List.of(new SNIHostName(site.host())));
            } catch (IllegalArgumentException e) {
                throw new IOException("no name for TLS: " + e.getMessage(), e);
            }
        }
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    private static String head(Request request) {
        StringBuilder head = new StringBuilder("GET ").append(request.target()).append(" HTTP/1.1\r\nHost: ")
                .append(request.site().authority()).append("\r\n");
        request.headers().forEach((name, value) -> head.append(name).append(": ").append(value.replaceAll("[\r\n]", " ")).append("\r\n"));
        return head.append("Connection: close\r\n\r\n").toString();
    }
}
