// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.ic2.training.evaluate.Quantiles;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;
import org.ic2.training.report.TimeChart;
import org.ic2.training.report.Words;
import org.ic2.training.run.Intervals;

/** Load per operation and work done over time without an acting agent (the paper's figure 7), and how far apart their clusters are. */
final class WorkChart {
    private static final String COLOUR = "#4472a8";
    private static final Duration MIN_STEP = Duration.ofSeconds(5);
    private static final double P10 = 0.1;
    private static final double P90 = 0.9;
    private static final Map<String, ToDoubleFunction<Map<String, Double>>> QUANTITIES = Map.of(
            "load per operation, s", figures -> figures.get("cpu_per_operation"),
            "work done", WorkChart::workDone, "response time, s", figures -> figures.get("response_time"));
    private static final List<String> ORDER = List.of("load per operation, s", "work done", "response time, s");

    /** An interval of a run: its end, in seconds from the begin; the neighbour ran, or did not, or had just been switched. */
    private record Interval(double end, boolean interference, boolean settled, Map<String, Double> figures) {
    }

    private WorkChart() {
    }

    /** RT x THPT x CPU, with the CPU as load per operation times throughput. */
    private static double workDone(Map<String, Double> figures) {
        double throughput = figures.get("throughput");
        return figures.get("response_time") * throughput * throughput * figures.get("cpu_per_operation");
    }

    /** The paper's 5 s: the tier's CPU is read once a second, so a shorter interval holds too few readings. */
    private static Duration step(ComparePlan plan) {
        return Collections.max(List.of(MIN_STEP, plan.agents().interval()));
    }

    private static List<Recording> silent(Comparison comparison) {
        return comparison.recordings().stream().filter(one -> one.slot().arm() == Arm.OFF).toList();
    }

    private static List<Interval> intervals(Recording recording, ComparePlan plan) {
        List<Interval> intervals = new ArrayList<>();
        Duration step = step(plan);
        for (Recording.Phase phase : recording.phases()) {
            for (Instant begin = phase.from(); !begin.plus(step).isAfter(phase.to()); begin = begin.plus(step)) {
                boolean settled = Duration.between(phase.from(), begin).compareTo(plan.settle()) >= 0 || phase.from().equals(recording.from());
                intervals.add(new Interval(recording.seconds(begin.plus(step)), phase.interference(), settled, recording.figures(begin, begin.plus(step))));
            }
        }
        return intervals;
    }

    /** The first run of the arm without IC² over time; nothing if there is none. */
    static void add(Html html, Comparison comparison) {
        silent(comparison).stream().findFirst().ifPresent(run -> {
            TimeChart chart = new TimeChart(run.seconds(run.to()));
            run.phases().stream().filter(Recording.Phase::interference).forEach(one -> chart.shade(run.seconds(one.from()), run.seconds(one.to())));
            List<Interval> intervals = intervals(run, comparison.plan());
            for (String name : ORDER) {
                chart.panel(name, List.of(new TimeChart.Line(name, COLOUR, intervals.stream().mapToDouble(Interval::end).toArray(),
                        intervals.stream().mapToDouble(one -> QUANTITIES.get(name).applyAsDouble(one.figures())).toArray())));
            }
            html.figure(chart.svg(), "Run " + run.slot().id() + ", without an acting agent. Shaded: the neighbour runs. Load per operation is CPU / throughput, work "
                    + "done is response time x throughput x CPU, each of an interval of " + Words.seconds(step(comparison.plan()))
                    + " (the paper's figure 7).");
        });
    }

    /** The spread of both clusters, and whether they overlap. */
    static Table table(Comparison comparison) {
        List<Interval> all = silent(comparison).stream().flatMap(run -> intervals(run, comparison.plan()).stream()).filter(Interval::settled).toList();
        List<List<String>> rows = new ArrayList<>();
        for (String name : ORDER) {
            double[] without = values(all, name, false);
            double[] interference = values(all, name, true);
            boolean known = without.length > 0 && interference.length > 0;
            rows.add(List.of(name, spread(without), spread(interference), Integer.toString(without.length), Integer.toString(interference.length),
                    !known ? "-" : Quantiles.of(without, P90) < Quantiles.of(interference, P10) ? "+yes" : "!no"));
        }
        return new Table("Load per operation and work done (the paper's figure 7)", "Intervals of " + Words.seconds(step(comparison.plan())) + " of the runs in which no agent acts, without the first "
                + Words.seconds(comparison.plan().settle()) + " after a switch: median, and from the 10th to the 90th percentile. Apart: the 90th "
                + "percentile without the neighbour lies below the 10th beside it. The paper says that both form distinct clusters.",
                List.of("quantity", "without", "beside the neighbour", "intervals without", "intervals beside", "apart"), rows);
    }

    private static double[] values(List<Interval> all, String name, boolean interference) {
        return all.stream().filter(one -> one.interference() == interference).mapToDouble(one -> QUANTITIES.get(name).applyAsDouble(one.figures()))
                .filter(Double::isFinite).sorted().toArray();
    }

    private static String spread(double[] values) {
        return values.length == 0 ? "-" : String.format(Locale.ROOT, "%.3g (%.3g to %.3g)", Quantiles.median(values), Quantiles.of(values, P10),
                Quantiles.of(values, P90));
    }
}
