// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Samples as lines of text and back, as pure functions: a header line, then one line a sample. Missing is an empty
 * cell. Reading what was written gives an equal sample.
 *
 * <p>Columns: {@code time} (epoch seconds, 3 decimals), {@code member}, the metrics in the order of {@link Metric},
 * {@code epoch}, {@code epoch_end} (empty unless the sample straddles two epochs), {@code label} (empty if unknown).
 * The derived columns are written for other programs and computed anew when read.
 */
public final class SamplesCsv {
    private static final String TIME = "time";
    private static final String MEMBER = "member";
    private static final String EPOCH = "epoch";
    private static final String EPOCH_END = "epoch_end";
    private static final String LABEL = "label";
    private static final List<String> COLUMNS = Stream.of(Stream.of(TIME, MEMBER),
                    Arrays.stream(Metric.values()).map(Metric::column), Stream.of(EPOCH, EPOCH_END, LABEL))
            .flatMap(names -> names).toList();

    private SamplesCsv() {
    }

    /** The names of all columns, in the order in which {@link #line} writes them. */
    public static List<String> columns() {
        return COLUMNS;
    }

    /** The header line, without a line end. */
    public static String header() {
        return String.join(",", COLUMNS);
    }

    /** The sample as one line, without a line end. */
    public static String line(Sample sample) {
        StringBuilder line = new StringBuilder(256);
        appendTime(line, sample.time());
        line.append(',').append(sample.member());
        for (Metric metric : Metric.values()) {
            line.append(',');
            if (sample.has(metric)) {
                line.append(number(sample.get(metric)));
            }
        }
        line.append(',').append(sample.epoch()).append(',');
        if (sample.straddlesEpochs()) {
            line.append(sample.epochEnd());
        }
        return line.append(',').append(sample.label().map(Label::name).orElse("")).toString();
    }

    private static void appendTime(StringBuilder line, Instant time) {
        long millis = time.toEpochMilli();
        String fraction = Long.toString(1000 + Math.abs(millis % 1000));
        line.append(millis < 0 ? "-" : "").append(Math.abs(millis / 1000)).append('.').append(fraction, 1, 4);
    }

    /** The shortest text that reads back as the same number; whole numbers without a point. */
    public static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value)
                : Double.toString(value);
    }

    /**
     * Understands a header line.
     *
     * @param source for error messages: the file's name
     * @param header the first line
     * @param others further columns that the caller knows, for {@link Reader#cell}
     * @throws FormatException if a column is unknown or twice, or {@code time} is not among them
     */
    public static Reader reader(String source, String header, Set<String> others) {
        String[] names = header.strip().split(",", -1);
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            String name = names[i].strip();
            if (!COLUMNS.contains(name) && !others.contains(name)) {
                throw new FormatException(source, "line 1", "unknown column '" + name + "'; expected one of "
                        + Stream.concat(COLUMNS.stream(), others.stream()).collect(Collectors.joining(", ")));
            }
            if (places.put(name, i) != null) {
                throw new FormatException(source, "line 1", "column '" + name + "' is there twice");
            }
        }
        if (!places.containsKey(TIME)) {
            throw new FormatException(source, "line 1", "no column 'time'; expected a header line such as "
                    + "'time,response_time,throughput,cpu_util'");
        }
        return new Reader(source, names.length, Map.copyOf(places));
    }

    /** The same without further columns. */
    public static Reader reader(String source, String header) {
        return reader(source, header, Set.of());
    }

    /** Reads all lines of a file, the header first; blank lines are skipped. */
    public static List<Sample> read(String source, List<String> lines) {
        if (lines.isEmpty()) {
            throw new FormatException(source, "line 1", "the file is empty; expected a header line");
        }
        Reader reader = reader(source, lines.get(0));
        List<Sample> samples = new ArrayList<>(lines.size());
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                samples.add(reader.sample(lines.get(i), i + 1));
            }
        }
        return samples;
    }

    /** Reads the lines below one header. */
    public static final class Reader {
        private final String source;
        private final int width;
        private final Map<String, Integer> places;

        private Reader(String source, int width, Map<String, Integer> places) {
            this.source = source;
            this.width = width;
            this.places = places;
        }

        /** The text of one cell, empty if the cell is empty or the file has no such column. */
        public Optional<String> cell(String line, String column) {
            Integer place = places.get(column);
            String[] cells = line.split(",", -1);
            return place == null || place >= cells.length || cells[place].isBlank() ? Optional.empty()
                    : Optional.of(cells[place].strip());
        }

        /**
         * The sample of one line.
         *
         * @param number the line's number in the file, from 1, for error messages
         * @throws FormatException if the line has too few or too many cells, or a cell is not a number
         */
        public Sample sample(String line, int number) {
            String[] cells = line.strip().split(",", -1);
            if (cells.length != width) {
                throw new FormatException(source, "line " + number, "expected " + width
                        + " cells as in the header, got " + cells.length);
            }
            String time = text(cells, TIME);
            Sample.Builder builder = Sample.at(Instant.ofEpochMilli(Math.round(1000 * number(time, TIME, number))));
            String member = text(cells, MEMBER);
            builder.member(member.isEmpty() ? Sample.WEB : member);
            for (Metric metric : Metric.values()) {
                String cell = text(cells, metric.column());
                if (!cell.isEmpty()) {
                    builder.set(metric, number(cell, metric.column(), number));
                }
            }
            String epoch = text(cells, EPOCH);
            String epochEnd = text(cells, EPOCH_END);
            long first = epoch.isEmpty() ? 0 : whole(epoch, EPOCH, number);
            builder.epochs(first, epochEnd.isEmpty() ? first : whole(epochEnd, EPOCH_END, number));
            return builder.label(label(text(cells, LABEL), number)).build();
        }

        private String text(String[] cells, String column) {
            Integer place = places.get(column);
            return place == null ? "" : cells[place].strip();
        }

        private double number(String cell, String column, int line) {
            try {
                double value = Double.parseDouble(cell);
                if (Double.isFinite(value)) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // reported below, with the place
            }
            throw new FormatException(source, "line " + line, "column '" + column
                    + "': expected a number or nothing, got '" + cell + "'");
        }

        private long whole(String cell, String column, int line) {
            try {
                return Long.parseLong(cell);
            } catch (NumberFormatException e) {
                throw new FormatException(source, "line " + line, "column '" + column
                        + "': expected a whole number, got '" + cell + "'", e);
            }
        }

        private Label label(String cell, int line) {
            if (cell.isEmpty()) {
                return null;
            }
            return Arrays.stream(Label.values()).filter(label -> label.name().equals(cell)).findFirst()
                    .orElseThrow(() -> new FormatException(source, "line " + line, "column 'label': expected one of "
                            + Arrays.toString(Label.values()) + ", got '" + cell + "'"));
        }
    }
}
