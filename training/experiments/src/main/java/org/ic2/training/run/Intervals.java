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
    /** How long the interval was: where the load itself got no CPU, longer than it was meant to be. */
    static final String SECONDS = "seconds";
    /** Operations that succeeded in it. */
    static final String COMPLETIONS = "completions";
    /** What all users together waited in it for answers, finished or not, seconds. */
    static final String WAITED = "waited";
    private static final String ELAPSED = "elapsed";
    private static final String PENDING = "pending_users";
    /** Failed operations by kind, beside it. */
    private static final String ERRORS = "errors.csv";
    /** Failed operations by kind, as the load's errors.csv calls them. */
    public static final List<String> ERROR_KINDS = List.of("errors_refused", "errors_status", "errors_page", "errors_leak", "errors_timeout",
            "errors_connection", "errors_other");
    private static final String PHASE = "phase";
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

    /**
     * The lines with what each adds to a window: an interval lasts from the end of the one before, or from the load's begin, so
     * that the time of a missing line is not lost. Users' waiting is N/X - Z of the interval times its completions; an interval
     * without one has no N/X - Z, and there it is told by the users who were pending at its two ends.
     */
    public static List<Intervals> inTurn(List<Intervals> lines) {
        List<Intervals> result = new ArrayList<>();
        double elapsed = 0;
        double pending = 0;
        for (Intervals line : lines) {
            double seconds = line.get(ELAPSED) - elapsed;
            double completions = line.get("throughput") * seconds;
            Map<String, Double> values = new HashMap<>(line.values());
            values.put(SECONDS, seconds);
            values.put(COMPLETIONS, completions);
            values.put(WAITED, completions > 0 ? line.get("interactive_response_time") * completions
                    : (pending + line.get(PENDING)) / 2 * seconds);
            result.add(new Intervals(line.time(), line.phase(), values, line.requests()));
            elapsed = line.get(ELAPSED);
            pending = line.get(PENDING);
        }
        return result;
    }

    /** Whether the middle of the interval lies in a window, after {@code from} and at {@code to} at the latest; epoch seconds. */
    public boolean within(double from, double to) {
        double middle = time - get(SECONDS) / 2;
        return middle > from && middle <= to;
    }

    /** When the load began, as far as this line can tell. */
    double begin() {
        return time - get(ELAPSED);
    }

    /** All complete lines of a file, which may still be written, with what the files beside it say of the same intervals. */
    public static List<Intervals> read(Path file) throws IOException {
        Map<String, RequestTimes> requests = RequestTimes.read(file.resolveSibling(RequestTimes.FILE));
        Map<String, Map<String, Double>> errors = new HashMap<>();
        boolean kinds = Files.exists(file.resolveSibling(ERRORS));
        for (Map<String, String> row : kinds ? Csv.maps(file.resolveSibling(ERRORS)) : List.<Map<String, String>>of()) {
            errors.computeIfAbsent(row.get(ELAPSED), any -> new HashMap<>()).put("errors_" + row.get("kind"),
                    Double.valueOf(row.get("errors")));
        }
        List<Intervals> result = new ArrayList<>();
        for (Map<String, String> row : Csv.maps(file)) {
            Map<String, Double> values = new HashMap<>();
            row.forEach((column, cell) -> {
                if (!column.equals(PHASE) && !cell.isBlank()) {
                    values.put(column, Double.valueOf(cell));
                }
            });
            if (kinds) {
                ERROR_KINDS.forEach(kind -> values.put(kind, 0.0));
                values.putAll(errors.getOrDefault(row.get(ELAPSED), Map.of()));
            }
            result.add(new Intervals(Double.parseDouble(row.get("time")), row.get(PHASE), values,
                    Optional.ofNullable(requests.get(row.get(ELAPSED)))));
        }
        return inTurn(result);
    }
}
