// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.ic2.load.workload.ErrorKind;

/** One line per interval and kind of error, where there was one. Columns: faban-drivers/README.md. */
final class ErrorsCsv implements Closeable {
    static final String FILE = "errors.csv";
    static final String HEADER = "time,elapsed,phase,kind,errors";

    private final Writer out;

    ErrorsCsv(Path folder) throws IOException {
        out = Files.newBufferedWriter(folder.resolve(FILE));
        out.write(HEADER + "\n");
        out.flush();
    }

    /** Writes the lines of an interval that ended at {@code time}. */
    void write(Instant time, double elapsed, Interval i) throws IOException {
        for (Map.Entry<ErrorKind, Long> one : i.errors().entrySet()) {
            out.write(String.join(",", StatsLine.decimals(time.toEpochMilli() / 1000.0, 3), StatsLine.decimals(elapsed, 3),
                    i.phase().name().toLowerCase(Locale.ROOT), one.getKey().name().toLowerCase(Locale.ROOT), one.getValue().toString()) + "\n");
        }
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
