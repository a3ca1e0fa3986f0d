// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;

/**
 * Labels for recordings from production, by time ranges that a person wrote: a CSV {@code from,to,label}, the times as
 * epoch seconds or as {@code 2026-05-07T14:00:00Z}. An interval that lies wholly within one range gets its label, one
 * that lies across a border is TRANSIENT, one outside all ranges gets {@code otherwise}.
 */
public final class TimeRanges implements Truth {
    private static final String HEADER = "from,to,label";

    private record Range(Instant from, Instant to, Label label) {
    }

    private final List<Range> ranges;
    private final Optional<Label> otherwise;

    private TimeRanges(List<Range> ranges, Optional<Label> otherwise) {
        this.ranges = ranges;
        this.otherwise = otherwise;
    }

    /**
     * The ranges of a file.
     *
     * @param source    the file's name, for error messages
     * @param otherwise label outside all ranges; empty: none
     * @throws FormatException if a line is not understood, a range is empty or two overlap
     */
    public static TimeRanges read(String source, List<String> lines, Optional<Label> otherwise) {
        if (lines.isEmpty() || !lines.get(0).strip().equals(HEADER)) {
            throw new FormatException(source, "line 1", "expected the header '" + HEADER + "', got '"
                    + (lines.isEmpty() ? "" : lines.get(0)) + "'");
        }
        List<Range> ranges = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                ranges.add(range(source, i + 1, Csv.cells(source, i + 1, lines.get(i).strip())));
            }
        }
        return of(source, ranges, otherwise);
    }

    /**
     * The ranges of many at once, by name: a file with one more column before these, such as {@code tenant,from,to,label}.
     *
     * @param columns what the first column may be called
     * @return the first column's heading, and the ranges by what stands in it
     */
    public static Map.Entry<String, Map<String, TimeRanges>> readMany(String source, List<String> lines, List<String> columns,
            Optional<Label> otherwise) {
        String header = lines.isEmpty() ? "" : lines.get(0).strip();
        int comma = header.indexOf(',');
        if (comma < 0 || !columns.contains(header.substring(0, comma)) || !header.substring(comma + 1).equals(HEADER)) {
            throw new FormatException(source, "line 1", "expected the header '" + String.join("|", columns) + "," + HEADER + "', got '"
                    + header + "'");
        }
        Map<String, List<Range>> ranges = new TreeMap<>();
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                List<String> cells = Csv.cells(source, i + 1, lines.get(i).strip());
                ranges.computeIfAbsent(cells.get(0).strip(), name -> new ArrayList<>())
                        .add(range(source, i + 1, cells.subList(1, cells.size())));
            }
        }
        Map<String, TimeRanges> byName = new TreeMap<>();
        ranges.forEach((name, own) -> byName.put(name, of(source, own, otherwise)));
        return Map.entry(header.substring(0, comma), byName);
    }

    private static TimeRanges of(String source, List<Range> ranges, Optional<Label> otherwise) {
        ranges.sort(Comparator.comparing(Range::from));
        for (int i = 1; i < ranges.size(); i++) {
            if (ranges.get(i).from().isBefore(ranges.get(i - 1).to())) {
                throw new FormatException(source, "range from " + ranges.get(i).from(), "overlaps the range from "
                        + ranges.get(i - 1).from() + " to " + ranges.get(i - 1).to() + "; let each moment have one label");
            }
        }
        return new TimeRanges(List.copyOf(ranges), otherwise);
    }

    private static Range range(String source, int line, List<String> cells) {
        if (cells.size() != 3) {
            throw new FormatException(source, "line " + line, "expected '" + HEADER + "', got " + cells.size() + " cells");
        }
        Label label = Arrays.stream(Label.values()).filter(one -> one.name().equals(cells.get(2).strip())).findFirst()
                .orElseThrow(() -> new FormatException(source, "line " + line, "column 'label': expected one of "
                        + Arrays.toString(Label.values()) + ", got '" + cells.get(2) + "'"));
        Range range = new Range(time(source, line, cells.get(0).strip()), time(source, line, cells.get(1).strip()), label);
        if (!range.from().isBefore(range.to())) {
            throw new FormatException(source, "line " + line, "expected 'from' before 'to', got " + range.from() + " and "
                    + range.to());
        }
        return range;
    }

    private static Instant time(String source, int line, String cell) {
        try {
            return cell.matches("\\d+(\\.\\d+)?") ? Instant.ofEpochMilli(Math.round(1000 * Double.parseDouble(cell)))
                    : OffsetDateTime.parse(cell).toInstant();
        } catch (DateTimeException e) {
            throw new FormatException(source, "line " + line, "expected epoch seconds or a time such as "
                    + "2026-05-07T14:00:00Z, got '" + cell + "'", e);
        }
    }

    @Override
    public Optional<Label> of(Instant from, Instant to) {
        Optional<Label> touched = Optional.empty();
        for (Range range : ranges) {
            if (!from.isBefore(range.from()) && !to.isAfter(range.to())) {
                return Optional.of(range.label());
            }
            if (from.isBefore(range.to()) && to.isAfter(range.from())) {
                touched = Optional.of(Label.TRANSIENT);
            }
        }
        return touched.isPresent() ? touched : otherwise;
    }
}
