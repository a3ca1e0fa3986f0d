// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that runs beside us, its output in a log; it ends with us. */
final class ChildProcess implements AutoCloseable {
    private static final Duration TERMINATE_WITHIN = Duration.ofSeconds(20);
    private static final int TAIL_LINES = 5;

    private final String name;
    private final Path log;
    private final Process process;

    private ChildProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    static ChildProcess start(String name, List<String> command, Path log) throws IOException {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            return new ChildProcess(name, log, builder.start());
        } catch (IOException e) {
            throw new RunException("cannot start " + name + " (" + String.join(" ", command) + "): " + e.getMessage(), e);
        }
    }

    /** Runs a command to its end. */
    static void run(String name, List<String> command, Path log) throws IOException, InterruptedException {
        ChildProcess child = start(name, command, log);
        try {
            if (child.process.waitFor() != 0) {
                throw child.failure("failed with exit status " + child.process.exitValue());
            }
        } finally {
            child.close();
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Throws if it ended by itself. */
    void mustLive() throws RunException {
        if (!process.isAlive()) {
            throw failure("ended by itself with exit status " + process.exitValue());
        }
    }

    /** True if it ended with another exit status than 0. */
    boolean failed() {
        return !process.isAlive() && process.exitValue() != 0;
    }

    /** Throws if it ended and not well. */
    void mustNotFail() throws RunException {
        if (failed()) {
            throw failure("failed with exit status " + process.exitValue());
        }
    }

    RunException failure(String what) {
        return new RunException(name + " " + what + "; the end of " + log + ":\n" + tail());
    }

    private String tail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException | UncheckedIOException e) {
            return "(cannot be read: " + e.getMessage() + ")";
        }
    }

    /** Asks it to end, waits, and kills it if it does not. An interrupt does not keep it alive. */
    @Override
    public void close() {
        process.destroy();
        boolean interrupted = false;
        long end = System.nanoTime() + TERMINATE_WITHIN.toNanos();
        while (process.isAlive() && System.nanoTime() < end) {
            try {
                process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
