// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpListener.Body;

/**
 * Server-sent events for many viewers, all written by one thread that waits for none of them: an event is made once and its
 * bytes are shared, a viewer has only his place among them, and one that does not take what is sent is left behind.
 */
public final class EventStreams implements AutoCloseable {

    /** What there is to tell; asked by one thread at a time. */
    public interface News {
        /** The events since the last call, in their order; called at each {@link #wake}, and every few seconds. */
        List<byte[]> take();

        /** Nobody has listened for a while: what has happened since the last call is told to nobody. */
        void skip();
    }

    /** One of those that there are, from the answer until the viewer's end, and at which event he goes on. */
    static final class Place {
        private final EventStreams streams;
        private final long next;
        private final AtomicBoolean left = new AtomicBoolean();

        private Place(EventStreams streams, long next) {
            this.streams = streams;
            this.next = next;
            streams.taken.incrementAndGet();
        }

        /** Takes over a viewer who was sent what went before. */
        void take(Transport wire) throws IOException {
            wire.channel().setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
            wire.channel().configureBlocking(false);
            streams.arriving.add(new Viewer(wire, this));
            streams.selector.wakeup();
        }

        /** Gives it back, once. */
        void leave() {
            if (left.compareAndSet(false, true)) {
                streams.taken.decrementAndGet();
            }
        }
    }

    public static final int MOST = 64;

    private static final Logger LOG = Logger.getLogger(EventStreams.class.getName());
    private static final int KEPT_EVENTS = 256;
    private static final int KEPT_BYTES = 256 * 1024;
    private static final int LOOK_MILLIS = 5000;
    /** The time in which a viewer has to take an event, and in which one that was answered comes to its place. */
    private static final Duration TAKING = Duration.ofSeconds(10);
    /** Of the system's for each viewer, so that a slow one is known in time. */
    private static final int SEND_BUFFER = 64 * 1024;
    /** A viewer has nothing to say; under TLS a farewell. */
    private static final int MOST_SAID = 4 * 1024;
    private static final int STACK = 256 * 1024;

    private final News news;
    private final Duration taking;
    private final Selector selector;
    private final Deque<byte[]> events = new ArrayDeque<>();
    private final Queue<Viewer> arriving = new ConcurrentLinkedQueue<>();
    private final ByteBuffer scratch = ByteBuffer.allocate(Transport.RECORD);
    private final ByteBuffer said = ByteBuffer.allocate(1024);
    private final AtomicInteger taken = new AtomicInteger();
    private volatile boolean closed;
    private long first;
    private int bytes;
    private long warmUntil = System.nanoTime();

    /** One stream. */
    private static final class Viewer {
        private final Transport wire;
        private final Place place;
        private long next;
        private ByteBuffer rest;
        private long tookNanos = System.nanoTime();
        private int told;

        Viewer(Transport wire, Place place) {
            this.wire = wire;
            this.place = place;
            next = place.next;
        }
    }

    public EventStreams(News news) throws IOException {
        this(news, TAKING);
    }

    /**
     * @param taking the time in which a viewer has to take an event
     */
    EventStreams(News news, Duration taking) throws IOException {
        this.news = news;
        this.taking = taking;
        selector = Selector.open();
        Thread thread = new Thread(null, this::run, "http streams", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    /** An event in its form, with the time of what it tells as its id where that is given. */
    public static byte[] event(String name, String data, Optional<Long> id) {
        return ((id.isPresent() ? "id: " + id.get() + "\n" : "") + "event: " + name + "\ndata: " + data + "\n\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The answer to one more viewer: what went before, and then the stream. Whoever has it gives its place back when nothing
     * comes of it.
     *
     * @param before makes, of the time of this call, what is sent first; all that comes later is told by {@link News}
     */
    public synchronized Answer answer(Before before) {
        if (taken.get() >= MOST) {
            return Answer.text(503, "the agent serves " + MOST + " streams; try again");
        }
        long now = System.nanoTime();
        if (taken.get() == 0 && now - warmUntil > 0) {
            news.skip();
        } else {
            keep(news.take());
        }
        warmUntil = now + 2 * TAKING.toNanos();
        return new Answer(200, "text/event-stream", -1, before.body(), Optional.empty(),
                Optional.of(new Place(this, first + events.size())));
    }

    /** What a viewer is sent first. */
    public interface Before {
        Body body();
    }

    /** There may be news. Waits for nothing, and costs nothing while nobody listens. */
    public void wake() {
        if (taken.get() > 0 && !closed) {
            selector.wakeup();
        }
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(selector.keys().isEmpty() ? 0 : LOOK_MILLIS);
                selector.selectedKeys().stream().filter(key -> key.isValid() && key.isReadable()).forEach(this::hear);
                selector.selectedKeys().clear();
                admit();
                if (!selector.keys().isEmpty()) {
                    tell();
                }
            } catch (IOException | RuntimeException | Error e) {
                LOG.log(Level.FINE, "http streams", e);
                pause();
            }
        }
        selector.keys().forEach(key -> end((Viewer) key.attachment(), null));
        arriving.forEach(viewer -> end(viewer, null));
    }

    private static void pause() {
        try {
            TimeUnit.SECONDS.sleep(1);
        } catch (InterruptedException e) {
            Thread.interrupted();
        }
    }

    private void admit() {
        for (Viewer viewer = arriving.poll(); viewer != null; viewer = arriving.poll()) {
            try {
                viewer.wire.channel().register(selector, SelectionKey.OP_READ, viewer);
            } catch (IOException | RuntimeException e) {
                end(viewer, e);
            }
        }
    }

    /** What viewers say is not for us, but that they go. */
    private void hear(SelectionKey key) {
        Viewer viewer = (Viewer) key.attachment();
        try {
            int count = viewer.wire.channel().read(said.clear());
            viewer.told += Math.max(0, count);
            if (count < 0 || viewer.told > MOST_SAID) {
                end(viewer, null);
            }
        } catch (IOException e) {
            end(viewer, e);
        }
    }

    private synchronized void tell() {
        keep(news.take());
        for (SelectionKey key : selector.keys()) {
            Viewer viewer = (Viewer) key.attachment();
            try {
                if (key.isValid()) {
                    key.interestOps(write(viewer) ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                }
            } catch (IOException | RuntimeException e) {
                end(viewer, e);
            }
        }
    }

    private void keep(List<byte[]> fresh) {
        for (byte[] event : fresh) {
            events.addLast(event);
            bytes += event.length;
        }
        for (; events.size() > KEPT_EVENTS || bytes > KEPT_BYTES; first++) {
            bytes -= events.removeFirst().length;
        }
    }

    /** True when the viewer has all; false when he must take some first. */
    private boolean write(Viewer viewer) throws IOException {
        long now = System.nanoTime();
        if (viewer.next < first) {
            throw new IOException("a viewer was left behind");
        }
        Iterator<byte[]> left = null;
        while (viewer.rest != null || viewer.next < first + events.size()) {
            if (viewer.rest == null) {
                left = left == null ? events.stream().skip(viewer.next - first).iterator() : left;
                viewer.rest = viewer.wire.seal(ByteBuffer.wrap(left.next()), scratch);
                viewer.next++;
                viewer.tookNanos = now;
            }
            viewer.wire.channel().write(viewer.rest);
            if (viewer.rest.hasRemaining()) {
                if (now - viewer.tookNanos > taking.toNanos()) {
                    throw new IOException("a viewer takes nothing");
                }
                return false;
            }
            viewer.rest = null;
        }
        return true;
    }

    private static void end(Viewer viewer, Exception why) {
        if (why != null) {
            LOG.log(Level.FINE, "http streams", why);
        }
        viewer.place.leave();
        try {
            viewer.wire.close();
        } catch (IOException e) {
            LOG.log(Level.FINE, "http streams", e);
        }
    }

    /** Ends all streams. The selector stays with its thread: to wake up a closed one would be to write into who knows what. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
