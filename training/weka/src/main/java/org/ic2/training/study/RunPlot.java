// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.ic2.training.evaluate.Answer;
import org.ic2.training.report.Plot;

/** One run over time: response time, the neighbour, what the tree said, which rung was in force. */
final class RunPlot {
    private static final List<String> LABELS = List.of("#2f9e57", "#e0b62a", "#cf3a2e");

    private RunPlot() {
    }

    static String svg(Run run, List<Answer> answers) {
        Instant begin = run.samples().get(0).time().minus(run.interval());
        int count = run.samples().size();
        double[] x = new double[count];
        double[] y = new double[count];
        for (int i = 0; i < count; i++) {
            Sample sample = run.samples().get(i);
            x[i] = seconds(begin, sample.time());
            y[i] = sample.get(Metric.RESPONSE_TIME);
        }
        Plot plot = new Plot("time, s", "response time, s").line("response time", "#4472a8", x, y);
        for (int i = 0; i < run.switches().size(); i++) {
            Switch one = run.switches().get(i);
            if (one.on()) {
                double end = i + 1 < run.switches().size() ? seconds(begin, run.switches().get(i + 1).time()) : x[count - 1];
                plot.shade(seconds(begin, one.time()), end, "#e9edf3");
            }
        }
        for (Label label : Label.values()) {
            List<Answer> own = answers.stream().filter(answer -> answer.row().run().equals(run.id())
                    && answer.label().filter(one -> one == label).isPresent()).toList();
            double[] at = own.stream().mapToDouble(answer -> seconds(begin, answer.row().sample().time())).toArray();
            double[] zero = new double[at.length];
            plot.points(label.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '), LABELS.get(label.ordinal()), at, zero,
                    zero, zero);
        }
        return plot.svg();
    }

    private static double seconds(Instant begin, Instant time) {
        return Duration.between(begin, time).toMillis() / 1000.0;
    }
}
