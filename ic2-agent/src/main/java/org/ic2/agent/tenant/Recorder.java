// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.loop.LineRecording;

/** Writes samples as CSV, one line each, for {@code ic2 replay} and for training. A full disk ends the recording only. */
public final class Recorder implements AutoCloseable {

    private final List<Quantity> own;
    private final LineRecording lines;

    /**
     * Creates the file, or continues one with the same columns.
     *
     * @param own the quantities that get a column beside those that every recording has; they stay the same while the
     *            file is written
     * @throws IOException when it cannot be written, is no regular file or has other columns
     */
    public Recorder(Path file, List<Quantity> own) throws IOException {
        this.own = List.copyOf(own);
        String header = SamplesCsv.header(own);
        // A FIFO or a device would hold up the loop when its reader does.
        String first = Files.exists(file) ? BoundedText.head(file, header.length() + 1, StandardCharsets.UTF_8) : "";
        boolean fresh = first.isEmpty();
        if (!fresh && !first.equals(header + "\n")) {
            throw new IOException(file + " exists and has other columns; name another file for the recording");
        }
        lines = new LineRecording(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        if (fresh) {
            lines.begin(header);
        }
    }

    /** Adds a sample. */
    public void record(Sample sample) {
        lines.add(SamplesCsv.line(sample, own));
    }

    @Override
    public void close() {
        lines.close();
    }
}
