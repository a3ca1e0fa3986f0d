// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;
import org.ic2.training.run.Intervals;

/** The tables of the report. */
final class Tables {
    private static final double PERCENT = 100;
    private static final double MILLIS = 1000;
    private static final double KILO = 1000;

    /** The 95th percentile of all requests of a window together. */
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
        tables.add(without());
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

    private List<EpisodePart> parts() {
        return comparison.plan().on().compareTo(comparison.plan().firstHalf()) > 0 ? List.of(EpisodePart.values()) : List.of(EpisodePart.FIRST);
    }

    private String name(EpisodePart part) {
        return part.text(comparison.plan().firstHalf());
    }

    /** The paper's Table 4. */
    Table summary() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper, private: online", "all", "", "", "-20 to -25 %", "-32 to -40 %", "", "15 s", "10 s"));
        rows.add(List.of("paper, private: basic", "all", "", "", "-6 to -19 %", "-34 to -40 %", "", "", ""));
        rows.add(List.of("paper, EC2: online", "all", "", "", "-3 to -10 %", "-21 to -29 %", "", "20 s", "65 s"));
        rows.add(List.of("paper, EC2: basic", "all", "", "", "=+5 to +10 %", "-18 to -22 %", "", "", ""));
        for (Arm arm : comparison.others()) {
            for (String kind : comparison.kinds()) {
                rows.add(List.of(arm.key(), kind, runs(arm, kind, EpisodePart.FIRST), Integer.toString(comparison.count(arm, kind, EpisodePart.FIRST)),
                        change(arm, kind, EpisodePart.FIRST, "response_time"), change(arm, kind, EpisodePart.REST, "response_time"),
                        change(arm, kind, EpisodePart.REST, "interactive_response_time"),
                        comparison.noticed(arm, kind, true).counted(), comparison.noticed(arm, kind, false).counted()));
            }
        }
        return new Table("Response time and detection (the paper's Table 4)", "Change of the client's mean response time of completed "
                + "requests against the arm off, episode by episode: the same round, the same load, the same schedule. First "
                + "part: from the neighbour's start to " + Words.seconds(comparison.plan().firstHalf()) + "; rest: from then "
                + "to its stop (the paper's first and second half). N/X - Z is the interactive response time, which counts those who wait too. In brackets: 95 % "
                + "interval over the runs, each with all its episodes, by Student's t on the logarithms of the ratios; or the 90th percentile of the latencies beside their median. "
                + "Coloured: the interval excludes zero. Latency: from the neighbour's start or stop to the state I2 or NI2, in which IC\u00b2 acts.",
                List.of("arm", "interference", "runs", "episodes", "mean, first part", "mean, rest", "N/X - Z, rest",
                        "start noticed", "stop noticed"), rows);
    }

    private String runs(Arm arm, String kind, EpisodePart part) {
        int runs = comparison.runs(arm, kind, part);
        return runs == 1 ? "one run" : Integer.toString(runs);
    }

    private String change(Arm arm, String kind, EpisodePart part, String figure) {
        return Words.judged(comparison.change(arm, kind, part, figure), !figure.equals("throughput"));
    }

    /** What the mean of completed requests hides. */
    Table besides() {
        List<List<String>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Arm arm : comparison.others()) {
            for (String kind : comparison.kinds()) {
                for (EpisodePart part : parts()) {
                    Optional<String> starved = comparison.starvation(arm, kind, part);
                    rows.add(List.of(arm.key(), kind, name(part), runs(arm, kind, part), change(arm, kind, part, "response_time"),
                            change(arm, kind, part, "throughput"), change(arm, kind, part, P95),
                            change(arm, kind, part, "interactive_response_time"), both(arm, kind, part, "pending_users", "%.1f"),
                            Words.number("%.2f", comparison.most(Arm.OFF, kind, part, "oldest_wait")) + " \u2192 "
                                    + Words.number("%.2f", comparison.most(arm, kind, part, "oldest_wait")), both(arm, kind, part, "errors", "%.1f"),
                            change(arm, kind, part, "cpu_per_operation"), starved.isPresent() ? "!users starved" : ""));
                    starved.ifPresent(words -> notes.add(arm.key() + ", " + kind + ", " + name(part) + ": " + words + "."));
                }
            }
        }
        return new Table("Beside the mean of completed requests", "The mean of completed requests says nothing of users who get no "
                + "answer. So beside it stand throughput, the 95th percentile of the requests, the interactive response time N/X - Z, the users who "
                + "wait at the end of the part, the errors (off \u2192 the arm, mean over the runs), the longest wait in any of them, and the "
                + "CPU for each operation. Where they disagree with the mean, the last column says that users starved. " + percentiles(),
                List.of("arm", "interference", "part", "runs", "mean", "throughput", "p95", "N/X - Z", "users waiting", "longest wait, s",
                        "errors", "CPU per operation", "disagreement"), rows, notes);
    }

    /** What p50, p95 and p99 are here. */
    private String percentiles() {
        return "p50, p95 and p99 are those of all requests (a page with its files) of a part together.";
    }

    private String both(Arm arm, String kind, EpisodePart part, String figure, String format) {
        double[] both = comparison.both(arm, kind, part, figure);
        return Words.number(format, both[0]) + " \u2192 " + Words.number(format, both[1]);
    }

    /** Every arm by itself. */
    private Table absolute() {
        List<List<String>> rows = new ArrayList<>();
        for (String kind : comparison.kinds()) {
            for (EpisodePart part : parts()) {
                for (Arm arm : comparison.plan().arms()) {
                    rows.add(List.of(arm.key(), kind, name(part), Integer.toString(comparison.episodes(arm, kind).size()),
                            mean(arm, kind, part, "response_time", 1, "%.3f"), mean(arm, kind, part, "request_p50", 1, "%.3f"),
                            mean(arm, kind, part, P95, 1, "%.3f"), mean(arm, kind, part, "request_p99", 1, "%.3f"),
                            Words.number("%.2f", comparison.most(arm, kind, part, "request_max")),
                            mean(arm, kind, part, "interactive_response_time", 1, "%.3f"), mean(arm, kind, part, "throughput", 1, "%.1f"),
                            mean(arm, kind, part, "pending_users", 1, "%.1f"), Words.number("%.2f", comparison.most(arm, kind, part, "oldest_wait")),
                            mean(arm, kind, part, "errors", 1, "%.1f"), mean(arm, kind, part, "cpu_per_operation", MILLIS, "%.2f")));
                }
            }
        }
        return new Table("Beside the neighbour, arm by arm", "Means over the runs of each arm, each with all its episodes of interference; "
                + "of the longest request and the longest wait the most in any of them. " + percentiles(), List.of("arm",
                "interference", "part", "episodes", "mean, s", "p50, s", "p95, s", "p99, s", "longest request, s", "N/X - Z, s",
                "throughput, 1/s", "users waiting", "longest wait, s", "errors", "CPU per operation, ms"), rows);
    }

    private String mean(Arm arm, String kind, EpisodePart part, String figure, double factor, String format) {
        return Words.number(format, factor * comparison.mean(arm, kind, part, figure));
    }

    /** What IC² costs when nothing is wrong. */
    private Table without() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            rows.add(List.of(arm.key(), Integer.toString(comparison.interferenceFree(arm).size()), without(arm, "response_time", 1, "%.3f"),
                    without(arm, P95, 1, "%.3f"), without(arm, "throughput", 1, "%.1f"),
                    without(arm, "cpu_per_operation", MILLIS, "%.2f"), changeWithout(arm, "response_time"), changeWithout(arm, "throughput"),
                    arm.on() ? Words.percent(comparison.away(arm), 0) : "",
                    arm.on() ? Words.percent(comparison.meanWithout(arm, InterferenceFree::away), 0) : "",
                    arm.on() ? Integer.toString(comparison.interferenceFree(arm).stream().mapToInt(InterferenceFree::mitigations).sum()) : ""));
        }
        return new Table("Without interference: what IC\u00b2 costs when nothing is wrong", "Phases without a neighbour" + (comparison.plan()
                .loadOnly() ? "" : ", without the first " + comparison.plan().settle().toSeconds() + " s after its stop, while queues "
                + "drain") + ". Changes are against the same phases of the arm off, with their 95 % interval. Away: share of all that time, from "
                + "the neighbour's stop on, in which something else than the baseline was in force; once settled: of the time that this table "
                + "is about. Mitigations: steps away from the baseline although no "
                + "neighbour ran.",
                List.of("arm", "phases", "mean, s", "p95, s", "throughput, 1/s", "CPU per operation, ms", "change of mean",
                        "change of throughput", "away", "once settled", "mitigations"), rows);
    }

    private String without(Arm arm, String figure, double factor, String format) {
        return Words.number(format, factor * comparison.meanWithout(arm, figure));
    }

    private String changeWithout(Arm arm, String figure) {
        if (!arm.compared()) {
            return "";
        }
        Estimate change = comparison.changeWithout(arm, figure);
        return Words.judged(change, !figure.equals("throughput"));
    }

    /** What users pay for it. */
    private Table price() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            for (String kind : comparison.kinds()) {
                for (EpisodePart part : parts()) {
                    rows.add(List.of(arm.key(), kind, name(part), Words.percent(comparison.mean(arm, kind, part, "stored_share"), 0),
                            Words.number("%.1f", comparison.most(arm, kind, part, "oldest_page")),
                            Words.number("%.1f", comparison.mean(arm, kind, part, "bytes_per_operation") / KILO)));
                }
            }
            rows.add(List.of(arm.key(), "", "without", Words.percent(comparison.meanWithout(arm, "stored_share"), 0),
                    Words.number("%.1f", comparison.interferenceFree(arm).stream().mapToDouble(one -> one.figures().get("oldest_page"))
                            .filter(Double::isFinite).max().orElse(Double.NaN)),
                    without(arm, "bytes_per_operation", 1 / KILO, "%.1f")));
        }
        return new Table("What it costs users", "As the load saw it: how many of the pages that say when they were built came from a "
                + "store, the age of the oldest of all, and the bytes that an operation took, with its files.",
                List.of("arm", "interference", "part", "pages from the store", "oldest page, s", "kB an operation"), rows);
    }

    /** Why operations failed: an arm that refuses some to be fast for others must not look fast only. */
    private Table errors() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : comparison.plan().arms()) {
            for (String kind : comparison.kinds()) {
                rows.add(errors(arm.key(), kind, comparison.episodes(arm, kind).stream().flatMap(one -> Stream.of(
                        new Failures(one.first(), Math.min(one.seconds(), comparison.plan().firstHalf().toMillis() / MILLIS)),
                        new Failures(one.rest(), one.seconds() - comparison.plan().firstHalf().toMillis() / MILLIS))).toList()));
            }
            rows.add(errors(arm.key(), "without", comparison.interferenceFree(arm).stream().map(one -> new Failures(one.figures(), one.seconds()))
                    .toList()));
        }
        return new Table("Errors by kind", "Sums over all whole parts of episodes, and all phases without interference once queues have drained. Refused: the server said 503. Share: of all operations, "
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
        List<String> row = new ArrayList<>(List.of(arm, kind, Words.percent(all / (all + done), 2), Words.number("%.0f", all)));
        Intervals.ERROR_KINDS.forEach(name -> row.add(Words.number("%.0f", Failures.sum(windows, one -> one.of(name)))));
        return row;
    }
}
