// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * An open loop: operations are wanted at the moments of a Poisson process, whether those before are answered or not. Each is done by
 * a user who has none to do; if no user is free it waits, and that is part of its response time, which counts from the moment at
 * which it was wanted. So a server that stands still does not slow down those who come meanwhile, as it does in a closed loop.
 */
final class OpenLoop implements Runnable {
    private static final long END = Long.MIN_VALUE;
    private static final double NANOS = 1e9;

    private final double rate;
    private final Random random;
    private final StatsRecorder recorder;
    private final BlockingQueue<Long> wanted = new LinkedBlockingQueue<>();
    private volatile long begin;
    private volatile boolean ended;
    private volatile Thread thread;

    /**
     * None yet.
     *
     * @param rate   operations per second
     * @param random draws the times between them
     */
    OpenLoop(double rate, Random random, StatsRecorder recorder) {
        this.rate = rate;
        this.random = random;
        this.recorder = recorder;
    }

    /** Begins at a moment by {@link System#nanoTime()}, on a thread of its own. */
    void start(long from) {
        begin = from;
        thread = new Thread(this, "arrivals");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        long next = begin + draw();
        while (!ended) {
            for (long left = next - System.nanoTime(); left > 0 && !ended; left = next - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            if (!ended) {
                recorder.late(System.nanoTime() - next);
                wanted.add(next);
            }
            next += draw();
        }
    }

    private long draw() {
        return Math.round(-Math.log(1 - random.nextDouble()) / rate * NANOS);
    }

    /** When the next operation was wanted, as soon as there is one; empty at the end of the run. */
    OptionalLong take() throws InterruptedException {
        long one = wanted.take();
        if (one == END) {
            wanted.add(END);
            return OptionalLong.empty();
        }
        return OptionalLong.of(one);
    }

    /** How many wait for a user. */
    int waiting() {
        return wanted.size();
    }

    /** No more; who waits for one hears it. */
    void end() {
        ended = true;
        wanted.clear();
        wanted.add(END);
        LockSupport.unpark(thread);
    }
}
