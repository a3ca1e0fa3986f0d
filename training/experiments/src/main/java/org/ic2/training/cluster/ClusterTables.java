// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.ic2.training.evaluate.Quantiles;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;

/** The tables of a comparison on a cluster. A cell is the median of the runs, with the lowest and the highest where there are several. */
final class ClusterTables {
    /** After the onset, until what was decided has had its effect; the rest of the noisy phase is told by itself. */
    private static final int SETTLE_SECONDS = 5;
    private static final double PERCENT = 100;
    private static final double GOAL_P95 = 1.3;
    private static final double GOAL_THROUGHPUT = -0.02;
    private static final double GOAL_EFFECTIVE = 3.5;
    private static final double GOAL_BASELINE = 10;

    private final List<ClusterRecording> all;

    ClusterTables(List<ClusterRecording> all) {
        this.all = all;
    }

    List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        for (int noisy : noisy()) {
            tables.add(site(noisy, "from the onset on", ClusterRecording::onset));
            tables.add(site(noisy, "from " + SETTLE_SECONDS + " s after the onset on", one -> one.onset().plusSeconds(SETTLE_SECONDS)));
        }
        tables.add(speed());
        for (int noisy : noisy()) {
            tables.add(servers(noisy));
        }
        return tables;
    }

    private Iterable<Integer> noisy() {
        return new TreeSet<>(all.stream().map(ClusterRecording::noisy).toList());
    }

    private List<ClusterRecording> of(ClusterArm arm, int noisy) {
        return all.stream().filter(one -> one.arm() == arm && one.noisy() == noisy).toList();
    }

    private List<ClusterArm> arms(int noisy) {
        return Arrays.stream(ClusterArm.values()).filter(arm -> !of(arm, noisy).isEmpty()).toList();
    }

    private Table site(int noisy, String when, Function<ClusterRecording, Instant> from) {
        List<List<String>> rows = new ArrayList<>();
        for (ClusterArm arm : arms(noisy)) {
            List<ClusterRecording> runs = of(arm, noisy);
            List<String> row = new ArrayList<>(List.of(arm.key()));
            for (String figure : List.of("request_p50", "request_p95", "request_p99", "interactive_response_time")) {
                row.add(both(runs, from, figure, "%.3f"));
            }
            double slower = ratio(runs, from, "request_p95");
            row.add(judged(slower, slower <= GOAL_P95, Words.number("%.2f", slower)));
            row.add(both(runs, from, "throughput", "%.1f"));
            double gained = ratio(runs, from, "throughput") - 1;
            row.add(judged(gained, gained >= GOAL_THROUGHPUT, Words.number("%+.1f %%", PERCENT * gained)));
            row.add(spread(runs, one -> one.figures(from.apply(one), one.end()).get("errors"), "%.0f"));
            for (ClusterArm base : List.of(ClusterArm.ROUND_ROBIN, ClusterArm.LEAST_CONNECTIONS)) {
                row.add(change(runs, of(base, noisy), from, "request_p50"));
                row.add(change(runs, of(base, noisy), from, "interactive_response_time"));
            }
            rows.add(row);
        }
        return new Table(noisy + " noisy: the site, " + when, "Seconds and operations per second, without > under interference, as the load saw them; "
                + "N/X-Z is the time that users waited per operation. Green: p95 at most " + GOAL_P95 + " times the one without interference, throughput "
                + "within 2 % of it.", List.of("arm", "median", "p95", "p99", "N/X-Z", "p95 ratio", "X", "X, change", "errors",
                "median against roundrobin", "N/X-Z against roundrobin", "median against leastconn", "N/X-Z against leastconn"), rows);
    }

    private static double without(ClusterRecording one, String figure) {
        return one.figures(one.begin(), one.onset()).get(figure);
    }

    private static String both(List<ClusterRecording> runs, Function<ClusterRecording, Instant> from, String figure, String format) {
        return Words.number(format, median(runs, one -> without(one, figure))) + " > "
                + spread(runs, one -> one.figures(from.apply(one), one.end()).get(figure), format);
    }

    private static double ratio(List<ClusterRecording> runs, Function<ClusterRecording, Instant> from, String figure) {
        return median(runs, one -> one.figures(from.apply(one), one.end()).get(figure) / without(one, figure));
    }

    private static String judged(double figure, boolean good, String text) {
        return (!Double.isFinite(figure) ? "=" : good ? "+" : "!") + text;
    }

    private static String change(List<ClusterRecording> runs, List<ClusterRecording> base, Function<ClusterRecording, Instant> from,
            String figure) {
        if (base.isEmpty() || runs.get(0).arm() == base.get(0).arm()) {
            return "-";
        }
        ToDoubleFunction<ClusterRecording> value = one -> one.figures(from.apply(one), one.end()).get(figure);
        return "=" + Words.number("%+.0f %%", PERCENT * (median(runs, value) / median(base, value) - 1));
    }

    private Table speed() {
        List<List<String>> rows = new ArrayList<>();
        for (int noisy : noisy()) {
            for (ClusterArm arm : arms(noisy).stream().filter(ClusterArm::agents).toList()) {
                List<ClusterRecording> runs = of(arm, noisy);
                rows.add(List.of(noisy + " noisy", arm.key(), time(runs, ClusterRecording::effective, GOAL_EFFECTIVE),
                        time(runs, ClusterRecording::baseline, GOAL_BASELINE), spread(runs, one -> one.changes(), "%.0f"),
                        spread(runs, one -> one.early(), "%.0f")));
            }
        }
        return new Table("How fast", "Seconds from the onset until the first change was in force (a weight, as HAProxy has it, or a "
                + "value of httpd's), and from the neighbours' end until all was as before, of that noisy server which took the longest. Changes: of all "
                + "servers from the begin to the end of a run; early: before the neighbours came.",
                List.of("neighbours", "arm", "effective", "baseline", "changes", "early"), rows);
    }

    private static String time(List<ClusterRecording> runs, Function<ClusterRecording, OptionalDouble> what, double goal) {
        double[] known = runs.stream().map(what).filter(OptionalDouble::isPresent).mapToDouble(OptionalDouble::getAsDouble).toArray();
        String missing = known.length == runs.size() ? "" : ", not in " + (runs.size() - known.length) + " of " + runs.size();
        boolean good = missing.isEmpty() && median(known) <= goal;
        return (good ? "+" : "!") + range(known, "%.1f") + missing;
    }

    private Table servers(int noisy) {
        List<List<String>> rows = new ArrayList<>();
        for (ClusterArm arm : arms(noisy)) {
            List<ClusterRecording> runs = of(arm, noisy);
            for (String server : new TreeSet<>(runs.stream().flatMap(one -> one.least().keySet().stream()).toList())) {
                boolean beside = Integer.parseInt(server.substring(3)) <= noisy;
                List<String> row = new ArrayList<>(List.of(arm.key(), server + (beside ? ", noisy" : "")));
                row.add(its(runs, server, ServerRequests::perSecond, "%.1f"));
                row.add(its(runs, server, ServerRequests::median, "%.3f"));
                row.add(its(runs, server, ServerRequests::p95, "%.3f"));
                row.add(its(runs, server, ServerRequests::p99, "%.3f"));
                row.add(spread(runs, one -> errors(one, server), "%.0f"));
                row.add(spread(runs, one -> one.least().getOrDefault(server, 0), "%.0f"));
                rows.add(row);
            }
        }
        return new Table(noisy + " noisy: each server", "Pages per second and seconds, without > under interference (from " + SETTLE_SECONDS
                + " s after the onset on), as HAProxy saw them; errors are answers of 500 and above and those that a server broke off, in "
                + "the whole run.",
                List.of("arm", "server", "pages/s", "median", "p95", "p99", "errors", "least weight"), rows);
    }

    private static long errors(ClusterRecording one, String server) {
        ServerRequests its = one.servers(one.begin(), one.last()).get(server);
        return its == null ? 0 : its.errors();
    }

    private static String its(List<ClusterRecording> runs, String server, ToDoubleFunction<ServerRequests> what, String format) {
        return Words.number(format, median(runs, one -> of(one.servers(one.begin(), one.onset()), server, what))) + " > "
                + spread(runs, one -> of(one.servers(one.onset().plusSeconds(SETTLE_SECONDS), one.end()), server, what), format);
    }

    private static double of(Map<String, ServerRequests> all, String server, ToDoubleFunction<ServerRequests> what) {
        return all.containsKey(server) ? what.applyAsDouble(all.get(server)) : Double.NaN;
    }

    private static double median(List<ClusterRecording> runs, ToDoubleFunction<ClusterRecording> what) {
        return median(runs.stream().mapToDouble(what).toArray());
    }

    private static double median(double[] values) {
        return Quantiles.of(finite(values), 0.5);
    }

    private static double[] finite(double[] values) {
        return Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
    }

    private static String spread(List<ClusterRecording> runs, ToDoubleFunction<ClusterRecording> what, String format) {
        return range(runs.stream().mapToDouble(what).toArray(), format);
    }

    private static String range(double[] values, String format) {
        double[] sorted = finite(values);
        String middle = Words.number(format, median(sorted));
        return sorted.length < 2 ? middle : middle + " [" + Words.number(format, sorted[0]) + ".." + Words.number(format, sorted[sorted.length - 1]) + "]";
    }
}
