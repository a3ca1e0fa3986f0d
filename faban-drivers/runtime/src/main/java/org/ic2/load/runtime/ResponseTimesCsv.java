// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One line per interval with the response times of its successful operations, as a histogram: percentiles of seconds cannot be
 * made into those of a minute, histograms can. A bucket is named by the most that it holds, in microseconds. Columns:
 * faban-drivers/README.md.
 */
final class ResponseTimesCsv implements Closeable {
    static final String FILE = "response-times.csv";
    static final String HEADER = "time,elapsed,phase,max,counts,operations";
    private static final long NANOS_PER_MICRO = 1000;
    /** Binary digits of a time that are told apart: a bucket is at most 1/128 of its times wide. */
    private static final int DIGITS = 8;

    private final Writer out;

    ResponseTimesCsv(Path folder) throws IOException {
        out = Files.newBufferedWriter(folder.resolve(FILE));
        out.write(HEADER + "\n");
        out.flush();
    }

    /** Writes the line of an interval that ended at {@code time}. */
    void write(Instant time, double elapsed, Interval i) throws IOException {
        Map<Long, Long> counts = new TreeMap<>();
        i.times().forEach(times -> Arrays.stream(times).forEach(nanos -> counts.merge(bucket(nanos), 1L, Long::sum)));
        out.write(String.join(",", StatsLine.decimals(time.toEpochMilli() / 1000.0, 3), StatsLine.decimals(elapsed, 3),
                i.phase().name().toLowerCase(Locale.ROOT), counts.isEmpty() ? "" : StatsLine.decimals(i.percentile(100), 6),
                counts.entrySet().stream().map(one -> one.getKey() + ":" + one.getValue()).collect(Collectors.joining(" ")),
                Long.toString(i.successes())) + "\n");
        out.flush();
    }

    /** The most microseconds that the bucket of a time holds. */
    static long bucket(long nanos) {
        long micros = (nanos + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(micros) - DIGITS);
        return (((micros >> shift) + 1) << shift) - 1;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
