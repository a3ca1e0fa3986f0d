// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.evaluate.Detection;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.Figures;

/** The figures of a study for other programs, one line a tree and way to judge it; shares are 0..1, times seconds. */
final class FiguresCsv {
    private FiguresCsv() {
    }

    static List<String> lines(Study study) {
        List<String> lines = new ArrayList<>();
        lines.add("attributes,interval,costs,judged_on,runs,miss_rate,miss_rate_low,miss_rate_high,recall,recall_low,"
                + "recall_high,precision,precision_low,precision_high,false_alarms,onsets,onsets_noticed,onset_median,"
                + "onset_p10,onset_p90,ends,ends_noticed,end_median,end_p10,end_p90,wrong_reconfigurations,"
                + "wrong_reconfigurations_an_hour,mitigated_intervals,mitigated_seen,swings,swings_an_hour");
        for (Study.Case one : study.cases()) {
            String head = one.attributes() + "," + one.interval().toMillis() / 1000.0 + "," + study.plan().costs() + ",";
            lines.add(head + "held out" + figures(one.figures()));
            one.product().validated().ifPresent(evaluation -> lines.add(head + "cross-validated"
                    + figures(one.figures(evaluation))));
            for (String kind : Study.APART) {
                lines.add(head + kind + figures(one.ofKind(kind)));
            }
        }
        for (Study.CostCase one : study.costs()) {
            lines.add(one.attributes() + "," + study.plan().intervals().get(0).toMillis() / 1000.0 + "," + one.costs()
                    + ",held out" + figures(one.figures()));
        }
        return lines;
    }

    private static String figures(Figures one) {
        return "," + one.runs() + estimate(one.missRate()) + estimate(one.recall()) + estimate(one.precision())
                + number(one.falseAlarms().value()) + spread(one.onset()) + spread(one.end()) + "," + one.wrong()
                + number(one.wrongAnHour()) + "," + one.steady().mitigated() + number(one.steady().share()) + ","
                + one.steady().swings() + number(one.steady().swingsAnHour());
    }

    private static String spread(Detection.Spread one) {
        return "," + one.count() + "," + one.detected() + number(one.median()) + number(one.low()) + number(one.high());
    }

    private static String estimate(Estimate one) {
        return number(one.value()) + number(one.low()) + number(one.high());
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "," : "," + SamplesCsv.number(Math.round(value * 1e4) / 1e4);
    }
}
