// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.ic2.training.data.Run;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;

/** A comparison as one HTML page that a reader can check. */
final class CompareReport {
    private static final Set<String> FACTS_SHOWN_ELSEWHERE = Set.of(Run.KIND, Run.FROM, "seed", "neighbour", "agent", "settling-ms", Run.BROKEN);

    private final Comparison comparison;
    private final Html html;

    private CompareReport(Comparison comparison, Html html) {
        this.comparison = comparison;
        this.html = html;
    }

    /** The page: what came out, the picture, what it shows, and all else for engineers. */
    static String html(Comparison comparison) {
        CompareReport report = new CompareReport(comparison, new Html("IC\u00b2: the same load and the same neighbour, with and without it"));
        Map<String, List<String>> outcome = new LinkedHashMap<>();
        Findings.lines(comparison).forEach(line -> outcome.computeIfAbsent(line.label(), any -> new ArrayList<>()).add(line.text()));
        report.html.lead(outcome);
        report.lacks();
        report.html.section("Over time");
        report.charts();
        report.html.section("For engineers");
        comparison.others().stream().filter(arm -> !Findings.leading(comparison).equals(Optional.of(arm))).forEach(arm ->
                report.html.text(name(arm) + ": " + Findings.of(comparison, arm)));
        report.html.text(comparison.measuredOn() + " " + Findings.load(comparison));
        report.html.text("Arms: " + comparison.plan().arms().stream().map(CompareReport::name).collect(Collectors.joining("; ")) + ".");
        List<Table> tables = new Tables(comparison).all();
        report.html.table(tables.get(0));
        ChangePlot.add(report.html, comparison);
        tables.subList(1, tables.size()).forEach(report.html::table);
        report.freshness();
        report.html.table(comparison.machine().table());
        report.settings();
        return report.html.page();
    }

    private static String name(Arm arm) {
        return arm.key() + ": " + arm.title();
    }

    private void freshness() {
        Freshness freshness = new Freshness(comparison);
        if (freshness.asked()) {
            html.table(freshness.table());
            html.figure(freshness.svg(), "A point further left has fresher pages, or pages with more of their parts; a lower one is faster.");
        }
    }

    /** What the figures are short of. */
    private void lacks() {
        List<String> lacks = new ArrayList<>();
        comparison.missing().forEach(slot -> lacks.add("run " + slot.id() + " is missing"));
        comparison.recordings().stream().filter(one -> !one.broken().isEmpty()).forEach(one -> lacks.add("run " + one.slot().id()
                + " ended too early (" + one.broken().split("\n")[0] + "); what it measured until then counts"));
        comparison.episodes().stream().filter(episode -> episode.cut(comparison.plan())).forEach(episode -> lacks.add("episode "
                + episode.number() + " of run " + episode.slot().id() + " was cut short after " + Words.number("%.0f s", episode.seconds())
                + "; a part that is not whole does not count"));
        if (!comparison.plan().arms().contains(Arm.OFF)) {
            lacks.add("the arm off was not asked for, so nothing is compared");
        }
        if (!lacks.isEmpty()) {
            html.text("Note: " + String.join("; ", lacks) + ".");
        }
    }

    /** Every round over time (the paper's figure 9), with the reasons of all changes. */
    static void charts(Html html, Comparison comparison) {
        new CompareReport(comparison, html).charts();
    }

    private void charts() {
        Map<String, List<Recording>> charts = new LinkedHashMap<>();
        comparison.recordings().stream().sorted((x, y) -> x.slot().arm().compareTo(y.slot().arm())).forEach(one ->
                charts.computeIfAbsent(one.slot().round() + " " + one.slot().neighbour(), any -> new ArrayList<>()).add(one));
        List<List<Recording>> rounds = charts.keySet().stream().sorted((x, y) -> order(x) - order(y)).map(charts::get).toList();
        rounds.forEach(this::chart);
        if (!rounds.isEmpty()) {
            whatYouSee();
            rounds.forEach(this::reasons);
        }
    }

    private void whatYouSee() {
        ComparePlan plan = comparison.plan();
        html.section("What you see");
        html.text((plan.loadOnly() ? "" : "Shaded: the neighbour runs. ") + "Response time and throughput are those that users had: the mean of "
                + "a page with its files, and pages in a second. The same users came to each arm, beside the same neighbour at the same times.");
        if (plan.arms().stream().anyMatch(Arm::on)) {
            html.text("Below: what IC\u00b2 believed, and each change that it made; click one for its reason. Level 1 to 6: the mitigation "
                    + "levels, each of which makes pages need less CPU, by cheaper compression, stored pages for visitors who are not logged in, or "
                    + "fewer parts. Keep-alive: how long httpd keeps an idle connection. Baseline: everything as it was.");
        }
        if (!plan.loadOnly()) {
            html.text("\"Users waited\" is N/X - Z: users by pages a second, less the time that they think. It counts those who got no answer, "
                    + "too. It is that of each episode of interference" + (plan.on().compareTo(plan.firstHalf()) > 0 ? " from "
                    + Words.seconds(plan.firstHalf()) + " after its start on, when an agent has had time to act." : "."));
        }
    }

    private int order(String key) {
        List<String> keys = comparison.plan().slots().stream().map(slot -> slot.round() + " " + slot.neighbour()).distinct().toList();
        return keys.indexOf(key);
    }

    private void chart(List<Recording> recordings) {
        PlannedRun slot = recordings.get(0).slot();
        html.figure(RunChart.svg(recordings, comparison.plan()::called), (comparison.plan().loadOnly() ? "Load only" : "Beside " + slot.neighbour())
                + (comparison.plan().repeat() == 1 ? "." : ", round " + slot.round() + "."));
    }

    private void reasons(List<Recording> recordings) {
        for (Recording recording : recordings) {
            List<Event> changes = recording.reconfigurations(recording.from(), recording.to());
            for (int i = 0; i < changes.size(); i++) {
                Event event = changes.get(i);
                html.details(RunChart.target(recording.slot(), i + 1), String.format(Locale.ROOT, "%s, %.1f s: %s",
                        comparison.plan().called(recording.slot().arm()), recording.seconds(event.time()), event.configuration()
                                .map(values -> Event.words(values, recording.baseline())).orElse("unknown values")), event.action() + ": " + event.reason());
            }
            problems(recording);
        }
    }

    private void problems(Recording recording) {
        List<Event> wrong = recording.events().stream().filter(event -> event.kind().equals("failed") || event.kind().equals("refused"))
                .filter(event -> !event.time().isAfter(recording.to())).toList();
        if (!wrong.isEmpty()) {
            html.details(recording.slot().id() + "-problems", comparison.plan().called(recording.slot().arm()) + ": "
                    + Words.count(wrong.size(), "action") + " failed or refused", wrong.stream().map(event -> String.format(Locale.ROOT,
                            "%.1f s: %s %s: %s", recording.seconds(event.time()), event.action(), event.kind(), event.problem()))
                            .collect(Collectors.joining("\n")));
        }
    }

    private void settings() {
        html.part("Settings and provenance");
        ComparePlan plan = comparison.plan();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("arms", plan.arms().stream().map(CompareReport::name)
                .collect(Collectors.joining("; "))));
        rows.add(List.of("application", plan.subject().text()));
        rows.add(List.of("interference", plan.loadOnly() ? "none" : plan.neighbours().stream().map(one -> one.name() + ": "
                + one.command()).collect(Collectors.joining("; ")) + "; " + plan.placement()));
        rows.add(List.of("schedule", plan.loadOnly() ? "load only" : "off " + plan.off().toSeconds() + " s, on " + plan.on().toSeconds()
                + " s, and so on (the paper: 240 s each)"));
        rows.add(List.of("runs", plan.repeat() + " of " + plan.length().toSeconds() + " s for each arm"
                + (plan.loadOnly() ? "" : " and interference") + (plan.shuffled() ? ", the arms in an order by chance in every round" : ", the baseline first")
                + " (the paper: 16 of 3600 s); made: " + comparison.recordings().size() + " of " + plan.slots().size()));
        rows.add(List.of("load", "that of " + plan.subject().load() + "; " + plan.users() + " users; seed " + plan.seed() + " in the first round, one more in each following one; "
                + "the same in all arms of a round"));
        rows.add(List.of("rest between graceful restarts, and between reloads of PHP", plan.rest().map(rest -> rest.toSeconds()
                + " s, half of --off, instead of the agent's own").orElse("the agent's own")));
        Map<String, Set<String>> facts = new LinkedHashMap<>();
        for (Recording recording : comparison.recordings()) {
            recording.run().facts().forEach((name, value) -> {
                if (!FACTS_SHOWN_ELSEWHERE.contains(name)) {
                    facts.computeIfAbsent(name, any -> new TreeSet<>()).add(value);
                }
            });
            if (recording.slot().arm().on()) {
                facts.computeIfAbsent("agent of arm " + recording.slot().arm().key(), any -> new TreeSet<>())
                        .add(recording.run().fact("agent"));
            }
        }
        facts.forEach((name, values) -> rows.add(List.of(name, String.join("; ", values))));
        html.table(List.of("what", "value"), rows);
        html.text("Behind this page: periods.csv and quiet.csv (every episode, and every phase without interference), summary.json, and a folder for each run with "
                + "the client's figures (load/intervals.csv), CPU use (usage.csv; machine.csv of all else on the machine), the agent's samples, journal and configuration. `ic2-train "
                + "compare --again --out DIR` makes the page again from these files.");
    }
}
