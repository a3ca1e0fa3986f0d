// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.logging.Logger;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.knob.Quantity;

/** Writes samples as CSV, one line each, for {@code ic2 replay} and for training. A full disk ends the recording only. */
public final class Recorder implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Recorder.class.getName());

    private final Path file;
    private final List<Quantity> own;
    private BufferedWriter writer;

    /**
     * Creates the file, or continues one with the same columns.
     *
     * @param own the quantities that get a column beside those that every recording has; they stay the same while the
     *            file is written
     * @throws IOException when it cannot be written, is no regular file or has other columns
     */
    public Recorder(Path file, List<Quantity> own) throws IOException {
        this.file = file;
        this.own = List.copyOf(own);
        String header = SamplesCsv.header(own);
        // A FIFO or a device would hold up the loop when its reader does.
        String first = Files.exists(file) ? BoundedText.head(file, header.length() + 1, StandardCharsets.UTF_8) : "";
        boolean fresh = first.isEmpty();
        if (!fresh && !first.equals(header + "\n")) {
            throw new IOException(file + " exists and has other columns; name another file for the recording");
        }
        writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        if (fresh) {
            write(header);
        }
    }

    /** Adds a sample. */
    public void record(Sample sample) {
        if (writer == null) {
            return;
        }
        try {
            write(SamplesCsv.line(sample, own));
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
