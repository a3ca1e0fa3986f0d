// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs what may take its time, one after the other and beside the caller, who waits a little and no more. What does not come
 * back, such as a file system that is gone, keeps its own thread and its own key: another thread goes on with the rest, and
 * nothing more is begun for that key until it has come back. There are never more than {@value #MOST_THREADS} threads.
 */
public final class KeyedTaskRunner implements AutoCloseable {
    static final int MOST_THREADS = 8;
    private static final int STACK_BYTES = 256 * 1024;
    private static final long SHORTEST_WAIT_NANOS = 1_000_000;

    private final Duration patience;
    private final Deque<Map.Entry<String, Runnable>> waiting = new ArrayDeque<>();
    /** Keys of what waits or runs. */
    private final Set<String> open = new HashSet<>();
    private final Set<Worker> workers = new HashSet<>();
    private boolean closed;

    /** @param patience how long {@link #run} waits, and one errand may take before another thread goes on with the rest */
    public KeyedTaskRunner(Duration patience) {
        this.patience = patience;
    }

    /** One thread; {@code begun} is when it began what it does, 0 while it does nothing. */
    private final class Worker extends Thread {
        private long begun;
        private boolean idle = true;

        Worker() {
            super(null, null, "errands", STACK_BYTES);
            setDaemon(true);
        }

        @Override
        public void run() {
            for (Map.Entry<String, Runnable> errand = take(this); errand != null; errand = take(this)) {
                try {
                    errand.getValue().run();
                } finally {
                    done(errand.getKey());
                }
            }
        }
    }

    /**
     * Begins these, but for keys whose last one is still open, and waits until all are done or the patience is at its end.
     *
     * @param errands by key; they throw nothing
     */
    public synchronized void run(Map<String, Runnable> errands) throws InterruptedException {
        Map<String, Runnable> free = new LinkedHashMap<>(errands);
        free.keySet().removeAll(open);
        finish(free, patience);
    }

    /**
     * Begins each of these as soon as the last one of its key has come back, and waits until all are done.
     *
     * @param errands by key; they throw nothing
     * @param most    how long it waits
     */
    public synchronized void finish(Map<String, Runnable> errands, Duration most) throws InterruptedException {
        Map<String, Runnable> left = new LinkedHashMap<>(errands);
        Set<String> begun = new HashSet<>();
        long end = System.nanoTime() + most.toNanos();
        while (true) {
            for (String key : errands.keySet()) {
                if (left.containsKey(key) && !closed && open.add(key)) {
                    waiting.add(Map.entry(key, left.remove(key)));
                    begun.add(key);
                }
            }
            help();
            notifyAll();
            long rest = end - System.nanoTime();
            if (rest <= 0 || (left.isEmpty() || closed) && begun.stream().noneMatch(open::contains)) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.min(rest, Math.max(patience.toNanos(), SHORTEST_WAIT_NANOS)));
        }
    }

    /** True while the last errand of a key has not come back. */
    synchronized boolean isOpen(String key) {
        return open.contains(key);
    }

    synchronized int threads() {
        return workers.size();
    }

    /** A thread more, where all that there are have been away for too long. */
    private void help() {
        long now = System.nanoTime();
        if (!waiting.isEmpty() && workers.size() < MOST_THREADS
                && workers.stream().noneMatch(worker -> worker.idle || now - worker.begun < patience.toNanos())) {
            Worker worker = new Worker();
            workers.add(worker);
            worker.start();
        }
    }

    private synchronized Map.Entry<String, Runnable> take(Worker worker) {
        worker.idle = true;
        if (workers.stream().anyMatch(other -> other != worker && other.idle)) {
            workers.remove(worker);     // one that waits is enough
            return null;
        }
        while (waiting.isEmpty() && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                closed = true;
            }
        }
        if (waiting.isEmpty()) {
            workers.remove(worker);     // closed
            return null;
        }
        worker.idle = false;
        worker.begun = System.nanoTime();
        return waiting.poll();
    }

    private synchronized void done(String key) {
        open.remove(key);
        notifyAll();
    }

    /** Takes nothing more. What was taken is still done, beside whoever goes on; the threads end then. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
