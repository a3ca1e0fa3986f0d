// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.training.evaluate.Quantiles;

/**
 * The pages that a server gave in a window, as HAProxy saw them.
 *
 * @param perSecond pages per second
 * @param median    of their times, from the request's first byte to the answer's last one, seconds; NaN without any
 * @param p95       the 95th percentile
 * @param p99       the 99th
 * @param errors    answers of status 500 and above, and those that were broken off by the server
 */
record ServerRequests(double perSecond, double median, double p95, double p99, long errors) {
    private static final int CELLS = 7;
    private static final double MILLIS = 1000;

    /** A line of the log that {@code bin/testbed} has HAProxy write: end (epoch ms), server, status, time, response time, how it ended, path. */
    record Line(long end, String server, int status, int millis, String ended, String path) {
        /** Empty for what is no such line: HAProxy also says there how servers are. */
        static List<Line> parse(String text) {
            String[] cells = text.strip().replaceFirst("^<\\d+>", "").split(" ");
            boolean whole = cells.length == CELLS && cells[0].matches("\\d{10,15}") && cells[2].matches("-?\\d{1,3}")
                    && cells[3].matches("\\+?-?\\d{1,9}");
            return whole ? List.of(new Line(Long.parseLong(cells[0]), cells[1], Integer.parseInt(cells[2]),
                    Integer.parseInt(cells[3].replace("+", "")), cells[5], cells[6])) : List.of();
        }

        /** Files are answered by httpd alone, in no time. */
        boolean page() {
            return !path.startsWith("/static/") && !path.startsWith("/media/");
        }

        boolean failed() {
            return status >= 500 || status < 100 || ended.startsWith("S");
        }
    }

    /** By server, of the lines of a log that end in a window. */
    static Map<String, ServerRequests> of(List<Line> lines, long from, long to) {
        Map<String, List<Line>> by = new HashMap<>();
        lines.stream().filter(line -> line.end() > from && line.end() <= to && line.page())
                .forEach(line -> by.computeIfAbsent(line.server(), any -> new ArrayList<>()).add(line));
        Map<String, ServerRequests> all = new HashMap<>();
        by.forEach((server, its) -> {
            double[] times = its.stream().filter(line -> !line.failed()).mapToDouble(line -> line.millis() / MILLIS).sorted().toArray();
            all.put(server, new ServerRequests(its.size() * MILLIS / (to - from), Quantiles.rank(times, 0.5), Quantiles.rank(times, 0.95),
                    Quantiles.rank(times, 0.99), its.stream().filter(Line::failed).count()));
        });
        return all;
    }
}
