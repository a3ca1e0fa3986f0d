// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Answers {@code GET /MILLIS} after exactly that time, and measures how exact it was: from the moment it has read the
 * request to the moment it has written the answer.
 */
final class DelayServer implements Closeable {
    private static final byte[] ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

    /**
     * What the server measured of one path.
     *
     * @param count   answers
     * @param seconds sum of their times
     */
    record Measured(long count, double seconds) {
        Measured plus(double more) {
            return new Measured(count + 1, seconds + more);
        }

        double meanSince(Measured before) {
            return (seconds - before.seconds) / (count - before.count);
        }
    }

    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final Selector selector = Selector.open();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "timer"));
    private final Map<String, Measured> measured = new ConcurrentHashMap<>();

    DelayServer() throws IOException {
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        daemon(this::serve, "delay server").start();
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    Measured measured(String path) {
        return measured.getOrDefault(path, new Measured(0, 0));
    }

    private void serve() {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        try {
            while (selector.isOpen()) {
                selector.select(key -> ready(key, buffer));
            }
        } catch (IOException | ClosedSelectorException e) {
            timer.shutdownNow();
        }
    }

    private void ready(SelectionKey key, ByteBuffer buffer) {
        try {
            if (key.isAcceptable()) {
                SocketChannel client = listener.accept();
                client.configureBlocking(false);
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                client.register(selector, SelectionKey.OP_READ);
                return;
            }
            SocketChannel client = (SocketChannel) key.channel();
            if (client.read(buffer.clear()) < 0) {
                client.close();
                return;
            }
            long read = System.nanoTime();
            String path = new String(buffer.array(), 4, buffer.position() - 4, StandardCharsets.US_ASCII).split(" ")[0];
            long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(path.substring(1)));
            timer.schedule(() -> answer(client, path, read), nanos - (System.nanoTime() - read), TimeUnit.NANOSECONDS);
        } catch (IOException e) {
            key.cancel();
        }
    }

    private void answer(SocketChannel client, String path, long read) {
        try {
            client.write(ByteBuffer.wrap(ANSWER));
            double seconds = (System.nanoTime() - read) / 1e9;
            measured.merge(path, new Measured(1, seconds), (old, one) -> old.plus(one.seconds()));
        } catch (IOException e) {
            // the client went away
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        listener.close();
        timer.shutdownNow();
    }
}
