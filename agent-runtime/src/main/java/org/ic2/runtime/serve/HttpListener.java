// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.host.TlsChannel;
import org.ic2.runtime.serve.ClientThreads.Client;

/**
 * HTTP/1.1 for a few clients, in the clear or under TLS: one request a connection, of which head and body are bounded, within a
 * bounded time. A slow or silent client holds up nobody, and none makes the agent keep more than it was willing to read.
 *
 * <p>The JDK's own server (17.0.15, all its limits set, 32 threads) does not pass the tests of this class: a client that has sent
 * one byte keeps a thread until its time is over, so beside 200 of them a request waits for seconds, and beside 40 that read
 * nothing it is not answered at all. It resets a connection whose head is too long, without a word.
 */
public final class HttpListener implements AutoCloseable {

    /** Answers requests; called by several threads at a time. */
    public interface Handler {
        Answer answer(HttpRequest request) throws IOException, InterruptedException;
    }

    /** What is sent back, to be written when the client takes it, so that long answers need no memory. */
    public interface Body {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * An answer.
     *
     * @param length of the body in bytes; -1 when it is not known before
     * @param header a line of the head, beside those that every answer has
     * @param place  where a stream goes on that has no end; empty for all else
     */
    public record Answer(int code, String type, int length, Body body, Optional<String> header,
            Optional<EventStreams.Place> place) {

        public Answer(int code, String type, int length, Body body) {
            this(code, type, length, body, Optional.empty(), Optional.empty());
        }

        /** The same with one more line in its head. */
        public Answer with(String line) {
            return new Answer(code, type, length, body, Optional.of(line), place);
        }

        public static Answer text(int code, String text) {
            return of(code, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        public static Answer of(int code, String type, byte[] body) {
            return new Answer(code, type, body.length, out -> out.write(body));
        }

        /** What HEAD is answered: all that is said of the body, and not the body. */
        private Answer head() {
            return new Answer(code, type, length, out -> { }, header, Optional.empty());
        }
    }

    /** A browser and a Prometheus need two or three; the others are for clients that are slow. */
    private static final int MOST_CLIENTS = 32;
    private static final Duration REQUEST = Duration.ofSeconds(5);
    /** Longer than a change by hand takes that is rolled back. */
    private static final Duration WORK = Duration.ofSeconds(60);
    private static final Duration TAKING = Duration.ofSeconds(10);

    /** What browsers must not make of an answer, page or not. */
    private static final String SAFE = "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer"
            + "\r\nCross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin"
            + "\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<Integer, String> REASONS = Map.ofEntries(Map.entry(200, "OK"), Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"), Map.entry(403, "Forbidden"), Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"), Map.entry(409, "Conflict"), Map.entry(411, "Length Required"),
            Map.entry(413, "Content Too Large"), Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"), Map.entry(503, "Service Unavailable"));

    private final InetSocketAddress address;
    private final ClientThreads clients;
    private final Handler handler;
    private final Optional<TlsServer> tls;

    /** Listens. */
    public HttpListener(InetSocketAddress address, Optional<TlsServer> tls, Handler handler) throws IOException {
        this(address, tls, REQUEST, handler);
    }

    /**
     * @param time for a request to come, the handshake of TLS included
     */
    HttpListener(InetSocketAddress address, Optional<TlsServer> tls, Duration time, Handler handler) throws IOException {
        this.handler = handler;
        this.tls = tls;
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.bind(address);
            this.address = (InetSocketAddress) server.getLocalAddress();
            clients = new ClientThreads("http", server, MOST_CLIENTS, time, this::serve, this::sendAway);
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    /** The address in use, with the port that the system chose if 0 was asked for. */
    public InetSocketAddress address() {
        return address;
    }

    /** The same for people. */
    public String url() {
        String host = address.getAddress().getHostAddress();
        return (tls.isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private void serve(Client client) throws IOException, InterruptedException {
        Transport wire = tls.isPresent() ? new TlsTransport(new TlsChannel(client.channel(), tls.get().engine())) : new Transport.Plain(client.channel());
        HttpRequest request;
        try {
            request = HttpRequest.read(wire).from(client.channel().getRemoteAddress());
        } catch (HttpRequest.BadRequestException e) {
            send(client, wire, Answer.text(e.code(), e.getMessage()));
            wire.farewell();
            return;
        }
        client.workWithin(WORK);
        Answer answer;
        try {
            answer = handler.answer(request);
        } catch (IOException | RuntimeException e) {
            answer = Answer.text(500, "the agent could not answer: " + e.getMessage());
        }
        if (answer.place().isPresent()) {
            stream(client, wire, answer, request);
        } else {
            send(client, wire, request.method().equals("HEAD") ? answer.head() : answer);
            wire.farewell();
        }
    }

    private static void stream(Client client, Transport wire, Answer answer, HttpRequest request) throws IOException {
        EventStreams.Place place = answer.place().orElseThrow();
        boolean goesOn = false;
        try {
            boolean only = request.method().equals("HEAD");
            send(client, wire, only ? answer.head() : answer);
            if (!only && client.handOver()) {
                place.take(wire);
                goesOn = true;
            } else {
                wire.farewell();
            }
        } finally {
            if (!goesOn) {
                place.leave();
            }
        }
    }

    /** Under TLS there is no time for words. */
    private void sendAway(Client client) throws IOException {
        if (tls.isPresent()) {
            throw new IOException("one client too many");
        }
        send(client, new Transport.Plain(client.channel()), Answer.text(503, "the agent serves " + MOST_CLIENTS + " others; try again"));
    }

    private static void send(Client client, Transport wire, Answer answer) throws IOException {
        client.within(TAKING);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(wire), 8 * 1024);
        out.write(("HTTP/1.1 " + answer.code() + " " + REASONS.get(answer.code()) + "\r\nContent-Type: " + answer.type()
                + (answer.length() < 0 ? "" : "\r\nContent-Length: " + answer.length())
                + answer.header().map(line -> "\r\n" + line).orElse("")
                + SAFE + "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        answer.body().writeTo(out);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        clients.close();
    }
}
