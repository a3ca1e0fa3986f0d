// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Locale;

/**
 * The log of a run in the layout of java.util.logging's SimpleFormatter with one line per record and ISO time. Each
 * record is flushed, so that another program can follow the file. Safe for all threads.
 */
final class DriverLog implements Closeable {
    private static final String MASTER = "com.sun.faban.driver.engine.MasterImpl";
    private static final String LAYOUT = "%1$tFT%1$tT.%1$tL%1$tz %2$s %3$s - %4$s%n";

    private final Writer file;
    private final PrintStream mirror;
    private final Clock clock;

    /**
     * Creates a log.
     *
     * @param path   file, which must not exist
     * @param mirror prints the same lines; null for none
     * @param clock  time of the records
     */
    DriverLog(Path path, PrintStream mirror, Clock clock) throws IOException {
        this.file = Files.newBufferedWriter(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.mirror = mirror;
        this.clock = clock;
    }

    /** Says something that Faban does not say. */
    void own(String message) {
        write("INFO", "org.ic2.load.runtime.LoadRun run", message);
    }

    /** Says what Faban's master says, from the same method, so that readers find it. */
    void master(String method, String message) {
        write("INFO", MASTER + " " + method, message);
    }

    /** Writes a runtime statistics line. */
    void stats(String message) {
        write("INFO", MASTER + "$StatsWriter dumpStats", message);
    }

    /** Tells of a failed operation, as Faban's agent does. */
    void failure(String message) {
        write("WARNING", "com.sun.faban.driver.engine.AgentThread logError", message);
    }

    private synchronized void write(String level, String source, String message) {
        String line = String.format(Locale.ROOT, LAYOUT, clock.instant().atZone(clock.getZone()), level, source, message);
        try {
            file.write(line);
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the log of the run cannot be written", e);
        }
        if (mirror != null) {
            mirror.print(line);
            mirror.flush();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
