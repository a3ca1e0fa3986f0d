// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Label;

/**
 * The figures of an evaluation, with intervals of confidence over runs.
 *
 * @param runs        how many runs are behind them
 * @param confusion   all samples
 * @param missRate    the paper's: 6 %
 * @param recall      of INTERFERENCE; the paper's: 89 %
 * @param precision   of INTERFERENCE; the paper's: 73 %
 * @param falseAlarms share of samples without interference labelled INTERFERENCE
 * @param onset       latency from a start to I2
 * @param end         latency from a stop to NI2
 * @param wrong       reconfigurations that a wrong label would have caused
 * @param wrongAnHour the same for an hour
 * @param steady      under interference that is being mitigated
 * @param harmless    beside neighbours that do no harm, which are in none of the others
 */
public record Figures(int runs, Confusion confusion, Estimate missRate, Estimate recall, Estimate precision,
        Estimate falseAlarms, Detection.Spread onset, Detection.Spread end, int wrong, double wrongAnHour, Steady steady,
        Map<String, Harmless> harmless) {
    /** The figures of an evaluation. */
    public static Figures of(Evaluation evaluation, Bootstrap bootstrap) {
        List<Confusion> runs = new ArrayList<>(evaluation.byRun().values());
        ToDoubleFunction<Confusion> recall = one -> one.recall(Label.INTERFERENCE);
        ToDoubleFunction<Confusion> precision = one -> one.precision(Label.INTERFERENCE);
        return new Figures(runs.size(), evaluation.confusion(), bootstrap.of(runs, Confusion::missRate),
                bootstrap.of(runs, recall), bootstrap.of(runs, precision), bootstrap.of(runs, Confusion::falseAlarms),
                Detection.Spread.of(evaluation.latencies(), true), Detection.Spread.of(evaluation.latencies(), false),
                evaluation.wrongReconfigurations(), evaluation.wrongAnHour(), evaluation.steady(), evaluation.harmless());
    }

    /** As a table for the terminal. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("%-18s%18s%14s%16s%n", "truth \\ label", "NO_INTERFERENCE", "TRANSIENT", "INTERFERENCE"));
        for (Label truth : Label.values()) {
            text.append(String.format("%-18s%18d%14d%16d%n", truth, confusion.get(truth, Label.NO_INTERFERENCE),
                    confusion.get(truth, Label.TRANSIENT), confusion.get(truth, Label.INTERFERENCE)));
        }
        text.append(runs).append(" runs; 95 % intervals by drawing runs; what is truly TRANSIENT is left out, as in the paper\n");
        line(text, "miss rate", missRate, "paper 6 %, goal <= 2 %");
        line(text, "recall", recall, "paper 89 %, goal >= 97 %");
        line(text, "precision", precision, "paper 73 %, goal >= 95 %");
        line(text, "false alarms", falseAlarms, "of the samples without interference");
        latency(text, "onset to I2", onset, "paper 15 s and 20 s, goal <= 3 s");
        latency(text, "end to NI2", end, "paper 10 s and 65 s, goal <= 10 s");
        text.append(Double.isNaN(wrongAnHour) ? String.format("%-16s-%n", "wrong actions")
                : String.format(Locale.ROOT, "%-16s%d, %.1f an hour%n", "wrong actions", wrong, wrongAnHour));
        if (steady.mitigated() > 0) {
            text.append(String.format(Locale.ROOT, "%-16s%.1f %% of %d mitigated intervals with interference are seen; %d swings"
                    + " back to the baseline, %.1f an hour, and %d changes in all%n", "mitigated", 100 * steady.share(), steady.mitigated(),
                    steady.swings(), steady.swingsAnHour(), steady.actions()));
        }
        harmless.forEach((neighbour, one) -> text.append(String.format("%-16s%s beside %s, left out%n", "harmless", one.text(), neighbour)));
        return text.toString();
    }

    private static void line(StringBuilder text, String name, Estimate estimate, String beside) {
        text.append(String.format("%-16s%-26s(%s)%n", name, percent(estimate), beside));
    }

    private static void latency(StringBuilder text, String name, Detection.Spread spread, String beside) {
        text.append(String.format(Locale.ROOT, "%-16s%-26s%d of %d noticed (%s)%n", name, spread.detected() == 0 ? "-"
                : String.format(Locale.ROOT, "%.1f s (%.1f to %.1f)", spread.median(), spread.low(), spread.high()),
                spread.detected(), spread.count(), beside));
    }

    /** {@code 5.3 % (2.1 to 8.0)}, {@code -} if nothing was measured. */
    public static String percent(Estimate estimate) {
        if (Double.isNaN(estimate.value())) {
            return "-";
        }
        return estimate.known() ? String.format(Locale.ROOT, "%.1f %% (%.1f to %.1f)", 100 * estimate.value(),
                100 * estimate.low(), 100 * estimate.high()) : String.format(Locale.ROOT, "%.1f %%", 100 * estimate.value());
    }
}
