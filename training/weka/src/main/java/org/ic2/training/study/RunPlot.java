// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.ic2.training.evaluate.Answer;
import org.ic2.training.report.LabelColour;
import org.ic2.training.report.TimeChart;
import org.ic2.training.report.TimeChart.Line;
import org.ic2.training.report.TimeChart.Mark;
import org.ic2.training.report.TimeChart.Part;

/** One run over time: response time and throughput, the neighbour, what the tree said, which level was in force. */
final class RunPlot {
    private static final String COLOUR = "#4472a8";

    private final Run run;
    private final Instant begin;
    private final double[] times;

    private RunPlot(Run run) {
        this.run = run;
        begin = run.samples().get(0).time().minus(run.interval());
        times = values(sample -> seconds(sample.time()));
    }

    static String svg(Run run, List<Answer> answers) {
        RunPlot plot = new RunPlot(run);
        double end = plot.times[plot.times.length - 1];
        TimeChart chart = new TimeChart(end);
        for (int i = 0; i < run.switches().size(); i++) {
            if (run.switches().get(i).on()) {
                List<Switch> rest = run.switches().subList(i + 1, run.switches().size());
                chart.shade(plot.seconds(run.switches().get(i).time()), rest.isEmpty() ? end : plot.seconds(rest.get(0).time()));
            }
        }
        plot.panel(chart, "response time, s", Metric.RESPONSE_TIME);
        plot.panel(chart, "throughput, 1/s", Metric.THROUGHPUT);
        chart.band("label", plot.labels(answers));
        double[] levels = plot.values(sample -> sample.has(Metric.MITIGATION) ? sample.get(Metric.MITIGATION) : 0);
        chart.marks("actions", COLOUR, plot.changes(levels));
        int highest = (int) Arrays.stream(levels).max().orElse(0);
        chart.steps("level 0\u2013" + highest, COLOUR, plot.times, levels, 0, highest);
        return chart.gap().svg();
    }

    /** Each change of the level: what was done, as far as samples tell. */
    private List<Mark> changes(double[] levels) {
        List<Mark> marks = new ArrayList<>();
        for (int i = 1; i < levels.length; i++) {
            if (levels[i] != levels[i - 1]) {
                String text = String.format(Locale.ROOT, "%.0f \u2192 %.0f", levels[i - 1], levels[i]);
                marks.add(new Mark(times[i], text, "level " + text, ""));
            }
        }
        return marks;
    }

    private void panel(TimeChart chart, String label, Metric metric) {
        chart.panel(label, List.of(new Line(label, COLOUR, times, values(sample -> sample.get(metric)))));
    }

    /** What the tree said, each answer of the interval before it; the same one after the other is one part. */
    private List<Part> labels(List<Answer> answers) {
        List<Part> parts = new ArrayList<>();
        for (Answer answer : answers) {
            if (!answer.row().run().equals(run.id()) || answer.label().isEmpty()) {
                continue;
            }
            Label label = answer.label().get();
            String text = label.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            double to = seconds(answer.row().sample().time());
            double from = to - run.interval().toMillis() / 1000.0;
            Part last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
            boolean on = last != null && last.text().equals(text) && from - last.to() < run.interval().toMillis() / 2000.0;
            if (on) {
                parts.set(parts.size() - 1, new Part(last.from(), to, text, last.colour()));
            } else {
                parts.add(new Part(from, to, text, LabelColour.of(label)));
            }
        }
        return parts;
    }

    private double[] values(ToDoubleFunction<Sample> value) {
        return run.samples().stream().mapToDouble(value).toArray();
    }

    private double seconds(Instant time) {
        return Duration.between(begin, time).toMillis() / 1000.0;
    }
}
