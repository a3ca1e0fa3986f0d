// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;

/**
 * One line per interval and kind of operation. Columns and units: faban-drivers/README.md. The lines of an interval are flushed
 * together. A value that does not exist is empty, never 0.
 */
final class OperationsCsv implements Closeable {
    static final String FILE = "operations.csv";
    static final String HEADER = "time,elapsed,phase,operation,throughput,response_time,response_time_p50,response_time_p95,"
            + "response_time_p99,response_time_max,errors";

    private final DriverModel model;
    private final Writer out;

    OperationsCsv(Path folder, DriverModel model) throws IOException {
        this.model = model;
        out = Files.newBufferedWriter(folder.resolve(FILE));
        out.write(HEADER + "\n");
        out.flush();
    }

    /** Writes the lines of an interval that ended at {@code time}. */
    void write(Instant time, double elapsed, Interval i) throws IOException {
        String begin = number(time.toEpochMilli() / 1000.0, 3) + "," + number(elapsed, 3) + ","
                + i.phase().name().toLowerCase(Locale.ROOT) + ",";
        for (int k = 0; k < model.operations().size(); k++) {
            Totals totals = i.operations().get(k);
            out.write(begin + String.join(",", model.operations().get(k).name(), number(totals.successes() / i.seconds(), 3),
                    number(totals.mean(), 6), number(i.percentile(k, 50), 6), number(i.percentile(k, 95), 6),
                    number(i.percentile(k, 99), 6), number(totals.max(), 6), Long.toString(totals.failures())) + "\n");
        }
        out.flush();
    }

    private static String number(double value, int decimals) {
        return Double.isNaN(value) ? "" : StatsLine.decimals(value, decimals);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
