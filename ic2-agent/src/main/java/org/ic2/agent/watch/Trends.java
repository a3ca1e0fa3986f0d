// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What was measured of late, as the agent told it, also by an agent that has ended since. */
public final class Trends {

    /** An hour at an interval of a second. */
    private static final int MOST = 3600;

    private final List<Point> points = new ArrayList<>();

    /** One sample's values by column, those that it has, and the state after it, as far as it was seen. */
    private record Point(long millis, Map<String, Double> values, String state) {
    }

    /**
     * Adds what is later than what is known. A clock that was set back forgets what lies behind it.
     *
     * @param trends of the agent's answer; what is no time or number in it is left out
     * @param state  of now
     */
    public void add(JsonNode trends, String state) {
        JsonNode times = trends.path("time");
        for (int i = 0; i < times.size(); i++) {
            if (times.path(i).isNumber()) {
                Map<String, Double> values = new HashMap<>();
                for (Map.Entry<String, JsonNode> column : trends.path("values").properties()) {
                    JsonNode value = column.getValue().path(i);
                    if (value.isNumber()) {
                        values.put(column.getKey(), value.asDouble());
                    }
                }
                add((long) (times.path(i).asDouble() * 1000), values, i == times.size() - 1 ? state
                        : trends.path("states").path(i).asText());
            }
        }
    }

    /** The same of one sample, from an agent that knows no trends. */
    public void addSample(JsonNode sample, String state) {
        long millis = (long) (sample.path("time").asDouble() * 1000);
        if (millis > last()) {
            Map<String, Double> values = new HashMap<>();
            sample.properties().stream().filter(value -> value.getValue().isNumber())
                    .forEach(value -> values.put(value.getKey(), value.getValue().asDouble()));
            add(millis, values, state);
        }
    }

    private void add(long millis, Map<String, Double> values, String state) {
        while (!points.isEmpty() && last() >= millis) {
            points.remove(points.size() - 1);
        }
        if (points.size() == MOST) {
            points.remove(0);
        }
        points.add(new Point(millis, values, state));
    }

    /** Epoch milliseconds of the latest sample; 0 without one. */
    public long last() {
        return points.isEmpty() ? 0 : points.get(points.size() - 1).millis();
    }

    /** Whether any sample has it. */
    boolean has(String column) {
        return points.stream().anyMatch(point -> point.values().containsKey(column));
    }

    /**
     * The latest time in cells of the same length, the last of which is the one that goes on now.
     *
     * @return the mean of each cell; NaN where there is none
     */
    double[] means(String column, int cells, long cellMillis) {
        double[] sums = new double[cells];
        int[] counts = new int[cells];
        for (Point point : points) {
            int cell = cell(point, cells, cellMillis);
            Double value = point.values().get(column);
            if (cell >= 0 && value != null) {
                sums[cell] += value;
                counts[cell]++;
            }
        }
        for (int i = 0; i < cells; i++) {
            sums[i] = counts[i] == 0 ? Double.NaN : sums[i] / counts[i];
        }
        return sums;
    }

    /** The last state of each cell; empty where none was seen. */
    String[] states(int cells, long cellMillis) {
        String[] states = new String[cells];
        Arrays.fill(states, "");
        for (Point point : points) {
            int cell = cell(point, cells, cellMillis);
            if (cell >= 0 && !point.state().isEmpty()) {
                states[cell] = point.state();
            }
        }
        return states;
    }

    /** Cells begin at multiples of their length, so that a picture moves a cell at a time. */
    private int cell(Point point, int cells, long cellMillis) {
        long back = last() / cellMillis - point.millis() / cellMillis;
        return back >= cells ? -1 : cells - 1 - (int) back;
    }
}
