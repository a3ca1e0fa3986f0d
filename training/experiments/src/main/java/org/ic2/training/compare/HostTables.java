// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.ic2.runtime.knob.Knob;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;
import org.ic2.training.run.HostLever;

/** Provider and tenant together: what each alone brings, and whether the two fight. */
final class HostTables {
    /** Two measurements of one thing differ by this much. */
    private static final double MAX_INCREASE = 0.1;
    private static final double MAX_ADDED_TURNS = 1;
    private static final String TENANT = "tenant: ";

    private final Comparison comparison;

    HostTables(Comparison comparison) {
        this.comparison = comparison;
    }

    /** The tables of a comparison with the host's agent; none without. */
    List<Table> all() {
        List<Table> tables = new ArrayList<>();
        if (comparison.plan().hosted() && !comparison.plan().loadOnly()) {
            tables.add(turns());
            if (!together().isEmpty()) {
                tables.add(noWorse());
            }
        }
        return tables;
    }

    /** What the host moves in some arm. */
    private List<HostLever> levers() {
        return Stream.of(HostLever.values()).filter(lever -> comparison.plan().arms().stream()
                .anyMatch(arm -> arm.host().equals(Optional.of(lever)))).toList();
    }

    /** The levers that were measured both alone and together with the tenant's agent. */
    private List<HostLever> together() {
        return levers().stream().filter(lever -> comparison.plan().arms().containsAll(List.of(Arm.TUNED, Arm.of(lever, false),
                Arm.of(lever, true)))).toList();
    }

    /** Turns of each knob for each episode of the neighbour, by its name; of an arm. */
    Map<String, Double> turns(Arm arm) {
        Map<String, Double> turns = new LinkedHashMap<>();
        double episodes = comparison.episodes(arm, Comparison.ALL).size();
        for (Recording one : comparison.recordings().stream().filter(recording -> recording.slot().arm() == arm).toList()) {
            series(one).forEach((knob, values) -> turns.merge(knob, Turns.count(values) / episodes, Double::sum));
        }
        return turns;
    }

    private static Map<String, List<Turns.Value>> series(Recording recording) {
        Map<String, List<Turns.Value>> series = new LinkedHashMap<>();
        if (recording.slot().arm().on()) {
            for (Knob knob : recording.baseline().knobs()) {
                List<Turns.Value> values = new ArrayList<>(List.of(new Turns.Value(recording.from(), recording.baseline().get(knob))));
                recording.reconfigurations(recording.from(), recording.to()).forEach(event -> event.configuration()
                        .filter(running -> running.has(knob)).ifPresent(running -> values.add(new Turns.Value(event.time(), running.get(knob)))));
                series.put(TENANT + knob.key(), values);
            }
        }
        recording.hosted().forEach((knob, values) -> series.put("host: " + knob, values.stream().filter(value ->
                !value.time().isBefore(recording.from()) && !value.time().isAfter(recording.to())).toList()));
        return series;
    }

    private Table turns() {
        List<List<String>> rows = new ArrayList<>();
        for (HostLever lever : levers()) {
            Map<String, Double> tenant = turns(Arm.TUNED);
            Map<String, Double> host = turns(Arm.of(lever, false));
            Map<String, Double> both = turns(Arm.of(lever, true));
            for (String knob : new TreeSet<>(Stream.of(tenant, host, both).flatMap(map -> map.keySet().stream()).toList())) {
                double alone = Math.max(tenant.getOrDefault(knob, 0.0), host.getOrDefault(knob, 0.0));
                double together = both.getOrDefault(knob, Double.NaN);
                boolean measured = both.containsKey(knob)
                        && comparison.plan().arms().contains(knob.startsWith(TENANT) ? Arm.TUNED : Arm.of(lever, false));
                rows.add(List.of(lever.key(), knob, turned(tenant, knob), turned(host, knob), turned(both, knob), !measured
                        ? "-" : together <= alone + MAX_ADDED_TURNS ? "+holds" : "!does not hold"));
            }
        }
        return new Table("Do host and tenant fight?", "Turns of each knob for each episode of the neighbour, from the begin of the run to its end: how "
                + "often it went down after up, or up after down, by more than a tenth of its value (no limit counts as more than any). "
                + "A change and its restore are one, the next change another. No oscillation: with both agents no knob turns more than one time "
                + "an episode more often than with either alone.", List.of("the host moves", "knob", "tenant only (tuned)", "host only", "both",
                        "at most either alone + 1"), rows);
    }

    private static String turned(Map<String, Double> turns, String knob) {
        return Words.number("%.1f", turns.getOrDefault(knob, Double.NaN));
    }

    private Table noWorse() {
        List<List<String>> rows = new ArrayList<>();
        for (String kind : comparison.kinds()) {
            for (EpisodePart part : EpisodePart.values()) {
                for (String figure : List.of("interactive_response_time", "response_time", "request_p95")) {
                    together().forEach(lever -> noWorse(lever, kind, part, figure).ifPresent(rows::add));
                }
            }
        }
        return new Table("Is the tenant no worse off with both?", "Means over the runs, each with all its episodes of interference, s. No worse: with both agents at most "
                + "a tenth above the better of the two alone.", List.of("interference", "part", "figure", "the host moves", "neither (off)",
                        "tenant only (tuned)", "host only", "both", "no worse"), rows);
    }

    private Optional<List<String>> noWorse(HostLever lever, String kind, EpisodePart part, String figure) {
        double none = comparison.mean(Arm.OFF, kind, part, figure);
        double tenant = comparison.mean(Arm.TUNED, kind, part, figure);
        double host = comparison.mean(Arm.of(lever, false), kind, part, figure);
        double both = comparison.mean(Arm.of(lever, true), kind, part, figure);
        return !Double.isFinite(both) ? Optional.empty() : Optional.of(List.of(kind, part.text(comparison.plan().firstHalf()),
                name(figure), lever.key(), seconds(none), seconds(tenant), seconds(host), seconds(both),
                both <= (1 + MAX_INCREASE) * Math.min(tenant, host) ? "+holds" : "!does not hold"));
    }

    private static String name(String figure) {
        return figure.equals("interactive_response_time") ? "N/X - Z" : figure.equals("response_time") ? "mean" : "p95";
    }

    private static String seconds(double value) {
        return Words.number("%.3f", value);
    }

    /** A line for each arm and knob, for other programs. */
    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("arm,knob,turns_per_episode"));
        for (Arm arm : comparison.plan().arms()) {
            turns(arm).forEach((knob, turns) -> lines.add(arm.key() + "," + knob + "," + Words.number("%.3f", turns)));
        }
        return lines;
    }
}
