// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/** What client and agent saw in one window of a run. */
public final class WindowFigures {
    /**
     * The figures, in the order of the CSV. Response times are the client's, each of the whole window: {@code throughput} is its
     * completions by its seconds, {@code interactive_response_time} is N/X - Z (its users times its seconds, without those in which
     * they did not wait, by its completions), and {@code request_p95} is the percentile of all its requests together.
     */
    public static final List<String> FIGURES = Stream.concat(Stream.of("throughput", "response_time",
            "interactive_response_time", "pending_users", "oldest_wait", "errors", "cpu_per_operation",
            "anonymous_share", "stored_share", "oldest_page", "page_age", "left_out_share", "bytes_per_operation",
            "request_p50", "request_p95", "request_p99", "request_max"), Intervals.ERROR_KINDS.stream()).toList();

    private WindowFigures() {
    }

    /** All figures; the CPU per operation from the agent's samples. NaN where nothing was measured. */
    public static Map<String, Double> figures(List<Intervals> client, List<Sample> samples, Instant from, Instant to) {
        Map<String, Double> figures = client(client, from, to);
        double used = samples.stream().filter(sample -> sample.time().isAfter(from) && !sample.time().isAfter(to))
                .mapToDouble(sample -> sample.get(Metric.CPU_UTIL) - (sample.has(Metric.STEAL) ? sample.get(Metric.STEAL) : 0))
                .filter(Double::isFinite).average().orElse(Double.NaN);
        figures.put("cpu_per_operation", used / figures.get("throughput"));
        return figures;
    }

    /** The client's part: all but the CPU per operation. NaN where nothing was measured. */
    public static Map<String, Double> client(List<Intervals> client, Instant from, Instant to) {
        return client(client.stream().filter(line -> line.within(from.toEpochMilli() / 1000.0, to.toEpochMilli() / 1000.0)).toList());
    }

    /** The same of these lines; and how many connections were begun, pages that came from elsewhere, and the load's own delay. */
    public static Map<String, Double> client(List<Intervals> inside) {
        Map<String, Double> figures = new LinkedHashMap<>();
        double completions = all(inside, Intervals.COMPLETIONS);
        figures.put("throughput", completions / all(inside, Intervals.SECONDS));
        figures.put("response_time", inside.stream().filter(line -> line.get(Intervals.COMPLETIONS) > 0)
                .mapToDouble(line -> line.get("response_time") * line.get(Intervals.COMPLETIONS)).sum() / completions);
        figures.put("interactive_response_time", completions > 0 ? all(inside, Intervals.WAITED) / completions : Double.NaN);
        figures.put("pending_users", inside.isEmpty() ? Double.NaN : inside.get(inside.size() - 1).get("pending_users"));
        figures.put("oldest_wait", inside.stream().mapToDouble(line -> line.get("oldest_wait"))
                .filter(Double::isFinite).max().orElse(inside.isEmpty() ? Double.NaN : 0));
        figures.put("errors", inside.isEmpty() ? Double.NaN : inside.stream().mapToDouble(line -> line.get("errors")).sum());
        Intervals.ERROR_KINDS.forEach(kind -> figures.put(kind, inside.stream().anyMatch(line -> Double.isFinite(line.get(kind))) ? sum(inside, kind)
                : Double.NaN));
        figures.put("anonymous_share", share(inside));
        figures.put("stored_share", sum(inside, "pages_stored") / sum(inside, "pages_checked"));
        figures.put("page_age", weighted(inside, "page_age", "pages_checked"));
        figures.put("left_out_share", inside.stream().noneMatch(line -> Double.isFinite(line.get("pages_left_out"))) ? Double.NaN
                : sum(inside, "pages_left_out") / sum(inside, "pages_checked"));
        figures.put("oldest_page", inside.stream().mapToDouble(line -> line.get("oldest_page")).filter(Double::isFinite).max()
                .orElse(Double.NaN));
        figures.put("bytes_per_operation", all(inside, "bytes") / completions);
        // without the times of one interval, those of the window are unknown
        boolean whole = inside.stream().allMatch(line -> line.requests().isPresent() || line.get("throughput") == 0);
        figures.putAll(RequestTimes.figures(whole ? inside.stream().flatMap(line -> line.requests().stream()).toList() : List.of()));
        for (String name : List.of("connects", "leaks")) {
            figures.put(name, inside.isEmpty() ? Double.NaN : inside.stream().mapToDouble(line -> line.get(name))
                    .filter(Double::isFinite).sum());
        }
        figures.put("generator_lag", inside.stream().mapToDouble(line -> line.get("generator_lag")).filter(Double::isFinite).max()
                .orElse(inside.isEmpty() ? Double.NaN : 0));
        return figures;
    }

    /** The share of the operations that succeeded for visitors who are not logged in; NaN if the load does not say it. */
    private static double share(List<Intervals> lines) {
        List<Intervals> told = lines.stream().filter(line -> Double.isFinite(line.get("anonymous"))).toList();
        return told.stream().mapToDouble(line -> line.get("anonymous") * line.get(Intervals.SECONDS)).sum()
                / all(told, Intervals.COMPLETIONS);
    }

    /** The mean of a figure, each line by what it is the mean of; NaN if no line has it. */
    private static double weighted(List<Intervals> lines, String name, String weight) {
        List<Intervals> told = lines.stream().filter(line -> Double.isFinite(line.get(name)) && line.get(weight) > 0).toList();
        return told.stream().mapToDouble(line -> line.get(name) * line.get(weight)).sum() / sum(told, weight);
    }

    private static double sum(List<Intervals> lines, String name) {
        return lines.stream().mapToDouble(line -> line.get(name)).filter(Double::isFinite).sum();
    }

    /** The same, NaN if a line lacks it. */
    private static double all(List<Intervals> lines, String name) {
        return lines.stream().mapToDouble(line -> line.get(name)).sum();
    }
}
