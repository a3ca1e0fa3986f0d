// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The lines of a command that keeps running. When it ends, {@link #drain} reports its last words and starts it again,
 * at most once per {@link #RESTART_PAUSE}. The first call starts it.
 */
final class FollowedCommand implements LineSource {

    static final Duration RESTART_PAUSE = Duration.ofSeconds(5);

    /** Lines that nobody took; beyond that the oldest go. */
    private static final int MOST_LINES_WAITING = 20_000;

    /** What must be so before the command can start. */
    interface Preparation {
        void prepare() throws IOException, InterruptedException;
    }

    private final ProcessBuilder builder;
    private final String title;
    private final Preparation preparation;
    private Process process;
    private LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>(MOST_LINES_WAITING);
    private volatile String lastLine = "";
    private long startedNanos;

    FollowedCommand(String title, List<String> command, Preparation preparation) {
        this.title = title;
        this.preparation = preparation;
        builder = new ProcessBuilder(command).redirectErrorStream(true);
        // The columns and decimals of collectors depend on these.
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("S_TIME_FORMAT", "ISO");
    }

    @Override
    public List<String> drain(Duration patience) throws IOException, InterruptedException {
        if (process == null) {
            start();
        }
        List<String> taken = new ArrayList<>();
        if (lines.drainTo(taken) == 0) {
            if (!process.isAlive()) {
                throw ended();
            }
            String first = lines.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (first != null) {
                taken.add(first);
                lines.drainTo(taken);
            } else if (!process.isAlive()) {
                throw ended();
            }
        }
        return taken;
    }

    private IOException ended() throws IOException, InterruptedException {
        IOException reason = new IOException(title + " ended with status " + process.exitValue() + ": "
                + (lastLine.isEmpty() ? "no output" : lastLine));
        if (System.nanoTime() - startedNanos > RESTART_PAUSE.toNanos()) {
            start();
        }
        return reason;
    }

    private void start() throws IOException, InterruptedException {
        startedNanos = System.nanoTime();
        preparation.prepare();
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new IOException("cannot start " + title + ": " + e.getMessage(), e);
        }
        process.getOutputStream().close();
        InputStream output = process.getInputStream();
        LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>(MOST_LINES_WAITING);
        lines = queue;
        Thread reader = new Thread(null, () -> copy(output, queue), title, 128 * 1024);
        reader.setDaemon(true);
        reader.start();
    }

    private void copy(InputStream output, LinkedBlockingQueue<String> queue) {
        LineBuffer buffer = new LineBuffer();
        byte[] chunk = new byte[8 * 1024];
        try (output) {
            for (int count = output.read(chunk); count > 0; count = output.read(chunk)) {
                buffer.add(chunk, count);
                for (String line : buffer.take()) {
                    while (!queue.offer(line)) {
                        queue.poll();
                    }
                    if (!line.isBlank()) {
                        lastLine = line;
                    }
                }
            }
        } catch (IOException e) {
            lastLine = "reading its output failed: " + e.getMessage();
        }
    }

    @Override
    public void close() {
        if (process == null) {
            return;
        }
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }
}
