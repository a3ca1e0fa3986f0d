// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.evaluate.Detection.Latency;
import org.ic2.training.run.WindowFigures;

/** The figures for other programs: a line for each episode and arm, and for each phase without interference and arm. */
final class CompareCsv {
    private static final double DIGITS = 1e6;

    private CompareCsv() {
    }

    static List<String> episodes(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add("round,neighbour,arm,period,begin,seconds,cut," + heads("first_") + "," + heads("second_")
                + ",onset_noticed_after,onset_missed,end_noticed_after,end_missed,reconfigured_after,highest_level_after,"
                + "baseline_after,baseline_missed,reconfigurations,actions,agent_cpu,agent_memory,starved");
        for (InterferenceEpisode one : comparison.episodes()) {
            lines.add(place(one.slot(), one.number(), one.begin(), one.seconds()) + "," + one.cut(comparison.plan())
                    + cells(one.first()) + cells(one.rest()) + latency(one.onset()) + latency(one.end())
                    + cell(one.reconfigured()) + cell(one.highest()) + latency(one.baseline()) + "," + one.reconfigurations() + ","
                    + one.actions() + cell(one.agentCpu())
                    + cell(one.agentMemory()) + "," + comparison.starved(one));
        }
        return lines;
    }

    static List<String> interferenceFree(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add("round,neighbour,arm,stretch,begin,seconds," + heads("") + ",away,reconfigurations,mitigations,agent_cpu,"
                + "agent_memory");
        for (InterferenceFree one : comparison.interferenceFree()) {
            lines.add(place(one.slot(), one.number(), one.begin(), one.seconds()) + cells(one.figures()) + cell(one.away()) + ","
                    + one.reconfigurations() + "," + one.mitigations() + cell(one.agentCpu()) + cell(one.agentMemory()));
        }
        return lines;
    }

    private static String heads(String prefix) {
        return String.join(",", WindowFigures.FIGURES.stream().map(figure -> prefix + figure).toList());
    }

    private static String place(PlannedRun slot, int number, double begin, double seconds) {
        return slot.round() + "," + slot.neighbour() + "," + slot.arm().key() + "," + number + "," + SamplesCsv.number(begin)
                + "," + SamplesCsv.number(seconds);
    }

    private static String cells(Map<String, Double> figures) {
        StringBuilder text = new StringBuilder();
        WindowFigures.FIGURES.forEach(figure -> text.append(cell(figures.getOrDefault(figure, Double.NaN))));
        return text.toString();
    }

    private static String latency(Optional<Latency> latency) {
        return cell(latency.flatMap(Latency::seconds)) + "," + latency.map(one -> Boolean.toString(one.seconds().isEmpty()))
                .orElse("");
    }

    private static String cell(Optional<Double> value) {
        return cell(value.orElse(Double.NaN));
    }

    private static String cell(double value) {
        return "," + (Double.isFinite(value) ? SamplesCsv.number(Math.round(value * DIGITS) / DIGITS) : "");
    }
}
