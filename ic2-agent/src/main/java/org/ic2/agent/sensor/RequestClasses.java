// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.EnumMap;
import java.util.Map;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;

/** Counts requests by class: those that cost alike are together, as far as a line of the log tells. */
final class RequestClasses {
    private static final Metric[] PAGES = {Metric.MIX_PAGES_1, Metric.MIX_PAGES_2, Metric.MIX_PAGES_3, Metric.MIX_PAGES_4,
        Metric.MIX_PAGES_5, Metric.MIX_PAGES_6};

    /** The end of an application's file. */
    private static final String SCRIPT = ".php";
    private static final int FIRST_PAGE = Metric.MIX.indexOf(Metric.MIX_HOME);

    private final Map<Metric, Integer> counts = new EnumMap<>(Metric.class);

    void add(LogFormat.Entry entry) {
        Metric one = of(entry);
        counts.merge(one, 1, Integer::sum);
        if (entry.member() && Metric.MIX.indexOf(one) >= FIRST_PAGE) {
            counts.merge(Metric.MIX_MEMBERS, 1, Integer::sum);
        }
    }

    /** The class of a request. */
    static Metric of(LogFormat.Entry entry) {
        String path = entry.path();
        String method = entry.method();
        if (RequestFilter.isStatic(path) || !path.startsWith("/") && method.isEmpty()) {
            return Metric.MIX_FILES;        // or no request at all: a connection that timed out
        }
        if (entry.stored()) {
            return Metric.MIX_STORED;
        }
        if (!method.isEmpty() && !method.equals("GET") && !method.equals("HEAD")) {
            return Metric.MIX_WRITES;
        }
        String first = first(path);
        if (first.endsWith(SCRIPT) && path.length() > first.length() + 1) {
            first = first(path.substring(first.length() + 1));      // %U has a front controller that rules have put before the path
        }
        if (first.isEmpty()) {
            return Metric.MIX_HOME;
        }
        // years are one archive; a name is in the same group for good, since costs are remembered
        boolean number = first.chars().allMatch(letter -> letter >= '0' && letter <= '9');
        return PAGES[Math.floorMod((number ? "#" : first).hashCode(), PAGES.length)];
    }

    /** The first part of a path. */
    private static String first(String path) {
        int end = path.indexOf('/', 1);
        return path.isEmpty() ? path : path.substring(1, end < 0 ? path.length() : end);
    }

    /**
     * Adds the rates, of all classes.
     *
     * @param members whether the log tells members from visitors
     */
    void put(Reading.Builder reading, double interval, boolean members) {
        Metric.MIX.forEach(metric -> reading.put(metric, counts.getOrDefault(metric, 0) / interval));
        if (members) {
            reading.put(Metric.MIX_MEMBERS, counts.getOrDefault(Metric.MIX_MEMBERS, 0) / interval);
        }
    }
}
