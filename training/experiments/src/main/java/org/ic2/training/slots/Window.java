// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ic2.training.run.TierCounters;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.WindowFigures;

/**
 * What was measured in one slot.
 *
 * @param slot    what was set, and who was there
 * @param figures by column of windows.csv, in its order; NaN where nothing was measured
 */
public record Window(Slot slot, Map<String, Double> figures) {
    /** Share of the tier's CPU that the work of others may take before a window says nothing. */
    private static final double MAX_FOREIGN_CPU = 0.2;
    /** The client's figures of windows.csv, in its order; those of the counters follow. */
    private static final List<String> CLIENT = List.of("throughput", "response_time", "request_p95",
            "interactive_response_time", "pending_users", "oldest_wait", "connects", "errors", "leaks", "generator_lag");
    private static final int MILLIS = 1000;

    /** True if foreign work took so much of the CPU that the window says nothing. */
    public boolean disturbed() {
        return figures.get("foreign") > MAX_FOREIGN_CPU;
    }

    /**
     * The windows of a run.
     *
     * @param folder of the run
     * @param slots  as they were planned
     * @throws IOException if the load or the readings of the counters lack a part of a window
     */
    static List<Window> read(Path folder, Experiment experiment, List<Slot> slots) throws IOException {
        Path file = folder.resolve("load").resolve(Intervals.FILE);
        List<Intervals> lines = Intervals.onTime(Intervals.read(file));
        List<TierCounters> edges = TierCounters.read(folder.resolve(TierCounters.FILE));
        if (edges.size() != 2 * slots.size()) {
            throw new IOException(folder.resolve(TierCounters.FILE) + ": expected " + 2 * slots.size() + " readings, got " + edges.size());
        }
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < slots.size(); i++) {
            try {
                windows.add(new Window(slots.get(i), figures(lines, edges.get(2 * i), edges.get(2 * i + 1), experiment.interval())));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ": " + e.getMessage() + "; was the load interrupted?", e);
            }
        }
        return windows;
    }

    /**
     * The figures of one window: the load's lines whose middle lies in it, and the differences of the counters.
     *
     * @throws IllegalArgumentException if the load wrote no line for a part of it
     */
    static Map<String, Double> figures(List<Intervals> lines, TierCounters begin, TierCounters end, Duration interval) {
        double seconds = end.time() - begin.time();
        List<Intervals> inside = lines.stream().filter(line -> line.within(begin.time(), end.time())).toList();
        double written = lines.stream().mapToDouble(Intervals::time).max().orElse(Double.NEGATIVE_INFINITY);
        if (inside.isEmpty() || written < end.time() - interval.toMillis() / 1000.0) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "expected lines of the load from %.1f to %.1f, got %d, the last of %.1f",
                    begin.time(), end.time(), inside.size(), written));
        }
        Map<String, Double> client = WindowFigures.client(inside);
        client.computeIfPresent("connects", (name, count) -> count / seconds);
        client.computeIfPresent("errors", (name, count) -> count / seconds);
        Map<String, Double> figures = new LinkedHashMap<>();
        CLIENT.forEach(name -> figures.put(name, client.get(name)));
        double used = end.web() - begin.web();
        figures.put("cpu_use", used / seconds);
        figures.put("cpu_per_operation", client.get("throughput") == 0 ? Double.NaN : MILLIS * used / seconds / client.get("throughput"));
        figures.put("stall", (end.stall() - begin.stall()) / seconds);
        double foreign = (end.busy() - begin.busy() - used - (end.neighbour() - begin.neighbour())) / seconds;
        figures.put("foreign", Double.isNaN(foreign) ? foreign : Math.max(0, foreign));
        figures.put("steal", (end.steal() - begin.steal()) / seconds);
        return figures;
    }
}
