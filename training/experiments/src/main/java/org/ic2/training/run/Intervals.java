// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.training.data.Csv;
import org.ic2.training.data.TextFiles;

/**
 * One line of the load's {@code intervals.csv}: what the client saw.
 *
 * @param time   end of the interval, epoch seconds
 * @param phase  {@code ramp_up}, {@code steady}, ...
 * @param values the numbers by column; missing ones are absent
 * @param requests how long each request took; empty if the load did not say it
 */
public record Intervals(double time, String phase, Map<String, Double> values, Optional<RequestTimes> requests) {
    /** Its file, in the load's folder. */
    public static final String FILE = "intervals.csv";
    private static final String ELAPSED = "elapsed";
    private static final String STEADY = "steady";

    /** The value of a column, NaN if missing. */
    public double get(String column) {
        return values.getOrDefault(column, Double.NaN);
    }

    /** True once the load says that its steady state has begun. */
    static boolean steady(Path file) throws IOException {
        return Files.exists(file) && read(file).stream().anyMatch(line -> line.phase().startsWith(STEADY));
    }

    /**
     * The lines as if each had been written when its interval ended: on a busy machine some are late by seconds, but the
     * time that the load itself had passed is exact, and the least late line says when it began.
     */
    public static List<Intervals> onTime(List<Intervals> lines) {
        double begin = lines.stream().mapToDouble(Intervals::begin).min().orElse(Double.NaN);
        return lines.stream().map(line -> new Intervals(begin + line.get(ELAPSED), line.phase(), line.values(), line.requests()))
                .toList();
    }

    /** When the load began, as far as this line can tell. */
    double begin() {
        return time - get(ELAPSED);
    }

    /** All complete lines of a file, which may still be written. */
    public static List<Intervals> read(Path file) throws IOException {
        List<String> lines = TextFiles.lines(file);
        List<Intervals> result = new ArrayList<>();
        if (lines.isEmpty()) {
            return result;
        }
        List<String> columns = Csv.cells(lines.get(0));
        int time = columns.indexOf("time");
        int phase = columns.indexOf("phase");
        int elapsed = columns.indexOf(ELAPSED);
        Map<String, RequestTimes> requests = RequestTimes.read(file.resolveSibling(RequestTimes.FILE));
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = Csv.cells(line);
            if (cells.size() != columns.size()) {
                continue;
            }
            Map<String, Double> values = new HashMap<>();
            for (int i = 0; i < cells.size(); i++) {
                if (i != phase && !cells.get(i).isBlank()) {
                    values.put(columns.get(i), Double.parseDouble(cells.get(i)));
                }
            }
            result.add(new Intervals(Double.parseDouble(cells.get(time)), cells.get(phase), values,
                    Optional.ofNullable(elapsed < 0 ? null : requests.get(cells.get(elapsed)))));
        }
        return result;
    }
}
