// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.ic2.training.compare.Period.Half;
import org.ic2.training.evaluate.Estimate;

/** What came out, in one plain sentence for each arm, good or bad. */
final class Findings {
    /** Less than this is not called a difference, whatever the interval of a few periods says. */
    private static final double NOISE = 0.05;
    private static final double LEAST_COST = 0.01;
    private static final String MEASURE = "interactive_response_time";
    private static final double PERCENT = 100;

    private final Comparison comparison;

    private Findings(Comparison comparison) {
        this.comparison = comparison;
    }

    /** The sentence that matters most: that of the last arm. */
    static String headline(Comparison comparison) {
        Findings outcome = new Findings(comparison);
        String text = leading(comparison).map(outcome::of).orElseGet(outcome::alone);
        if (!comparison.missing().isEmpty()) {
            text += " " + Words.count(comparison.missing().size(), "run") + " of "
                    + comparison.plan().slots().size() + " " + (comparison.missing().size() == 1 ? "is" : "are") + " missing.";
        }
        return text + " The load was that of " + comparison.plan().subject().load() + share(comparison.anonymousShare()) + ".";
    }

    /** The arm that the headline is of: the last with IC², or the last of those without. */
    static Optional<Arm> leading(Comparison comparison) {
        return comparison.others().stream().max(Comparator.comparing(Arm::on).thenComparing(Comparator.naturalOrder()));
    }

    private static String share(double anonymous) {
        return Double.isFinite(anonymous) ? Words.number(", with %.1f %%", PERCENT * anonymous) + " of the operations anonymous" : "";
    }

    /** The sentence of an arm with IC². */
    static String of(Comparison comparison, Arm arm) {
        return new Findings(comparison).of(arm);
    }

    private String alone() {
        if (comparison.plan().loadOnly()) {
            return "Only the baseline was measured, and without a neighbour: there is nothing to compare it with.";
        }
        List<Period> periods = comparison.periods(Arm.OFF, Comparison.ALL);
        return "Only the baseline was measured, over " + Words.count(periods.size(), "period") + " of interference: there is "
                + "nothing to compare it with. Its mean response time was " + Words.number("%.3f s", comparison.quietMean(Arm.OFF,
                        "response_time")) + " in the quiet and " + Words.number("%.3f s",
                        comparison.mean(Arm.OFF, Comparison.ALL, half(), "response_time")) + " beside the neighbour.";
    }

    /** The second half, if there is one. */
    private Half half() {
        return comparison.plan().on().compareTo(comparison.plan().firstHalf()) > 0 ? Half.SECOND : Half.FIRST;
    }

    private String of(Arm arm) {
        String name = arm.on() ? "IC\u00b2 (" + arm.title() + ")" : "(" + arm.letter() + ") " + arm.title();
        return comparison.plan().loadOnly() ? quietOnly(arm, name) : beside(arm, name);
    }

    private String quietOnly(Arm arm, String name) {
        List<Quiet> quiets = comparison.quiets(arm);
        if (quiets.isEmpty()) {
            return "No run of " + name + " was measured.";
        }
        double minutes = quiets.stream().mapToDouble(Quiet::seconds).sum() / 60;
        int wrong = quiets.stream().mapToInt(Quiet::mitigations).sum();
        int changes = quiets.stream().mapToInt(Quiet::reconfigurations).sum();
        String load = "With " + comparison.plan().users() + " users and no neighbour, " + name + " ";
        String what = changes == 0 ? "changed nothing in " + Words.number("%.0f minutes", minutes)
                : "acted without need: " + Words.count(wrong, "mitigation") + " and " + Words.count(changes, "reconfiguration")
                        + " in " + Words.number("%.0f minutes", minutes);
        return load + what + "; " + quiet(arm) + ".";
    }

    private String beside(Arm arm, String name) {
        int pairs = comparison.count(arm, Comparison.ALL, half());
        VisitDelays onset = comparison.noticed(arm, Comparison.ALL, true);
        if (comparison.periods(arm, Comparison.ALL).isEmpty()) {
            return "No period of interference with " + name + " was measured.";
        }
        if (pairs == 0) {
            return "There is no whole period of interference that was measured both with " + name + " and without it, so nothing "
                    + "can be compared" + noticed(arm, onset) + ".";
        }
        return gain(arm, name, pairs) + noticed(arm, onset) + "; " + quiet(arm) + away(arm) + "."
                + comparison.starvation(arm, Comparison.ALL, half()).map(words -> " Beware: " + words + ".").orElse("");
    }

    private String gain(Arm arm, String name, int pairs) {
        Estimate change = comparison.change(arm, Comparison.ALL, half(), MEASURE);
        double[] both = comparison.both(arm, Comparison.ALL, half(), MEASURE);
        String measure = "the interactive response time" + (half() == Half.SECOND ? " in the second half of the interference" : "");
        String figures = " (" + Words.number("%.3f s", both[0]) + " in arm (a), " + Words.number("%.3f s", both[1]) + " here; "
                + Words.count(pairs, "period") + ")";
        String spread = change.known() ? " [" + Words.number("%+.0f", PERCENT * change.low()) + " to "
                + Words.number("%+.0f %%", PERCENT * change.high()) + "]" : "";
        Optional<Boolean> better = better(change);
        if (better.isEmpty()) {
            return name + " made no difference that can be told from noise: " + measure + " changed by "
                    + Words.number("%+.0f %%", PERCENT * change.value()) + spread + figures;
        }
        return better.get() ? name + " cut " + measure + " by " + Words.number("%.0f %%", -PERCENT * change.value()) + spread + figures
                : name + " made it worse: " + measure + " rose by " + Words.number("%.0f %%", PERCENT * change.value()) + spread
                        + figures;
    }

    private static Optional<Boolean> better(Estimate change) {
        boolean told = Math.abs(change.value()) >= NOISE && !(change.low() <= 0 && change.high() >= 0);
        return told ? Optional.of(change.value() < 0) : Optional.empty();
    }

    private String noticed(Arm arm, VisitDelays onset) {
        int changes = comparison.periods(arm, Comparison.ALL).stream().mapToInt(Period::reconfigurations).sum();
        if (!arm.on()) {
            return "";
        }
        if (onset.count() == 0) {
            return "; how fast it notices could not be measured";
        }
        if (onset.reached() == 0) {
            return "; it noticed none of " + Words.count(onset.count(), "interference") + " and "
                    + (changes == 0 ? "changed nothing" : "made " + Words.count(changes, "reconfiguration"));
        }
        VisitDelays end = comparison.noticed(arm, Comparison.ALL, false);
        String stops = end.count() == 0 ? "" : end.reached() == 0 ? ", but never that it was over"
                : " and " + end.reached() + " of " + Words.count(end.count(), "end") + " after " + end.text();
        return "; it noticed " + onset.reached() + " of " + Words.count(onset.count(), "interference") + " after "
                + onset.text() + stops;
    }

    /** What no figure of settled quiet shows. */
    private String away(Arm arm) {
        return arm.on() ? "; it was away from its baseline for " + Words.number("%.0f %%", PERCENT * comparison.away(arm))
                + " of the quiet" : "";
    }

    private String quiet(Arm arm) {
        Estimate time = comparison.quietChange(arm, "response_time");
        Estimate throughput = comparison.quietChange(arm, "throughput");
        if (!Double.isFinite(time.value())) {
            return "what it costs in the quiet could not be measured";
        }
        if (!time.known()) {
            return "in the quiet response time changed by " + Words.percent(time) + " and throughput by " + Words.percent(throughput)
                    + ", with too few stretches to tell that from noise";
        }
        boolean costs = time.low() > 0 && time.value() >= LEAST_COST || throughput.high() < 0 && throughput.value() <= -LEAST_COST;
        boolean told = time.low() > 0 || throughput.high() < 0;
        return "in the quiet it cost " + (costs ? "something" : told ? "less than " + Words.number("%.0f", PERCENT * LEAST_COST) + " %"
                : "nothing that can be told from noise") + " (response time "
                + Words.percent(time) + ", throughput " + Words.percent(throughput) + ")";
    }
}
