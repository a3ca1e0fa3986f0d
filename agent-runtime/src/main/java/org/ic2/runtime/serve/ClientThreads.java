// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Serves the clients of a listening socket. One that has not said a word yet waits with all others like it; one that has gets a
 * thread, so many at most and no one for longer than he was given. Where there is none left, he takes the thread of the one who
 * has held it the longest for a request that is not whole yet, or for an answer that he does not take. So nothing that a client
 * does or leaves undone keeps the others out.
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
        private volatile long begunNanos;
        private volatile boolean begun;
        private volatile boolean working;
        private volatile boolean handedOver;

        Client(SocketChannel channel, Duration time) {
            this.channel = channel;
            within(time);
        }

        private void begin(Duration time) {
            within(time);
            begunNanos = System.nanoTime();
            begun = true;
        }

        /** True if it could give its thread to another. */
        private boolean canWait(long now) {
            return begun && !working && !handedOver && now - begunNanos > GRACE_NANOS;
        }

        SocketChannel channel() {
            return channel;
        }

        /** From now on it has so much time, whatever it had before. */
        void within(Duration time) {
            endNanos = System.nanoTime() + time.toNanos();
            working = false;
        }

        /** The same; what is done for it now is ours, and not to be broken off for others. */
        void workWithin(Duration time) {
            within(time);
            working = true;
        }

        /** The connection goes on, in other hands, and has all the time that they give it; false when it is closed. */
        boolean handOver() {
            handedOver = true;
            return channel.isOpen();
        }
    }

    private static final Logger LOG = Logger.getLogger(ClientThreads.class.getName());
    private static final int LOOK_MILLIS = 250;
    private static final int LOOK_FOR_A_THREAD_MILLIS = 20;
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);
    /** A usual request has long come whole by then, over TLS too. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Connections in all. */
    private static final int MOST_CLIENTS = 512;
    /** Of them those that wait for a thread; a further one is sent away. */
    private static final int MOST_WAITING = 128;
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
    private final Queue<Client> waiting = new ConcurrentLinkedQueue<>();

    /**
     * Begins to accept.
     *
     * @param server   bound; closed with this
     * @param most     threads
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
        // No queue of its own: it would begin a thread for each client until there are so many.
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
                selector.select(!waiting.isEmpty() ? LOOK_FOR_A_THREAD_MILLIS : clients.isEmpty() ? 0 : LOOK_MILLIS);
                List<SelectionKey> ready = List.copyOf(selector.selectedKeys());
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                clients.stream().filter(client -> !client.handedOver && client.endNanos - now < 0).forEach(this::end);
                ready.stream().filter(key -> key.attachment() != null).forEach(this::hasWord);
                for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
                    take(new Client(channel, first));
                }
                if (!waiting.isEmpty() && !begin()) {
                    makeRoom(now);
                }
            } catch (IOException | RuntimeException | Error e) {
                // such as no file descriptor left: later there may be one
                LOG.log(Level.FINE, name, e);
                pause();
            }
        }
    }

    /** A connection: until its first word comes, it is no more than that. */
    private void take(Client client) {
        if (clients.size() >= MOST_CLIENTS) {
            clients.stream().filter(other -> !other.working).min(Comparator.comparingLong(other -> other.endNanos)).ifPresent(this::end);
        }
        clients.add(client);
        try {
            client.channel.configureBlocking(false);
            client.channel.register(selector, SelectionKey.OP_READ, client);
        } catch (IOException | RuntimeException e) {
            end(client);
        }
    }

    private void hasWord(SelectionKey key) {
        Client client = (Client) key.attachment();
        try {
            key.cancel();
            client.channel.configureBlocking(true);
            if (waiting.size() < MOST_WAITING) {
                waiting.add(client);
                begin();
            } else if (!sent(client)) {
                end(client);
            }
        } catch (IOException | RuntimeException e) {
            end(client);
        }
    }

    /** True when a thread was found for those who wait. */
    private boolean begin() {
        try {
            threads.execute(this::runAll);
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    private void runAll() {
        for (Client client = waiting.poll(); client != null; client = waiting.poll()) {
            run(client);
        }
    }

    /** Takes the threads of those who have held them the longest and wait for somebody themselves. */
    private void makeRoom(long now) {
        clients.stream().filter(client -> client.canWait(now)).sorted(Comparator.comparingLong(client -> client.begunNanos - now))
                .limit(waiting.size()).toList().forEach(this::end);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.interrupted();
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
        client.begin(first);
        try {
            service.serve(client);
            if (client.handedOver) {
                clients.remove(client);
                return;
            }
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
        }
        end(client);
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
