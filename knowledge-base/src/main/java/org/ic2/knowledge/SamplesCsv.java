// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Vocabulary;

/**
 * Samples as lines of text and back, as pure functions: a header line, then one line a sample. Missing is an empty
 * cell. Reading what was written gives an equal sample.
 *
 * <p>Columns: {@code time} (epoch seconds, 3 decimals), {@code member}, the metrics in the order of {@link Metric},
 * {@code epoch}, {@code epoch_end} (empty unless the sample straddles two epochs), {@code label} (empty if unknown),
 * then the quantities that are no {@link Metric}, if the vocabulary has some, by name. Whoever gathers recordings of many tenants may
 * add the columns of {@link #ORIGIN}.
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

    /**
     * Columns in which a recording may say whose it is, beside those of every recording: the tenant (whose web tier), the
     * physical host under it, and the web application. They make no sample another one: {@link Reader#cell} has them.
     */
    public static final List<String> ORIGIN = List.of("tenant", "host", "application");

    private SamplesCsv() {
    }

    /**
     * The quantities of a vocabulary that are no {@link Metric}, in the order of their columns.
     *
     * @throws IllegalArgumentException if one has the name of a column that every recording has
     */
    public static List<Quantity> own(Vocabulary vocabulary) {
        List<Quantity> own = vocabulary.quantities().stream().filter(quantity -> !(quantity instanceof Metric))
                .sorted(Comparator.comparing(Quantity::column)).toList();
        own.stream().filter(quantity -> COLUMNS.contains(quantity.column())
                || ORIGIN.contains(quantity.column())).findFirst().ifPresent(quantity -> {
            throw new IllegalArgumentException("the column '" + quantity.column() + "' is taken");
        });
        return own;
    }

    /** The names of the columns that every recording has, in the order in which {@link #line} writes them. */
    public static List<String> columns() {
        return COLUMNS;
    }

    /** The header line, without a line end. */
    public static String header() {
        return String.join(",", COLUMNS);
    }

    /** The header line of a recording with further quantities, without a line end. */
    public static String header(List<Quantity> own) {
        return Stream.concat(COLUMNS.stream(), own.stream().map(Quantity::column)).collect(Collectors.joining(","));
    }

    /** The sample as one line with further quantities, without a line end. */
    public static String line(Sample sample, List<Quantity> own) {
        StringBuilder line = new StringBuilder(line(sample));
        own.forEach(quantity -> line.append(',').append(sample.has(quantity) ? number(sample.get(quantity)) : ""));
        return line.toString();
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
        return reader(source, header, others, List.of());
    }

    /** The same for a recording with further quantities. */
    public static Reader reader(String source, String header, List<Quantity> own) {
        return reader(source, header, Set.of(), own);
    }

    private static Reader reader(String source, String header, Set<String> others, List<Quantity> own) {
        List<String> known = Stream.of(COLUMNS.stream(), own.stream().map(Quantity::column), others.stream(), ORIGIN.stream())
                .flatMap(columns -> columns).toList();
        String[] names = header.strip().split(",", -1);
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            String name = names[i].strip();
            if (!known.contains(name)) {
                throw new FormatException(source, "line 1", "unknown column '" + name + "'; expected one of "
                        + String.join(", ", known));
            }
            if (places.put(name, i) != null) {
                throw new FormatException(source, "line 1", "column '" + name + "' is there twice");
            }
        }
        if (!places.containsKey(TIME)) {
            throw new FormatException(source, "line 1", "no column 'time'; expected a header line such as "
                    + "'time,response_time,throughput,cpu_util'");
        }
        return new Reader(source, names.length, Map.copyOf(places), own);
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
        /** In the order in which a sample is built, without those that the file lacks. */
        private final List<Measured> measured;

        /** What one column holds. */
        private record Measured(Quantity quantity, int place) {
        }

        private Reader(String source, int width, Map<String, Integer> places, List<Quantity> own) {
            this.measured = Stream.<Quantity>concat(Arrays.stream(Metric.values()), own.stream())
                    .filter(quantity -> places.containsKey(quantity.column()))
                    .map(quantity -> new Measured(quantity, places.get(quantity.column()))).toList();
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
            builder.member(member(text(cells, MEMBER), number));
            for (Measured one : measured) {
                String cell = cells[one.place()].strip();
                if (!cell.isEmpty()) {
                    builder.set(one.quantity(), number(cell, one.quantity().column(), number));
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

        private String member(String cell, int line) {
            String name = cell.isEmpty() ? Sample.WEB : cell;
            if (!Sample.isMember(name)) {
                throw new FormatException(source, "line " + line, "column 'member': expected letters, digits, '-', '_', '.', got '"
                        + cell + "'");
            }
            return name;
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
