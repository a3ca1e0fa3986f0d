// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a running command prints, read by a thread of its own so that the command never waits; as much as a {@link LineBuffer} holds. */
final class CommandOutput {

    private final LineBuffer buffer = new LineBuffer();
    private String lastLine = "";
    private boolean ended;

    /**
     * @param title for the thread
     */
    CommandOutput(String title, InputStream output) {
        Thread reader = new Thread(null, () -> copy(output), title, 128 * 1024);
        reader.setDaemon(true);
        reader.start();
    }

    private void copy(InputStream output) {
        byte[] chunk = new byte[8 * 1024];
        try (output) {
            for (int count = output.read(chunk); count > 0; count = output.read(chunk)) {
                synchronized (this) {
                    buffer.add(chunk, count);
                    notifyAll();
                }
            }
        } catch (IOException e) {
            said("reading its output failed: " + e.getMessage());
        } finally {
            synchronized (this) {
                ended = true;
                notifyAll();
            }
        }
    }

    private synchronized void said(String line) {
        lastLine = line;
    }

    /** The lines that have come; when there is none yet, waits up to {@code patience} for the first or the end. */
    synchronized List<String> take(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        for (long left = patience.toNanos(); buffer.isEmpty() && !ended && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        List<String> lines = buffer.take();
        lines.stream().filter(line -> !line.isBlank()).reduce((earlier, later) -> later).ifPresent(this::said);
        return lines;
    }

    /** True when nothing more comes and everything was taken. */
    synchronized boolean isOver() {
        return ended && buffer.isEmpty();
    }

    /** How many lines went because nobody took them in time. */
    synchronized long lost() {
        return buffer.lost();
    }

    /** The last line taken that is not blank: where most programs say why they end. */
    synchronized String lastLine() {
        return lastLine;
    }
}
