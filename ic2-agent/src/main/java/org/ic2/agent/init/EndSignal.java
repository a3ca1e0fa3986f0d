// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.concurrent.CountDownLatch;

/**
 * A signal that would end the process (SIGINT, SIGTERM, SIGHUP): it interrupts the thread that made this, and the process ends when
 * that thread closes it.
 */
final class EndSignal implements AutoCloseable {

    private final Thread worker = Thread.currentThread();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread hook = new Thread(this::came, "end");
    private boolean held;
    private boolean interrupted;

    EndSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Runs in the shutdown hook: the virtual machine ends when this returns. */
    private void came() {
        synchronized (this) {
            if (!held) {
                interrupted = true;
                worker.interrupt();
            }
        }
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on nothing interrupts the thread. True if a signal has come before. */
    synchronized boolean hold() {
        held = true;
        Thread.interrupted();
        return interrupted;
    }

    /** Lets the process end, and does not return: what this thread went on to say would be heard or not, by chance. */
    void giveWay() throws InterruptedException {
        over.countDown();
        worker.join();
    }

    @Override
    public void close() {
        over.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it runs
        }
    }
}
