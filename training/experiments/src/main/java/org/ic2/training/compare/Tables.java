// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.ic2.training.compare.Period.Half;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.run.WindowFigures;

/** The tables of the report. */
final class Tables {
    private static final double PERCENT = 100;
    private static final double MILLIS = 1000;
    private static final double KILO = 1000;

    /** That of all requests of a window together. */
    private static final String P95 = "request_p95";

    private final Comparison comparison;

    Tables(Comparison comparison) {
        this.comparison = comparison;
    }

    /** All tables that the plan allows, the most important first. */
    List<Table> all() {
        List<Table> tables = new ArrayList<>();
        if (!comparison.plan().loadOnly()) {
            if (compared()) {
                tables.add(summary());
                tables.add(besides());
            }
            tables.add(absolute());
            tables.addAll(new HostTables(comparison).all());
        }
        tables.add(quiet());
        tables.add(price());
        tables.add(errors());
        if (comparison.plan().arms().stream().anyMatch(Arm::on)) {
            tables.addAll(new AgentTables(comparison).all());
        }
        return tables;
    }

    private boolean compared() {
        return comparison.plan().arms().contains(Arm.OFF) && !comparison.others().isEmpty();
    }

    private List<Half> halves() {
        return comparison.plan().on().compareTo(comparison.plan().firstHalf()) > 0 ? List.of(Half.values()) : List.of(Half.FIRST);
    }

    static String name(Arm arm) {
        return "(" + arm.letter() + ")";
    }

    private static String name(Half half) {
        return half == Half.FIRST ? "first half" : "second half";
    }

    /** The paper's Table 4. */
    private Table summary() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper, private: online", "all", "", "", "-20 to -25 %", "-32 to -40 %", "", "15 s", "10 s"));
        rows.add(List.of("paper, private: basic", "all", "", "", "-6 to -19 %", "-34 to -40 %", "", "", ""));
        rows.add(List.of("paper, EC2: online", "all", "", "", "-3 to -10 %", "-21 to -29 %", "", "20 s", "65 s"));
        rows.add(List.of("paper, EC2: basic", "all", "", "", "=+5 to +10 %", "-18 to -22 %", "", "", ""));
        for (Arm arm : comparison.others()) {
            for (String kind : comparison.kinds()) {
                rows.add(List.of(name(arm), kind, runs(arm, kind, Half.FIRST), Integer.toString(comparison.count(arm, kind, Half.FIRST)),
                        change(arm, kind, Half.FIRST, "response_time"), change(arm, kind, Half.SECOND, "response_time"),
                        change(arm, kind, Half.SECOND, "interactive_response_time"),
                        comparison.noticed(arm, kind, true).counted(), comparison.noticed(arm, kind, false).counted()));
            }
        }
        return new Table("Response time and detection (the paper's Table 4)", "Change of the client's mean response time of completed "
                + "requests against the baseline arm (a), period by period: the same round, the same load, the same schedule. First "
                + "half: from the neighbour's start to " + Words.seconds(comparison.plan().firstHalf()) + "; second half: from then "
                + "to its stop. N/X - Z is the interactive response time, which counts those who wait too. In brackets: 95 % "
                + "interval over the runs, each with all its periods, by Student's t on the logarithms of the ratios; or the 90th percentile of the latencies beside their median. "
                + "Coloured: the interval excludes zero. Latency: from the neighbour's start or stop to the state I2 or NI2, in which IC\u00b2 acts.",
                List.of("arm", "interference", "runs", "periods", "mean, first half", "mean, second half", "N/X - Z, second half",
                        "start noticed", "stop noticed"), rows);
    }

    private String runs(Arm arm, String kind, Half half) {
        int runs = comparison.runs(arm, kind, half);
        return runs == 1 ? "one run" : Integer.toString(runs);
    }

    private String change(Arm arm, String kind, Half half, String figure) {
        return Words.judged(comparison.change(arm, kind, half, figure), !figure.equals("throughput"));
    }

    /** What the mean of completed requests hides. */
    private Table besides() {
        List<List<String>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Arm arm : comparison.others()) {
            for (String kind : comparison.kinds()) {
                for (Half half : halves()) {
                    Optional<String> starved = comparison.starvation(arm, kind, half);
                    rows.add(List.of(name(arm), kind, name(half), runs(arm, kind, half), change(arm, kind, half, "response_time"),
                            change(arm, kind, half, "throughput"), change(arm, kind, half, P95),
                            change(arm, kind, half, "interactive_response_time"), both(arm, kind, half, "pending_users", "%.1f"),
                            Words.number("%.2f", comparison.most(Arm.OFF, kind, half, "oldest_wait")) + " \u2192 "
                                    + Words.number("%.2f", comparison.most(arm, kind, half, "oldest_wait")), both(arm, kind, half, "errors", "%.1f"),
                            change(arm, kind, half, "cpu_per_operation"), starved.isPresent() ? "!users starved" : ""));
                    starved.ifPresent(words -> notes.add(name(arm) + ", " + kind + ", " + name(half) + ": " + words + "."));
                }
            }
        }
        return new Table("Beside the mean of completed requests", "The mean of completed requests says nothing of users who get no "
                + "answer. So beside it stand throughput, the 95th percentile of the requests, the interactive response time N/X - Z, the users who "
                + "wait at the end of the half, the errors (a \u2192 the arm, mean over the runs), the longest wait in any of them, and the "
                + "CPU for each operation. Where they disagree with the mean, the last column says that users starved. " + percentiles(),
                List.of("arm", "interference", "half", "runs", "mean", "throughput", "p95", "N/X - Z", "users waiting", "longest wait, s",
                        "errors", "CPU per operation", "disagreement"), rows, notes);
    }

    /** What p50, p95 and p99 are here. */
    private String percentiles() {
        return "p50, p95 and p99 are those of all requests (a page with its files) of a half together.";
    }

    private String both(Arm arm, String kind, Half half, String figure, String format) {
        double[] both = comparison.both(arm, kind, half, figure);
        return Words.number(format, both[0]) + " \u2192 " + Words.number(format, both[1]);
    }

    /** Every arm by itself. */
    private Table absolute() {
        List<List<String>> rows = new ArrayList<>();
        for (String kind : comparison.kinds()) {
            for (Half half : halves()) {
                for (Arm arm : comparison.plan().arms()) {
                    rows.add(List.of(name(arm), kind, name(half), Integer.toString(comparison.periods(arm, kind).size()),
                            mean(arm, kind, half, "response_time", 1, "%.3f"), mean(arm, kind, half, "request_p50", 1, "%.3f"),
                            mean(arm, kind, half, P95, 1, "%.3f"), mean(arm, kind, half, "request_p99", 1, "%.3f"),
                            Words.number("%.2f", comparison.most(arm, kind, half, "request_max")),
                            mean(arm, kind, half, "interactive_response_time", 1, "%.3f"), mean(arm, kind, half, "throughput", 1, "%.1f"),
                            mean(arm, kind, half, "pending_users", 1, "%.1f"), Words.number("%.2f", comparison.most(arm, kind, half, "oldest_wait")),
                            mean(arm, kind, half, "errors", 1, "%.1f"), mean(arm, kind, half, "cpu_per_operation", MILLIS, "%.2f")));
                }
            }
        }
        return new Table("Beside the neighbour, arm by arm", "Means over the runs of each arm, each with all its periods of interference; "
                + "of the longest request and the longest wait the most in any of them. " + percentiles(), List.of("arm",
                "interference", "half", "periods", "mean, s", "p50, s", "p95, s", "p99, s", "longest request, s", "N/X - Z, s",
                "throughput, 1/s", "users waiting", "longest wait, s", "errors", "CPU per operation, ms"), rows);
    }

    private String mean(Arm arm, String kind, Half half, String figure, double factor, String format) {
        return Words.number(format, factor * comparison.mean(arm, kind, half, figure));
    }

    /** What IC² costs when nothing is wrong. */
    private Table quiet() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            rows.add(List.of(name(arm), Integer.toString(comparison.quiets(arm).size()), quiet(arm, "response_time", 1, "%.3f"),
                    quiet(arm, P95, 1, "%.3f"), quiet(arm, "throughput", 1, "%.1f"),
                    quiet(arm, "cpu_per_operation", MILLIS, "%.2f"), quietChange(arm, "response_time"), quietChange(arm, "throughput"),
                    arm.on() ? Words.number("%.0f %%", PERCENT * comparison.away(arm)) : "",
                    arm.on() ? Words.number("%.0f %%", PERCENT * comparison.quietMean(arm, Quiet::away)) : "",
                    arm.on() ? Integer.toString(comparison.quiets(arm).stream().mapToInt(Quiet::mitigations).sum()) : ""));
        }
        return new Table("In the quiet: what IC\u00b2 costs when nothing is wrong", "Stretches without a neighbour" + (comparison.plan()
                .loadOnly() ? "" : ", without the first " + comparison.plan().settle().toSeconds() + " s after its stop, while queues "
                + "drain") + ". Changes are against the same stretches of arm (a), with their 95 % interval. Away: share of all quiet time, from "
                + "the neighbour's stop on, in which something else than the baseline was in force; once settled: of the time that this table "
                + "is about. Mitigations: steps away from the baseline although no "
                + "neighbour ran.",
                List.of("arm", "stretches", "mean, s", "p95, s", "throughput, 1/s", "CPU per operation, ms", "change of mean",
                        "change of throughput", "away", "once settled", "mitigations"), rows);
    }

    private String quiet(Arm arm, String figure, double factor, String format) {
        return Words.number(format, factor * comparison.quietMean(arm, figure));
    }

    private String quietChange(Arm arm, String figure) {
        if (!arm.compared()) {
            return "";
        }
        Estimate change = comparison.quietChange(arm, figure);
        return Words.judged(change, !figure.equals("throughput"));
    }

    /** What users pay for it. */
    private Table price() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            for (String kind : comparison.kinds()) {
                for (Half half : halves()) {
                    rows.add(List.of(name(arm), kind, name(half), price(comparison.mean(arm, kind, half, "stored_share")),
                            Words.number("%.1f", comparison.most(arm, kind, half, "oldest_page")),
                            Words.number("%.1f", comparison.mean(arm, kind, half, "bytes_per_operation") / KILO)));
                }
            }
            rows.add(List.of(name(arm), "", "quiet", price(comparison.quietMean(arm, "stored_share")),
                    Words.number("%.1f", comparison.quiets(arm).stream().mapToDouble(one -> one.figures().get("oldest_page"))
                            .filter(Double::isFinite).max().orElse(Double.NaN)),
                    quiet(arm, "bytes_per_operation", 1 / KILO, "%.1f")));
        }
        return new Table("What it costs users", "As the load saw it: how many of the pages that say when they were built came from a "
                + "store, the age of the oldest of all, and the bytes that an operation took, with its files.",
                List.of("arm", "interference", "half", "pages from the store", "oldest page, s", "kB an operation"), rows);
    }

    /** Why operations failed: an arm that refuses some to be fast for others must not look fast only. */
    private Table errors() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            for (String kind : comparison.kinds()) {
                rows.add(errors(name(arm), kind, comparison.periods(arm, kind).stream().flatMap(one -> Stream.of(
                        new Failures(one.first(), Math.min(one.seconds(), comparison.plan().firstHalf().toMillis() / MILLIS)),
                        new Failures(one.second(), one.seconds() - comparison.plan().firstHalf().toMillis() / MILLIS))).toList()));
            }
            rows.add(errors(name(arm), "quiet", comparison.quiets(arm).stream().map(one -> new Failures(one.figures(), one.seconds()))
                    .toList()));
        }
        return new Table("Errors by kind", "Sums over all whole halves and all settled quiet. Refused: the server said 503. Share: of all operations, "
                + "those that failed too. A dash: the load did not write what failed why (errors.csv).",
                List.of("arm", "interference", "share", "all", "refused", "other status", "wrong page", "leak", "timeout", "connection", "other"),
                rows);
    }

    /** What failed in a window, and how much was done in it. */
    private record Failures(Map<String, Double> figures, double seconds) {
        double of(String kind) {
            return figures.getOrDefault(kind, Double.NaN);
        }

        static double sum(List<Failures> windows, ToDoubleFunction<Failures> figure) {
            return windows.stream().mapToDouble(figure).filter(Double::isFinite).reduce(Double::sum).orElse(Double.NaN);
        }
    }

    private static List<String> errors(String arm, String kind, List<Failures> windows) {
        double all = Failures.sum(windows, one -> one.of("errors"));
        double done = Failures.sum(windows, one -> one.of("throughput") * one.seconds());
        List<String> row = new ArrayList<>(List.of(arm, kind, Words.number("%.2f %%", PERCENT * all / (all + done)), Words.number("%.0f", all)));
        WindowFigures.ERRORS.forEach(name -> row.add(Words.number("%.0f", Failures.sum(windows, one -> one.of(name)))));
        return row;
    }

    private static String price(double share) {
        return Words.number("%.0f %%", PERCENT * share);
    }
}
