// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * One line per interval with what a mean of completed requests hides. Columns and units: faban-drivers/README.md. Each
 * line is flushed. A value that does not exist is empty, never 0.
 */
final class IntervalCsv implements Closeable {
    static final String HEADER = "time,elapsed,phase,users,throughput,response_time,response_time_p50,response_time_p95,"
            + "response_time_p99,errors,reconnects,connects,tls_resumed,bytes,pending_users,oldest_wait,"
            + "interactive_response_time,think_time,generator_lag,leaks,pages_checked,pages_stored,oldest_page,"
            + "anonymous,files,files_unchanged,queued,page_age,pages_left_out";

    private final Writer out;

    IntervalCsv(Path file) throws IOException {
        out = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
        line(HEADER);
    }

    /**
     * Writes the line of an interval that ended at {@code time}.
     *
     * @param queued operations of an open loop that wait for a user
     */
    void write(Instant time, double elapsed, Interval i, Optional<Integer> queued) throws IOException {
        Interval.Traffic t = i.traffic();
        line(String.join(",", number(time.toEpochMilli() / 1000.0, 3), number(elapsed, 3),
                i.phase().name().toLowerCase(Locale.ROOT), Integer.toString(i.users()), number(i.throughput(), 3),
                number(i.mean(), 6), number(i.percentile(50), 6), number(i.percentile(95), 6), number(i.percentile(99), 6),
                Long.toString(i.failures()), Long.toString(t.reconnects()), Long.toString(t.connects()),
                Long.toString(t.resumed()), Long.toString(t.bytes()), Integer.toString(i.pending()),
                number(i.oldestWait(), 6), number(i.interactiveResponseTime(), 6), number(i.thinkTime(), 6),
                number(i.lag(), 6), Long.toString(t.leaks()), Long.toString(t.pages().checked()),
                Long.toString(t.pages().stored()), number(t.pages().oldestOrNone(), 3),
                number(t.anonymous() / i.seconds(), 3), Long.toString(t.files()), Long.toString(t.unchanged()),
                queued.map(Object::toString).orElse(""), number(t.pages().meanOrNone(), 3), Long.toString(t.pages().leftOut())));
    }

    private void line(String text) throws IOException {
        out.write(text);
        out.write('\n');
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
