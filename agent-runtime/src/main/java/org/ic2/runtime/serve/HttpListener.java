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
import org.ic2.runtime.serve.ClientThreads.Client;

/**
 * HTTP/1.1 for a few clients on the same machine: one request a connection, of which head and body are bounded, within a
 * bounded time. A slow or silent client holds up nobody, and none makes the agent keep more than it was willing to read.
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
     */
    public record Answer(int code, String type, int length, Body body) {

        public static Answer text(int code, String text) {
            return of(code, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        public static Answer of(int code, String type, byte[] body) {
            return new Answer(code, type, body.length, out -> out.write(body));
        }
    }

    /** A browser and a Prometheus need two or three; the others are for clients that are slow. */
    private static final int MOST_CLIENTS = 32;
    private static final Duration REQUEST = Duration.ofSeconds(5);
    /** Longer than a change by hand takes that is rolled back. */
    private static final Duration WORK = Duration.ofSeconds(60);
    private static final Duration TAKING = Duration.ofSeconds(10);

    private static final Map<Integer, String> REASONS = Map.ofEntries(Map.entry(200, "OK"), Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"), Map.entry(403, "Forbidden"), Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"), Map.entry(409, "Conflict"), Map.entry(411, "Length Required"),
            Map.entry(413, "Content Too Large"), Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"), Map.entry(503, "Service Unavailable"));

    private final InetSocketAddress address;
    private final ClientThreads clients;
    private final Handler handler;

    /** Listens. */
    public HttpListener(InetSocketAddress address, Handler handler) throws IOException {
        this(address, REQUEST, handler);
    }

    /**
     * @param time for a request to come
     */
    HttpListener(InetSocketAddress address, Duration time, Handler handler) throws IOException {
        this.handler = handler;
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.bind(address);
            this.address = (InetSocketAddress) server.getLocalAddress();
            clients = new ClientThreads("http", server, MOST_CLIENTS, time, this::serve, HttpListener::sendAway);
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    /** The address in use, with the port that the system chose if 0 was asked for. */
    public InetSocketAddress address() {
        return address;
    }

    private void serve(Client client) throws IOException, InterruptedException {
        HttpRequest request;
        try {
            request = HttpRequest.read(client.channel());
        } catch (HttpRequest.BadRequestException e) {
            send(client, Answer.text(e.code(), e.getMessage()));
            return;
        }
        client.within(WORK);
        Answer answer;
        try {
            answer = handler.answer(request);
        } catch (IOException | RuntimeException e) {
            answer = Answer.text(500, "the agent could not answer: " + e.getMessage());
        }
        send(client, answer);
    }

    private static void sendAway(Client client) throws IOException {
        send(client, Answer.text(503, "the agent serves " + MOST_CLIENTS + " others; try again"));
    }

    private static void send(Client client, Answer answer) throws IOException {
        client.within(TAKING);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(client.channel()), 8 * 1024);
        out.write(("HTTP/1.1 " + answer.code() + " " + REASONS.get(answer.code()) + "\r\nContent-Type: " + answer.type()
                + (answer.length() < 0 ? "" : "\r\nContent-Length: " + answer.length())
                + "\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        answer.body().writeTo(out);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        clients.close();
    }
}
