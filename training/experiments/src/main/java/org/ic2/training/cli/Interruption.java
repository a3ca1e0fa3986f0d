// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Turns SIGINT and SIGTERM into an interrupt of the main thread, and waits until it has cleaned up. */
final class Interruption {
    private static final long CLEAN_UP_SECONDS = 60;

    private final CountDownLatch over = new CountDownLatch(1);

    private Interruption() {
    }

    static Interruption install(Thread main) {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (interruption.over.getCount() == 0) {
                return;
            }
            main.interrupt();
            try {
                // not main.join(): main ends with System.exit, which waits for this thread
                interruption.over.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "end in order"));
        return interruption;
    }

    /** The main thread has done its work, or cleaned up. */
    void over() {
        over.countDown();
    }
}
