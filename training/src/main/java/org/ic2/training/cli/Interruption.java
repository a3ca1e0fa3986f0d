// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.cli;

/** Turns SIGINT and SIGTERM into an interrupt of the main thread, and waits until it has cleaned up. */
final class Interruption {
    private static final long PATIENCE_MS = 60_000;

    private volatile boolean over;

    private Interruption() {
    }

    static Interruption install(Thread main) {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (interruption.over) {
                return;
            }
            main.interrupt();
            try {
                main.join(PATIENCE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "end in order"));
        return interruption;
    }

    /** The main thread ends by itself. */
    void over() {
        over = true;
    }
}
