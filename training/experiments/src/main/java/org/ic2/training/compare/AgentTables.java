// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;

/** The tables about the agents: how fast they are, what they do and what they use. */
final class AgentTables {
    private static final double PERCENT = 100;

    private final Comparison comparison;

    AgentTables(Comparison comparison) {
        this.comparison = comparison;
    }

    /** All that the plan allows. */
    List<Table> all() {
        return comparison.plan().loadOnly() ? List.of(used()) : List.of(speed(), used());
    }

    private List<Arm> arms() {
        return comparison.plan().arms().stream().filter(Arm::on).toList();
    }

    /** From the neighbour's start and stop on. */
    private Table speed() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("goal", "", "", "1.2 s (p90 1.8 s)", "", "2.5 s (p90 4.0 s)", "", "6.0 s (p90 10.0 s)", "4"));
        for (Arm arm : arms()) {
            for (String kind : comparison.kinds()) {
                List<InterferenceEpisode> episodes = comparison.episodes(arm, kind);
                rows.add(List.of(arm.key(), kind, Integer.toString(episodes.size()), comparison.noticed(arm, kind, true).counted(),
                        comparison.after(arm, kind, InterferenceEpisode::reconfigured).counted(),
                        arm.ladder() ? comparison.after(arm, kind, InterferenceEpisode::highest).counted() : "-",
                        comparison.noticed(arm, kind, false).counted(), comparison.baseline(arm, kind).counted(), actions(episodes)));
            }
        }
        return new Table("How fast the agent is", "Medians over the episodes of the neighbour, with the 90th percentile. From its start: until "
                + "the state I2, in which IC\u00b2 acts, until the first action, and until the highest level that the episode saw was in force, of the "
                + "episodes before which the agent was in no alarm. From its stop: until the state NI2, of those at whose end it was in alarm, and until the "
                + "baseline was in force, of those at whose end it was not. \"7 of 8\" did so before the neighbour's next switch; the others "
                + "count as slower than all. Actions: from a start to the next one, with the restore.",
                List.of("arm", "interference", "episodes", "start to I2", "to the first action", "to the highest level", "stop to NI2", "stop to baseline",
                        "actions an episode"), rows);
    }

    private static String actions(List<InterferenceEpisode> episodes) {
        int[] sorted = episodes.stream().mapToInt(InterferenceEpisode::actions).sorted().toArray();
        EpisodeDelays delays = EpisodeDelays.of(IntStream.of(sorted).mapToObj(one -> Optional.of((double) one)).toList());
        return delays.count() == 0 ? "-" : Words.number("%.0f", delays.median()) + Words.number(" (p90 %.0f)", delays.p90());
    }

    /** What it took. */
    private Table used() {
        List<List<String>> rows = new ArrayList<>();
        for (Arm arm : arms()) {
            List<InterferenceEpisode> episodes = comparison.episodes(arm, Comparison.ALL);
            double seconds = episodes.stream().mapToDouble(InterferenceEpisode::seconds).sum();
            double beside = episodes.stream().mapToDouble(one -> one.agentCpu() * one.seconds()).sum() / seconds;
            double memory = Math.max(episodes.stream().mapToDouble(InterferenceEpisode::agentMemory).filter(Double::isFinite).max().orElse(0),
                    comparison.interferenceFree(arm).stream().mapToDouble(InterferenceFree::agentMemory).filter(Double::isFinite).max().orElse(0));
            rows.add(List.of(arm.key(), Words.number("%.1f", episodes.stream().mapToInt(InterferenceEpisode::reconfigurations).average()
                    .orElse(Double.NaN)), Words.percent(beside, 2),
                    Words.percent(comparison.meanWithout(arm, InterferenceFree::agentCpu), 2),
                    memory > 0 ? Words.number("%.0f MiB", memory) : "-"));
        }
        return new Table("What the agent did and used", "Reconfigurations are counted from the neighbour's start to its stop. CPU is in "
                + "per cent of one core, with all that the agent starts.", List.of("arm", "reconfigurations in an episode",
                        "CPU under interference", "CPU without", "memory, most"), rows);
    }
}
