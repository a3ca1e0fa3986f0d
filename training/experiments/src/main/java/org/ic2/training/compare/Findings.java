// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.knowledge.Lever;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.report.Words;

/**
 * What came out, in short lines, good or bad. An agent that changed nothing had no effect, even if the figures differ; an effect is told
 * by an interval that excludes zero, or, with too few runs for one, with their number.
 */
final class Findings {
    /** A smaller change is not called a difference, even if its interval excludes zero. */
    private static final double MIN_CHANGE = 0.05;
    private static final double LEAST_COST = 0.01;
    private static final String MEASURE = "interactive_response_time";
    private static final double PERCENT = 100;
    private static final String OUTCOME = "Outcome";
    private static final String BEWARE = "Beware";

    private final Comparison comparison;

    /**
     * One of them.
     *
     * @param label what it is about, in a word or two
     */
    record Line(String label, String text) {
    }

    private Findings(Comparison comparison) {
        this.comparison = comparison;
    }

    /** The lines that matter most: without IC², with it, what it did and what that cost; fewer if less was measured. */
    static List<Line> lines(Comparison comparison) {
        Findings outcome = new Findings(comparison);
        List<Line> lines = new ArrayList<>(leading(comparison).map(outcome::lines)
                .orElseGet(() -> List.of(new Line(OUTCOME, outcome.alone()))));
        comparison.machine().sentence().ifPresent(text -> lines.add(new Line(BEWARE, text)));
        int missing = comparison.missing().size();
        if (missing > 0) {
            lines.add(new Line(BEWARE, Words.count(missing, "run") + " of " + comparison.plan().slots().size() + " "
                    + (missing == 1 ? "is" : "are") + " missing."));
        }
        return lines;
    }

    /** The same as one text. */
    static String headline(Comparison comparison) {
        return text(lines(comparison));
    }

    private static String text(List<Line> lines) {
        return lines.stream().map(line -> line.label() + ": " + line.text()).collect(Collectors.joining(" "));
    }

    /** The arm that the headline is of: the last with IC², or the last of those without. */
    static Optional<Arm> leading(Comparison comparison) {
        return comparison.others().stream().max(Comparator.comparing(Arm::on).thenComparing(Comparator.naturalOrder()));
    }

    /** An arm beside the baseline. */
    static String of(Comparison comparison, Arm arm) {
        return text(new Findings(comparison).lines(arm));
    }

    /** What the figures are those of. */
    static String load(Comparison comparison) {
        double anonymous = comparison.anonymousShare();
        return "The load was that of " + comparison.plan().subject().load() + (Double.isFinite(anonymous)
                ? Words.number(", with %.1f %%", PERCENT * anonymous) + " of the operations anonymous" : "") + ".";
    }

    private String alone() {
        if (comparison.plan().loadOnly()) {
            return "Only the baseline was measured, and without a neighbour: there is nothing to compare it with.";
        }
        List<InterferenceEpisode> episodes = comparison.episodes(Arm.OFF, Comparison.ALL);
        return "Only the baseline was measured, over " + Words.count(episodes.size(), "episode") + " of interference: there is "
                + "nothing to compare it with. Its mean response time was " + Words.number("%.3f s", comparison.meanWithout(Arm.OFF,
                        "response_time")) + " without interference and " + Words.number("%.3f s",
                        comparison.mean(Arm.OFF, Comparison.ALL, part(), "response_time")) + " beside the neighbour.";
    }

    /** The rest of the episode, if there is one. */
    private EpisodePart part() {
        return comparison.plan().on().compareTo(comparison.plan().firstHalf()) > 0 ? EpisodePart.REST : EpisodePart.FIRST;
    }

    private List<Line> lines(Arm arm) {
        String name = comparison.plan().called(arm);
        if (comparison.plan().loadOnly()) {
            return List.of(new Line(OUTCOME, loadOnly(arm, name)));
        }
        if (comparison.episodes(arm, Comparison.ALL).isEmpty()) {
            return List.of(new Line(OUTCOME, "No episode of interference " + name + " was measured."));
        }
        if (comparison.count(arm, Comparison.ALL, part()) == 0) {
            return List.of(new Line(OUTCOME, "There is no whole episode of interference that was measured both " + name
                    + " and without it, so nothing can be compared."), new Line("It did", did(arm)));
        }
        List<Line> lines = new ArrayList<>(List.of(new Line(capital(comparison.plan().called(Arm.OFF)), without(arm)),
                new Line(capital(name), with(arm))));
        if (arm.on()) {
            lines.add(new Line("It did", did(arm)));
        }
        lines.add(new Line("It cost", cost(arm)));
        comparison.starvation(arm, Comparison.ALL, part()).ifPresent(words -> lines.add(new Line(BEWARE, words + ".")));
        return lines;
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private String loadOnly(Arm arm, String name) {
        List<InterferenceFree> interferenceFree = comparison.interferenceFree(arm);
        if (interferenceFree.isEmpty()) {
            return "No run " + name + " was measured.";
        }
        double minutes = interferenceFree.stream().mapToDouble(InterferenceFree::seconds).sum() / 60;
        int wrong = interferenceFree.stream().mapToInt(InterferenceFree::mitigations).sum();
        int changes = interferenceFree.stream().mapToInt(InterferenceFree::reconfigurations).sum();
        String what = changes == 0 ? "nothing was changed in " + Words.number("%.0f minutes", minutes)
                : "it acted without need: " + Words.count(wrong, "mitigation") + " and " + Words.count(changes, "reconfiguration")
                        + " in " + Words.number("%.0f minutes", minutes);
        return "With " + comparison.plan().users() + " users, no neighbour, and " + name + ", " + what + "; " + costWithout(arm) + ".";
    }

    private String without(Arm arm) {
        double calm = comparison.meanWithout(Arm.OFF, MEASURE);
        return "users waited " + waited(comparison.both(arm, Comparison.ALL, part(), MEASURE)[0]) + " a page beside the neighbour, else "
                + waited(calm) + ".";
    }

    /** N/X - Z of a load that is answered at once can be a little below zero. */
    private static String waited(double seconds) {
        return Words.number("%.3f s", Math.max(0, seconds));
    }

    private String with(Arm arm) {
        Estimate change = comparison.change(arm, Comparison.ALL, part(), MEASURE);
        String text = "users waited " + waited(comparison.both(arm, Comparison.ALL, part(), MEASURE)[1]);
        String percent = Words.percent(Math.abs(change.value()), 0);
        String less = ", " + percent + " less (" + evidence(change) + since() + ").";
        String more = ", " + percent + " more: it made it worse (" + evidence(change) + since() + ").";
        String same = ", no difference that can be told from noise (" + evidence(change) + since() + ").";
        boolean small = Math.abs(change.value()) < MIN_CHANGE;
        return text + switch (comparison.effect(arm, Comparison.ALL, part(), MEASURE)) {
            case NO_ACTION -> "; IC\u00b2 changed nothing, so that is not its doing.";
            case NOT_MEASURED -> "; nothing can be compared.";
            case NOT_TOLD -> same;
            case ONE_RUN -> small ? same : change.value() < 0 ? less : more;
            case LESS -> small ? same : less;
            case MORE -> small ? same : more;
        };
    }

    private static String evidence(Estimate change) {
        String runs = change.runs() == 1 ? "one run" : Words.count(change.runs(), "run");
        return change.known() ? "95 % interval " + Words.number("%+.0f", PERCENT * change.low()) + " to "
                + Words.number("%+.0f %%", PERCENT * change.high()) + ", " + runs : runs;
    }

    private String since() {
        return part() == EpisodePart.REST ? ", from " + Words.seconds(comparison.plan().firstHalf()) + " after its start" : "";
    }

    private int changes(Arm arm) {
        return comparison.episodes(arm, Comparison.ALL).stream().mapToInt(InterferenceEpisode::reconfigurations).sum();
    }

    private String did(Arm arm) {
        int episodes = comparison.episodes(arm, Comparison.ALL).size();
        EpisodeDelays seen = comparison.noticed(arm, Comparison.ALL, true);
        if (changes(arm) == 0) {
            return "nothing; it noticed " + (seen.reached() == 0 ? "none" : Integer.toString(seen.reached())) + " of "
                    + Words.count(episodes, "episode") + "." + tooBusy(arm);
        }
        EpisodeDelays first = comparison.after(arm, Comparison.ALL, InterferenceEpisode::reconfigured);
        EpisodeDelays baseline = comparison.baseline(arm, Comparison.ALL);
        String acted = first.reached() == 0 ? "acted" : "acted after " + Words.number("%.1f s", first.median());
        String part = first.reached() < episodes ? " in " + first.reached() + " of " + Words.count(episodes, "episode") : "";
        String undone = baseline.count() == 0 ? "" : baseline.reached() == 0 ? "; not undone before the next one"
                : "; undone " + Words.number("%.1f s", baseline.median()) + " after its end";
        return acted + part + level(arm) + undone + ".";
    }

    /** Says that an idle agent could not learn on this busy machine; empty if it could. */
    private String tooBusy(Arm arm) {
        List<Recording> runs = comparison.recordings().stream().filter(one -> one.slot().arm() == arm).toList();
        boolean busy = runs.stream().allMatch(one -> comparison.machine().disturbed(one.slot()) && one.couldNotLearn());
        return busy ? " This machine was too busy to measure: the web tier waited for a CPU without a neighbour too, so IC\u00b2 could not"
                + " learn what is normal." : "";
    }

    private String level(Arm arm) {
        int most = comparison.recordings().stream().filter(one -> one.slot().arm() == arm).flatMap(one -> one.reconfigurations(one.from(),
                one.to()).stream()).flatMap(event -> event.configuration().stream()).filter(values -> values.has(Lever.MITIGATION))
                .mapToInt(values -> values.get(Lever.MITIGATION)).max().orElse(0);
        return most == 0 ? "" : ", up to level " + most;
    }

    private String cost(Arm arm) {
        List<String> costs = new ArrayList<>();
        double stored = comparison.mean(arm, Comparison.ALL, part(), "stored_share");
        if (stored > 0) {
            costs.add(Words.percent(stored, 0) + " of the pages from a store, up to " + Words.number("%.0f s",
                    comparison.most(arm, Comparison.ALL, part(), "oldest_page")) + " old");
        }
        double agent = comparison.episodes(arm, Comparison.ALL).stream().mapToDouble(InterferenceEpisode::agentCpu).filter(Double::isFinite).average()
                .orElse(Double.NaN);
        if (Double.isFinite(agent)) {
            costs.add("the agent " + Words.percent(agent, 1) + " of a core");
        }
        double[] errors = comparison.both(arm, Comparison.ALL, part(), "errors");
        if (errors[1] > errors[0]) {
            costs.add(Words.number("%.0f", errors[1]) + " errors an episode, not " + Words.number("%.0f", errors[0]));
        }
        if (comparison.changeWithout(arm, "response_time").known()) {
            costs.add(costWithout(arm));
        }
        return costs.isEmpty() ? "nothing that was measured." : String.join("; ", costs) + ".";
    }

    private String costWithout(Arm arm) {
        Estimate time = comparison.changeWithout(arm, "response_time");
        Estimate throughput = comparison.changeWithout(arm, "throughput");
        if (!Double.isFinite(time.value())) {
            return "what it costs without interference could not be measured";
        }
        if (!time.known()) {
            return "without interference response time changed by " + Words.percent(time) + " and throughput by "
                    + Words.percent(throughput) + ", with too few runs to tell that from noise";
        }
        boolean costs = time.low() > 0 && time.value() >= LEAST_COST || throughput.high() < 0 && throughput.value() <= -LEAST_COST;
        boolean told = time.low() > 0 || throughput.high() < 0;
        return "without interference it cost " + (costs ? "something" : told ? "less than " + Words.number("%.0f", PERCENT * LEAST_COST)
                + " %" : "nothing that can be told from noise") + " (response time " + Words.percent(time) + ", throughput "
                + Words.percent(throughput) + ")";
    }
}
