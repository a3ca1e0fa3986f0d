// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.logging.Logger;

/** A recording that grows by whole lines. A full disk ends it, and nothing else. */
public final class LineRecording implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(LineRecording.class.getName());

    private final Path file;
    private BufferedWriter writer;

    /** @throws IOException when it cannot be opened so */
    public LineRecording(Path file, OpenOption... options) throws IOException {
        this.file = file;
        writer = Files.newBufferedWriter(file, options);
    }

    /**
     * Writes its first line.
     *
     * @throws IOException when it cannot be written: there is no recording then
     */
    public void begin(String line) throws IOException {
        write(line);
    }

    /** Adds a line. */
    public void add(String line) {
        if (writer == null) {
            return;
        }
        try {
            write(line);
        } catch (IOException e) {
            LOG.severe("the recording " + file + " ends here: " + e.getMessage());
            close();
        }
    }

    private void write(String line) throws IOException {
        writer.write(line);
        writer.write('\n');
        writer.flush();
    }

    /** True when it has ended. */
    public boolean isClosed() {
        return writer == null;
    }

    @Override
    public void close() {
        if (writer == null) {
            return;
        }
        BufferedWriter ended = writer;
        writer = null;
        try {
            ended.close();
        } catch (IOException e) {
            LOG.severe("cannot end the recording " + file + ": " + e.getMessage());
        }
    }
}
