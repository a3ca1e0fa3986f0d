// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Figures;
import org.ic2.training.evaluate.RunEffect;
import org.ic2.training.evaluate.Steady;
import org.ic2.training.report.Html;
import org.ic2.training.report.Words;

/** The part of a study's page that looks at each kind of run: each neighbour, none at all, and one that stays. */
final class KindsReport {
    private KindsReport() {
    }

    /** Adds the sections about {@code chosen} and what the others say of the same runs. */
    static void add(Html html, Study study, Study.Case chosen) {
        neighbours(html, chosen);
        negatives(html, study, chosen);
        steady(html, study, chosen);
    }

    private static void neighbours(Html html, Study.Case chosen) {
        html.section("By neighbour, and when there is none");
        html.text("Each neighbour of the held-out runs by itself. dcopy copies memory in long streaks, llcprobe touches one cache "
                + "line after the other; the placement says whether it shares the web tier's core or runs on another one, beside "
                + "which little may be felt: then recall is low and little is lost. Those count here only, and not in the figures above. "
                + "Response time: by how much its median beside the neighbour, mitigated or not, exceeds that without interference.");
        List<List<String>> rows = new ArrayList<>();
        Evaluation held = chosen.heldOut();
        for (String neighbour : held.runs().stream().filter(run -> !run.switches().isEmpty()).map(KindsReport::neighbour)
                .distinct().sorted().toList()) {
            Evaluation own = held.only(run -> neighbour(run).equals(neighbour));
            Figures figures = chosen.figures(own);
            rows.add(List.of(neighbour, Integer.toString(figures.runs()), harm(own.runs()), Figures.percent(figures.missRate()),
                    Figures.percent(figures.recall()), Figures.percent(figures.precision()), Figures.percent(figures.falseAlarms()),
                    noticed(figures)));
        }
        html.table(List.of("neighbour", "runs", "response time beside it", "miss rate", "recall", "precision", "false alarms",
                "onsets noticed"), rows);
    }

    private static void negatives(Html html, Study study, Study.Case chosen) {
        Evaluation held = chosen.heldOut();
        html.text("False alarms: samples that are labelled interference although no neighbour ran. The following runs had none at "
                + "all but look a little like one: 'surge', twice the users for a while and then back; 'mix', half of them ask for other "
                + "things for a while; 'deployment', pages that "
                + "cost more CPU for a while. Wrong reconfigurations: how often the agent would have acted on false alarms, three "
                + "of which in a row it takes.");
        List<List<String>> negatives = new ArrayList<>();
        for (Study.Case one : study.cases()) {
            for (String kind : held.runs().stream().map(Run::kind).filter(Study.NEGATIVES::contains).distinct().sorted().toList()) {
                Figures figures = one.ofKind(kind);
                negatives.add(List.of(kind, RunEffect.in(held.only(run -> run.kind().equals(kind)).runs()), one.attributes(),
                        Words.seconds(one.interval()), Integer.toString(figures.runs()),
                        Figures.percent(figures.falseAlarms()), Integer.toString(figures.wrong()), number(figures.wrongAnHour())));
            }
        }
        html.table(List.of("run", "what happened", "attributes", "interval", "runs", "false alarms", "wrong reconfigurations",
                "an hour of it"),
                negatives);
        Figures all = chosen.figures(held);
        html.text("In all held-out runs together, with or without a neighbour, wrong labels alone would have caused " + all.wrong()
                + " wrong reconfigurations, " + number(all.wrongAnHour()) + " an hour.");
    }

    private static void steady(Html html, Study study, Study.Case chosen) {
        html.section("Does it see a neighbour behind a mitigation?");
        html.text("A mitigation makes the web tier look healthy although the neighbour is still there. A tree that is deceived by "
                + "this sends the agent back to the baseline, where it suffers, mitigates, and so on: it swings. Counted are the "
                + "intervals in which the neighbour ran and a mitigation was in force, in the held-out runs, in which the agent "
                + "acted with the tree '" + chosen.attributes() + "'. Swings: returns to the baseline while the neighbour went on; "
                + "changes: all its reconfigurations in that time. The other trees are asked about the same recordings.");
        List<List<String>> rows = new ArrayList<>();
        for (Study.Case one : study.cases()) {
            rows.add(steady(one, "the neighbour stays", one.ofKind(Study.STEADY).steady()));
            rows.add(steady(one, "it comes and goes", one.figures().steady()));
        }
        html.table(List.of("attributes", "interval", "runs in which", "intervals", "still labelled interference", "time",
                "swings", "swings an hour", "changes"), rows);
    }

    private static List<String> steady(Study.Case one, String runs, Steady steady) {
        return List.of(one.attributes(), Words.seconds(one.interval()), runs, Long.toString(steady.mitigated()),
                Double.isNaN(steady.share()) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * steady.share()),
                Progress.text(steady.time()), Integer.toString(steady.swings()), number(steady.swingsAnHour()),
                Integer.toString(steady.actions()));
    }

    private static String harm(List<Run> runs) {
        double ratio = RunEffect.harm(runs);
        return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.1f times", ratio);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
    }

    static String neighbour(Run run) {
        return run.switches().isEmpty() ? "none" : run.switches().get(0).program() + ", " + run.switches().get(0).placement();
    }

    private static String noticed(Figures figures) {
        return figures.onset().detected() + " of " + figures.onset().count();
    }
}
