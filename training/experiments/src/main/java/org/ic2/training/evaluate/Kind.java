// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;

/** By what runs are alike: a tree that was taught by others alone shows what it is worth on what it has never met. */
public enum Kind {
    /** The neighbour's program. */
    NEIGHBOUR(run -> first(run, Kind::program)),
    /** Where it runs: on the tier's core, where it takes CPU (steal), or on another one, where it takes caches only. */
    PLACEMENT(run -> first(run, Switch::placement)),
    /** The application and the profile of its load. */
    APPLICATION(run -> known(run, "testbed.application", "olio") + " " + known(run, "testbed.profile", "public")),
    /** Layout, users and cycle time: how busy the tier is. */
    LOAD(run -> known(run, "testbed.layout", "overcommitted") + ", " + known(run, "users", "?") + " users, cycle "
            + known(run, "testbed.think_ms", "?") + " ms"),
    /** The day of the recording, UTC. */
    DAY(run -> run.samples().get(0).time().atZone(ZoneOffset.UTC).toLocalDate().toString()),
    /** Each by itself. */
    RECORDING(Run::id);

    private static final String NONE = "none";

    private final Function<Run, String> group;

    Kind(Function<Run, String> group) {
        this.group = group;
    }

    /** What a run with samples is of this kind. */
    public String of(Run run) {
        return group.apply(run);
    }

    private static String known(Run run, String fact, String otherwise) {
        return run.fact(fact).isEmpty() ? otherwise : run.fact(fact);
    }

    private static String first(Run run, Function<Switch, String> of) {
        return run.switches().isEmpty() ? NONE : of.apply(run.switches().get(0));
    }

    /** The program's name, of stress-ng with what it stresses. */
    private static String program(Switch one) {
        String[] words = one.program().split(" ");
        return words.length > 1 && words[0].endsWith("stress-ng") ? words[0] + " " + words[1] : words[0];
    }

    /** How an evaluation did on each of this kind, and on all, as a table for the terminal. */
    public String table(Evaluation evaluation) {
        Map<String, List<Run>> groups = new TreeMap<>();
        evaluation.runs().forEach(run -> groups.computeIfAbsent(of(run), name -> new ArrayList<>()).add(run));
        Map<String, Evaluation> lines = new LinkedHashMap<>();
        groups.forEach((name, runs) -> lines.put(name, evaluation.only(runs::contains)));
        lines.put("all", evaluation);
        StringBuilder text = new StringBuilder(String.format("%-36s%5s%14s%9s%11s%9s%14s%10s%n", name().toLowerCase(Locale.ROOT), "runs",
                "interference", "recall", "precision", "without", "false alarms", "harmless"));
        lines.forEach((name, one) -> text.append(line(name, one)));
        return text.toString();
    }

    private static String line(String name, Evaluation one) {
        Confusion all = one.confusion();
        return String.format(Locale.ROOT, "%-36s%5d%12d s%9s%11s%7d s%14s%8d s%n", name, one.runs().size(),
                seconds(one, Label.INTERFERENCE), percent(all.recall(Label.INTERFERENCE)), percent(all.precision(Label.INTERFERENCE)),
                seconds(one, Label.NO_INTERFERENCE), percent(all.falseAlarms()),
                one.harmless().values().stream().mapToLong(harmless -> harmless.time().toSeconds()).sum());
    }

    private static long seconds(Evaluation one, Label truth) {
        return one.runs().stream().mapToLong(run -> run.interval().multipliedBy(one.byRun().getOrDefault(run.id(),
                Confusion.empty()).of(truth)).toMillis()).sum() / 1000;
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
