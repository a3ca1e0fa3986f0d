// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.host.BoundedText;

/** Tables as HAProxy prints them: a line with the columns' names, then rows. */
public final class HaproxyTable {

    private HaproxyTable() {
    }

    /** A row: what stands in it by the names of the columns. */
    public record Row(List<String> fields, Map<String, Integer> columns) {
        /** @throws IOException if there is no such column */
        public String text(String column) throws IOException {
            Integer place = columns.get(column);
            if (place == null || place >= fields.size()) {
                throw new IOException("HAProxy's statistics have no " + column + " in \"" + BoundedText.brief(String.join(",", fields)) + "\"");
            }
            return fields.get(place);
        }

        /** Empty if there is no such column: some are for who may know more. */
        public String textOrNone(String column) {
            Integer place = columns.get(column);
            return place == null || place >= fields.size() ? "" : fields.get(place);
        }

        int number(String column) throws IOException {
            String text = text(column);
            if (!text.matches("\\d{1,7}")) {
                throw new IOException("HAProxy's statistics: " + column + ": expected a number, got \"" + BoundedText.brief(text) + "\"");
            }
            return Integer.parseInt(text);
        }
    }

    /** The rows of statistics as CSV; none if there is no line with names. */
    static List<Row> statistics(String csv) throws IOException {
        Map<String, Integer> columns = Map.of();
        List<Row> rows = new ArrayList<>();
        for (String line : BoundedText.lines(csv, "HAProxy's statistics")) {
            if (line.startsWith("# pxname,")) {
                columns = columns(fields(line.substring(2)));
            } else if (!columns.isEmpty() && !line.isBlank()) {
                rows.add(new Row(fields(line), columns));
            }
        }
        return rows;
    }

    /** The rows of {@code show servers state}. */
    static List<Row> states(String text) throws IOException {
        Map<String, Integer> columns = Map.of();
        List<Row> rows = new ArrayList<>();
        for (String line : BoundedText.lines(text, "the servers' states")) {
            List<String> words = List.of(line.strip().split(" +"));
            if (line.startsWith("# be_id ")) {
                columns = columns(words.subList(1, words.size()));
            } else if (!columns.isEmpty() && words.size() > 1) {
                rows.add(new Row(words, columns));
            }
        }
        return rows;
    }

    private static Map<String, Integer> columns(List<String> names) {
        Map<String, Integer> columns = new HashMap<>();
        for (int place = 0; place < names.size(); place++) {
            columns.putIfAbsent(names.get(place), place);
        }
        return columns;
    }

    /** The fields of a line, of which some are in quotation marks. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (char letter : line.toCharArray()) {
            if (letter == '"') {
                quoted = !quoted;
            } else if (letter == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(letter);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
