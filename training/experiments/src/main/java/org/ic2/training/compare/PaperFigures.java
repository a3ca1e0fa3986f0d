// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;

/** What a comparison of the arms off, paper-online and paper-graceful says of the paper's section 5: Table 4 and figures 7, 9 and 10. */
public final class PaperFigures {
    /** What the paper's private testbed gained at most in the rest of an episode, and at least. */
    private static final double PAPER_MOST = -0.40;
    private static final double PAPER_LEAST = -0.32;
    private static final double PAPER_GRACEFUL_LEAST = -0.34;

    private final Comparison comparison;

    private PaperFigures(Comparison comparison) {
        this.comparison = comparison;
    }

    /** Reads the folder of a comparison. */
    public static PaperFigures read(Path folder) throws IOException {
        return new PaperFigures(Comparison.read(folder));
    }

    /** Whether the paper's gain came, a sentence for each of its two arms; it names what starved users hide. */
    public List<String> outcome() {
        return comparison.others().stream().map(this::outcome).toList();
    }

    private String outcome(Arm arm) {
        Estimate change = comparison.change(arm, Comparison.ALL, EpisodePart.REST, "response_time");
        String said = arm.title() + ": mean response time " + Words.percent(change) + " in the rest of an episode, in "
                + Words.count(comparison.runs(arm, Comparison.ALL, EpisodePart.REST), "run") + "; the paper, private testbed: -32 to "
                + (arm == Arm.PAPER_GRACEFUL ? "-40 % (httpd-basic: -34 to -40 %)" : "-40 %") + ". " + verdict(change, arm == Arm.PAPER_GRACEFUL ? PAPER_GRACEFUL_LEAST : PAPER_LEAST);
        return said + comparison.starvation(arm, Comparison.ALL, EpisodePart.REST).map(words -> " But users starved: " + words + ".").orElse("");
    }

    private static String verdict(Estimate change, double least) {
        if (!Double.isFinite(change.value())) {
            return "Nothing can be compared.";
        }
        if (!change.known()) {
            return "One run has no interval, so it neither confirms nor refutes the paper.";
        }
        if (change.low() > least) {
            return String.format(Locale.ROOT, "The paper's gain does not come: the interval excludes %.0f %%.", 100 * least);
        }
        return change.high() < PAPER_MOST ? String.format(Locale.ROOT, "More than the paper's gain: the interval excludes %.0f %%.", 100 * PAPER_MOST)
                : "The interval holds the paper's gain" + (change.high() >= 0 ? ", and zero as well." : ".");
    }

    /** How many of the planned runs are there. */
    public String made() {
        return "Runs made: " + comparison.recordings().size() + " of " + comparison.plan().slots().size() + ". " + comparison.measuredOn();
    }

    /** Table 4, what the mean hides, figure 10 in figures, and figure 7's clusters. */
    public List<Table> tables() {
        Tables all = new Tables(comparison);
        return List.of(all.summary(), all.besides(), WorkChart.table(comparison));
    }

    /** The same with the pictures. */
    public void add(Html html) {
        Tables all = new Tables(comparison);
        html.section("Table 4 and figure 10").table(all.summary());
        ChangePlot.add(html, comparison);
        html.table(all.besides());
        html.section("Figure 9");
        CompareReport.charts(html, comparison);
        html.section("Figure 7").table(WorkChart.table(comparison));
        WorkChart.add(html, comparison);
    }
}
