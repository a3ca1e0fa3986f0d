// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Writes the steps that have ended on a thread of its own, so that nobody waits for a disk that is busy or hangs. */
final class HistoryWriter {

    /** Five minutes. */
    static final int MOST_WAITING = 30;
    private static final int STACK = 128 * 1024;

    private final Deque<HistoryPoint> waiting = new ArrayDeque<>();
    private final Consumer<HistoryPoint> sink;
    private final Runnable last;
    private final Thread thread;
    private boolean busy;
    private boolean closed;

    /**
     * @param sink puts a step where it belongs
     * @param last done when all is written after {@link #close}
     */
    HistoryWriter(Consumer<HistoryPoint> sink, Runnable last) {
        this.sink = sink;
        this.last = last;
        thread = new Thread(null, this::run, "history", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes a step in and returns at once; false when so many wait that the oldest had to go. */
    synchronized boolean add(HistoryPoint step) {
        boolean room = waiting.size() < MOST_WAITING;
        if (!room) {
            waiting.removeFirst();
        }
        waiting.addLast(step);
        notifyAll();
        return room;
    }

    /** Whether all that was taken in is written. */
    synchronized boolean idle() {
        return waiting.isEmpty() && !busy;
    }

    private void run() {
        try {
            for (HistoryPoint step = next(); step != null; step = next()) {
                sink.accept(step);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            last.run();
        }
    }

    private synchronized HistoryPoint next() throws InterruptedException {
        busy = false;
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        busy = !waiting.isEmpty();
        return waiting.poll();
    }

    /** Writes what waits; false when that is not done in time. */
    boolean close(Duration time) {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
