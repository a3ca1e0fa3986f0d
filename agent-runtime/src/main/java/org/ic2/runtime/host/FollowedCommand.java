// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The lines of a command that keeps running. When it ends, {@link #drain} reports its last words and starts it again,
 * at most once per {@link #RESTART_PAUSE}. The first call starts it.
 */
final class FollowedCommand implements LineSource {

    static final Duration RESTART_PAUSE = Duration.ofSeconds(5);

    /** Between the end of a command's output and its own. */
    private static final int END_MILLIS = 200;

    /** The other way round, where a busy machine has not read its last words yet. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    /** What must be so before the command can start. */
    interface Preparation {
        void prepare() throws IOException, InterruptedException;
    }

    private final ProcessBuilder builder;
    private final String title;
    private final Preparation preparation;
    private Process process;
    private CommandOutput output;
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
        List<String> taken = output.take(patience);
        if (taken.isEmpty() && (output.isOver() || !process.isAlive())) {
            throw ended();
        }
        return taken;
    }

    private IOException ended() throws IOException, InterruptedException {
        boolean dead = process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS);
        long end = System.nanoTime() + (dead ? LAST_WORDS.toNanos() : 0);
        do {
            output.take(Duration.ofMillis(END_MILLIS));
        } while (!output.isOver() && System.nanoTime() < end);
        close();
        IOException reason = new IOException(title + (dead ? " ended with status " + process.exitValue()
                : " closed its output and was ended") + ": "
                + (output.lastLine().isEmpty() ? "no output" : BoundedText.brief(output.lastLine())));
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
        output = new CommandOutput(title, process.getInputStream());
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
