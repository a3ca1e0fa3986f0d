// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.run.Disturbance;
import org.ic2.training.run.WindowFigures;

/** The figures of a comparison for other programs; changes are shares (-0.3 is 30 % less), times seconds. */
final class SummaryJson {
    private static final double DIGITS = 1e6;

    private SummaryJson() {
    }

    static String text(Comparison comparison) {
        ObjectNode json = JsonMapper.builder().build().createObjectNode();
        json.put("outcome", Findings.headline(comparison));
        json.set("plan", PlanJson.json(comparison.plan()));
        put(json, comparison.machine());
        put(json, "anonymous_share", comparison.anonymousShare());
        ArrayNode machines = json.putArray("machines");
        comparison.machines().forEach(machines::add);
        ArrayNode missing = json.putArray("missing");
        comparison.missing().forEach(slot -> missing.add(slot.id()));
        ArrayNode arms = json.putArray("arms");
        for (Arm arm : comparison.plan().arms()) {
            ObjectNode node = arms.addObject().put("arm", arm.key()).put("title", arm.title());
            if (arm.compared()) {
                node.put("outcome", Findings.of(comparison, arm));
            }
            ArrayNode interference = node.putArray("interference");
            comparison.kinds().forEach(kind -> interference.add(beside(interference.objectNode(), comparison, arm, kind)));
            ObjectNode without = node.putObject("quiet").put("stretches", comparison.interferenceFree(arm).size())
                    .put("mitigations", comparison.interferenceFree(arm).stream().mapToInt(InterferenceFree::mitigations).sum());
            put(without, "away", arm.on() ? comparison.away(arm) : Double.NaN);
            for (String figure : WindowFigures.FIGURES) {
                put(without, figure, comparison.meanWithout(arm, figure));
                if (arm.compared()) {
                    put(without, "change_of_" + figure, comparison.changeWithout(arm, figure));
                }
            }
        }
        return json.toPrettyString() + "\n";
    }

    /** What else the machine did: {@code busy}, the sentence, and each run. */
    private static void put(ObjectNode json, BusyMachine machine) {
        ObjectNode node = json.putObject("machine").put("busy", machine.lines().stream().anyMatch(line -> !line.aside() && line.disturbed()));
        node.put("text", machine.sentence().orElse(""));
        ArrayNode runs = node.putArray("runs");
        for (String run : machine.lines().stream().map(BusyMachine.Line::run).distinct().toList()) {
            List<BusyMachine.Line> all = machine.lines().stream().filter(line -> line.run().equals(run)).toList();
            Disturbance mean = BusyMachine.together(all.stream().filter(BusyMachine.Line::measured).toList());
            ObjectNode one = runs.addObject().put("run", run).put("set_aside", all.get(0).aside())
                    .put("disturbed", all.stream().anyMatch(BusyMachine.Line::disturbed));
            put(one, "before", all.stream().filter(line -> !line.measured()).mapToDouble(line -> line.what().elsewhere())
                    .findFirst().orElse(Double.NaN));
            put(one, "others", mean.others());
            put(one, "steal", mean.steal());
            put(one, "elsewhere", all.stream().anyMatch(BusyMachine.Line::measured) ? mean.elsewhere() : Double.NaN);
            put(one, "runnable", mean.runnable());
            put(one, "generator_lag", mean.lag());
        }
    }

    private static ObjectNode beside(ObjectNode node, Comparison comparison, Arm arm, String kind) {
        node.put("kind", kind).put("periods", comparison.episodes(arm, kind).size()).put("acted", comparison.acted(arm, kind));
        for (EpisodePart part : EpisodePart.values()) {
            ObjectNode figures = node.putObject(part.key() + "_half");
            for (String figure : WindowFigures.FIGURES) {
                put(figures, figure, comparison.mean(arm, kind, part, figure));
                if (arm.compared()) {
                    put(figures, "change_of_" + figure, comparison.change(arm, kind, part, figure)).put("effect",
                            comparison.effect(arm, kind, part, figure).key());
                }
            }
            if (arm.compared()) {
                figures.put("compared", comparison.count(arm, kind, part)).put("runs", comparison.runs(arm, kind, part));
                comparison.starvation(arm, kind, part).ifPresent(words -> figures.put("starvation", words));
            }
        }
        if (arm.compared()) {
            delays(node.putObject("starts"), "noticed", comparison.noticed(arm, kind, true));
            delays(node.putObject("first_action"), "reached", comparison.after(arm, kind, InterferenceEpisode::reconfigured));
            delays(node.putObject("last_level"), "reached", comparison.after(arm, kind, InterferenceEpisode::highest));
            delays(node.putObject("stops"), "noticed", comparison.noticed(arm, kind, false));
            delays(node.putObject("baseline"), "reached", comparison.baseline(arm, kind));
            put(node, "actions", comparison.episodes(arm, kind).stream().mapToInt(InterferenceEpisode::actions).average().orElse(Double.NaN));
        }
        return node;
    }

    /** A percentile is null if that many episodes were not in time. */
    private static void delays(ObjectNode node, String reached, EpisodeDelays delays) {
        node.put("count", delays.count()).put(reached, delays.reached());
        put(node, "median", delays.median());
        put(node, "p90", delays.p90());
    }

    private static ObjectNode put(ObjectNode node, String name, Estimate estimate) {
        ObjectNode inner = node.putObject(name);
        put(inner, "value", estimate.value());
        put(inner, "low", estimate.low());
        put(inner, "high", estimate.high());
        return inner.put("runs", estimate.runs());
    }

    private static void put(ObjectNode node, String name, double value) {
        if (Double.isFinite(value)) {
            node.put(name, Math.round(value * DIGITS) / DIGITS);
        } else {
            node.putNull(name);
        }
    }
}
