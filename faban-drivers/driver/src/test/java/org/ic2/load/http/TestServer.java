// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A small HTTP/1.1 server on a free port of the loopback interface, one thread per connection. For tests. */
public final class TestServer implements Closeable {
    /** Waiting for the client's close, as httpd does after a keep-alive timeout. */
    private static final int LINGER_MILLIS = 60_000;
    private static final int FIRST_REQUEST_MILLIS = 60_000;

    /**
     * A request.
     *
     * @param connection number of the connection, 1 for the first
     * @param method     method
     * @param path       path with query
     * @param headers    fields, names in lower case
     * @param body       body
     */
    public record Call(int connection, String method, String path, Map<String, String> headers, byte[] body) {
        /** The body as text. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /**
     * An answer.
     *
     * @param status  status code
     * @param headers lines without line ends
     * @param body    body
     */
    public record Reply(int status, Map<String, String> headers, byte[] body) {
        /** An answer with a text. */
        public static Reply of(int status, String text) {
            return new Reply(status, new LinkedHashMap<>(), text.getBytes(StandardCharsets.UTF_8));
        }

        /** The same answer with one more header. */
        public Reply with(String name, String value) {
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Reply(status, more, body);
        }
    }

    /** What the server does. */
    public interface Handler {
        /** Answers; null closes the connection without an answer. */
        Reply handle(Call call) throws IOException;
    }

    private final ServerSocket listener;
    private final Handler handler;
    private final Duration keepAlive;
    private final SSLContext tls;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger lingering = new AtomicInteger();
    private final Thread acceptor;
    private volatile boolean closed;

    /** Speaks plain HTTP and keeps connections for ever. */
    public TestServer(Handler handler) throws IOException {
        this(0, handler, Duration.ZERO, null);
    }

    /**
     * A server that listens at once.
     *
     * @param port      port, 0 for a free one
     * @param handler   answers
     * @param keepAlive after which an idle connection is closed; zero means never
     * @param tls       keys; null for plain HTTP
     */
    public TestServer(int port, Handler handler, Duration keepAlive, SSLContext tls) throws IOException {
        this.handler = handler;
        this.keepAlive = keepAlive;
        this.tls = tls;
        listener = new ServerSocket(port, 4096, InetAddress.getLoopbackAddress());
        acceptor = start("accept", this::accept);
    }

    /** The port. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Connections accepted so far. */
    public int connections() {
        return connections.get();
    }

    /** Connections that the server has closed on its side and whose client has not closed yet. */
    public int lingering() {
        return lingering.get();
    }

    /** Connections that are open. */
    public int open() {
        return open.size();
    }

    private Thread start(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 256 << 10);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void accept() {
        while (!closed) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                if (closed) {
                    socket.close();
                }
                start("connection", () -> serve(socket, connections.incrementAndGet()));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket raw, int number) {
        try (raw) {
            raw.setTcpNoDelay(true);
            Socket socket = raw;
            if (tls != null) {
                SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(raw, null, true);
                secure.setUseClientMode(false);
                socket = secure;
            }
            exchanges(socket, number);
            linger(raw, socket);
        } catch (IOException e) {
            // the client went away
        } finally {
            open.remove(raw);
        }
    }

    private void exchanges(Socket socket, int number) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream(), 4096);
        OutputStream out = socket.getOutputStream();
        socket.setSoTimeout(FIRST_REQUEST_MILLIS);
        while (true) {
            Call call;
            try {
                call = read(in, number);
            } catch (SocketTimeoutException idle) {
                return;
            }
            Reply reply = call == null ? null : handler.handle(call);
            if (reply == null) {
                return;
            }
            out.write(bytes(reply));
            out.flush();
            socket.setSoTimeout((int) keepAlive.toMillis());
            if ("close".equals(reply.headers().get("Connection"))) {
                return;
            }
        }
    }

    private void linger(Socket raw, Socket socket) throws IOException {
        lingering.incrementAndGet();
        try {
            socket.shutdownOutput();
            raw.setSoTimeout(LINGER_MILLIS);
            InputStream in = raw.getInputStream();
            byte[] sink = new byte[1024];
            while (in.read(sink) >= 0) {
                // until the client closes
            }
        } finally {
            lingering.decrementAndGet();
        }
    }

    private static Call read(InputStream in, int number) throws IOException {
        String[] start = null;
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(in); ; line = line(in)) {
            if (line == null) {
                return null;
            }
            if (start == null) {
                start = line.split(" ");
            } else if (line.isEmpty()) {
                break;
            } else {
                int colon = line.indexOf(':');
                headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
            }
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        return new Call(number, start[0], start[1], headers, body);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(64);
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(Reply reply) {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + reply.status() + " X\r\n");
        reply.headers().forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(reply.body().length).append("\r\n\r\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream(reply.body().length + 512);
        all.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(reply.body());
        return all.toByteArray();
    }

    /** Dies at once, with everything that is open, as a killed process does. */
    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        try {
            acceptor.join(5000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : open) {
            socket.close();
        }
    }
}
