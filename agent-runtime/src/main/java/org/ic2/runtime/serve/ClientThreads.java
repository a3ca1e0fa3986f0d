// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Serves the clients of a listening socket, each in a thread of its own, so many at most and no one for longer than it
 * was given: a further client is turned away at once, and one that is late has its connection closed. Nothing that a
 * client does or leaves undone keeps the others out for longer than that.
 */
final class ClientThreads implements AutoCloseable {

    /** What is done for a client; the connection is closed after it, or in the middle of it when its time is over. */
    interface Service {
        void serve(Client client) throws IOException, InterruptedException;
    }

    /** A connection and how long it may last. */
    static final class Client {
        private final SocketChannel channel;
        private volatile long endNanos;

        Client(SocketChannel channel, Duration time) {
            this.channel = channel;
            within(time);
        }

        SocketChannel channel() {
            return channel;
        }

        /** From now on it has so much time, whatever it had before. */
        void within(Duration time) {
            endNanos = System.nanoTime() + time.toNanos();
        }
    }

    private static final Logger LOG = Logger.getLogger(ClientThreads.class.getName());
    private static final int LOOK_MILLIS = 250;
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);
    /** Those that were turned away and have not closed yet; they take no thread. */
    private static final int MOST_SENT_AWAY = 64;
    private static final int THREAD_ENDS_AFTER_SECONDS = 10;
    private static final int STACK = 256 * 1024;

    private final String name;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final Duration first;
    private final Service service;
    private final Service sendAway;
    private final ThreadPoolExecutor threads;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();

    /**
     * Begins to accept.
     *
     * @param server   bound; closed with this
     * @param most     clients at a time
     * @param first    the time that a client has from its arrival on, until the service says otherwise
     * @param sendAway a word for one client too many, so short that it need not wait for the client to read it
     */
    ClientThreads(String name, ServerSocketChannel server, int most, Duration first, Service service, Service sendAway)
            throws IOException {
        this.name = name;
        this.server = server;
        this.first = first;
        this.service = service;
        this.sendAway = sendAway;
        // No queue, in which a client's time would pass too.
        threads = new ThreadPoolExecutor(0, most, THREAD_ENDS_AFTER_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
                task -> daemon(name + " client", task));
        server.configureBlocking(false);
        selector = Selector.open();
        server.register(selector, SelectionKey.OP_ACCEPT);
        daemon(name, this::accept).start();
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, STACK);
        thread.setDaemon(true);
        return thread;
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                selector.select(clients.isEmpty() ? 0 : LOOK_MILLIS);
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                clients.stream().filter(client -> client.endNanos - now < 0).forEach(this::end);
                for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
                    take(new Client(channel, first));
                }
            } catch (IOException | RuntimeException | Error e) {
                // such as no file descriptor left: later there may be one
                LOG.log(Level.FINE, name, e);
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.interrupted();
        }
    }

    private void take(Client client) {
        boolean crowded = clients.size() > threads.getMaximumPoolSize() + MOST_SENT_AWAY;
        clients.add(client);
        try {
            threads.execute(() -> run(client));
        } catch (RuntimeException | Error e) {
            if (crowded || !sent(client)) {
                end(client);
            }
        }
    }

    /** True when a client that finds no thread was told so: it has a moment to hear it. */
    private boolean sent(Client client) {
        client.within(LAST_WORDS);
        try {
            sendAway.serve(client);
            client.channel.shutdownOutput();
            return true;
        } catch (InterruptedException | IOException | RuntimeException | Error e) {
            LOG.log(Level.FINE, name, e);
            return false;
        }
    }

    private void run(Client client) {
        try {
            service.serve(client);
            // a connection that is closed with something unread in it takes the answer with it
            client.within(LAST_WORDS);
            client.channel.shutdownOutput();
            ByteBuffer rest = ByteBuffer.allocate(4 * 1024);
            while (client.channel.read(rest) >= 0) {
                rest.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) {
            LOG.log(Level.FINE, name + " client", e);
        } finally {
            end(client);
        }
    }

    private void end(Client client) {
        clients.remove(client);
        try {
            client.channel.close();
        } catch (IOException e) {
            LOG.log(Level.FINE, name + " client", e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        selector.close();
        threads.shutdownNow();
        clients.forEach(this::end);
    }
}
