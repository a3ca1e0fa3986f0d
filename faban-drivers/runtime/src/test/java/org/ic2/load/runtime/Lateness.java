// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.util.concurrent.locks.LockSupport;

/** How long a thread that may run waits for a CPU: a thread of its own sleeps for a millisecond, and notes how late it woke. */
final class Lateness implements Closeable {
    private static final long SLEEP_NANOS = 1_000_000;
    private static final double NANOS = 1e9;

    private final Thread thread = new Thread(this::watch, "lateness");
    private volatile boolean closed;
    private double sum;
    private long count;

    Lateness() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            long due = System.nanoTime() + SLEEP_NANOS;
            long now = due - SLEEP_NANOS;
            while (now < due) {
                LockSupport.parkNanos(due - now);
                now = System.nanoTime();
            }
            note((now - due) / NANOS);
        }
    }

    private synchronized void note(double late) {
        sum += late;
        count++;
    }

    /** Seconds, the mean of all wakings since the last call; 0 if there was none. */
    synchronized double meanSinceLast() {
        double mean = count == 0 ? 0 : sum / count;
        sum = 0;
        count = 0;
        return mean;
    }

    @Override
    public void close() {
        closed = true;
    }
}
