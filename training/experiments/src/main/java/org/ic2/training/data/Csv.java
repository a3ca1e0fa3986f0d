// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.knowledge.FormatException;

/**
 * A line of comma-separated values, read and written in one place. By the line, because files that still grow are read too,
 * and because messages name the line. A cell in double quotes may hold commas, and quotes written twice.
 */
public final class Csv {
    private static final CsvMapper MAPPER = CsvMapper.builder().enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING).build();
    private static final ObjectReader READER = MAPPER.readerForListOf(String.class);
    private static final ObjectWriter WRITER = MAPPER.writer(MAPPER.schema().withLineSeparator("\n"));

    private Csv() {
    }

    /**
     * The cells of a line, empty ones as empty texts.
     *
     * @throws IllegalArgumentException if it is no CSV, such as a quote without its end
     */
    public static List<String> cells(String line) {
        if (line.isBlank()) {
            return List.of(line);
        }
        try {
            return READER.readValue(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("expected comma-separated values, got '" + line + "': " + e.getOriginalMessage(), e);
        }
    }

    /**
     * The same of a file that a person may have to mend.
     *
     * @throws FormatException naming the file and the line, counted from 1
     */
    static List<String> cells(String source, int number, String line) {
        try {
            return cells(line);
        } catch (IllegalArgumentException e) {
            throw new FormatException(source, "line " + number, e.getMessage(), e);
        }
    }

    /**
     * The rows below a file's heading, in their order, none if there is no file. A row of another number of cells was cut short, and
     * does not count.
     */
    public static List<List<String>> rows(Path file, int cells) throws IOException {
        return Files.exists(file) ? rows(TextFiles.lines(file), cells) : List.of();
    }

    private static List<List<String>> rows(List<String> lines, int cells) {
        return lines.stream().skip(1).map(Csv::cells).filter(row -> row.size() == cells).toList();
    }

    /** The rows of a file by its columns; one that was cut short does not count. */
    public static List<Map<String, String>> maps(Path file) throws IOException {
        List<String> lines = TextFiles.lines(file);
        List<String> columns = lines.isEmpty() ? List.of() : cells(lines.get(0));
        return rows(lines, columns.size()).stream().map(row -> IntStream.range(0, row.size()).boxed().collect(Collectors.toMap(columns::get,
                row::get))).toList();
    }

    /** The number of a cell, NaN of an empty one. */
    public static double number(String cell) {
        return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    }

    /** The line of these cells, without its end. */
    public static String line(List<String> cells) {
        try {
            return WRITER.writeValueAsString(cells).stripTrailing();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
