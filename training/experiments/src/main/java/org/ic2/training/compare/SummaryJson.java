// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.ic2.training.compare.Period.Half;
import org.ic2.training.evaluate.Estimate;
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
        comparison.machine().put(json);
        put(json, "anonymous_share", comparison.anonymousShare());
        ArrayNode machines = json.putArray("machines");
        comparison.machines().forEach(machines::add);
        ArrayNode missing = json.putArray("missing");
        comparison.missing().forEach(slot -> missing.add(slot.id()));
        ArrayNode arms = json.putArray("arms");
        for (Arm arm : comparison.plan().arms()) {
            ObjectNode node = arms.addObject().put("arm", arm.letter()).put("title", arm.title());
            if (arm.compared()) {
                node.put("outcome", Findings.of(comparison, arm));
            }
            ArrayNode interference = node.putArray("interference");
            comparison.kinds().forEach(kind -> interference.add(beside(interference.objectNode(), comparison, arm, kind)));
            ObjectNode quiet = node.putObject("quiet").put("stretches", comparison.quiets(arm).size())
                    .put("mitigations", comparison.quiets(arm).stream().mapToInt(Quiet::mitigations).sum());
            put(quiet, "away", arm.on() ? comparison.away(arm) : Double.NaN);
            for (String figure : WindowFigures.FIGURES) {
                put(quiet, figure, comparison.quietMean(arm, figure));
                if (arm.compared()) {
                    put(quiet, "change_of_" + figure, comparison.quietChange(arm, figure));
                }
            }
        }
        return json.toPrettyString() + "\n";
    }

    private static ObjectNode beside(ObjectNode node, Comparison comparison, Arm arm, String kind) {
        node.put("kind", kind).put("periods", comparison.periods(arm, kind).size()).put("acted", comparison.acted(arm, kind));
        for (Half half : Half.values()) {
            ObjectNode part = node.putObject(half.name().toLowerCase(Locale.ROOT) + "_half");
            for (String figure : WindowFigures.FIGURES) {
                put(part, figure, comparison.mean(arm, kind, half, figure));
                if (arm.compared()) {
                    put(part, "change_of_" + figure, comparison.change(arm, kind, half, figure)).put("effect",
                            comparison.effect(arm, kind, half, figure).key());
                }
            }
            if (arm.compared()) {
                part.put("compared", comparison.count(arm, kind, half)).put("runs", comparison.runs(arm, kind, half));
                comparison.starvation(arm, kind, half).ifPresent(words -> part.put("starvation", words));
            }
        }
        if (arm.compared()) {
            delays(node.putObject("starts"), "noticed", comparison.noticed(arm, kind, true));
            delays(node.putObject("first_action"), "reached", comparison.after(arm, kind, Period::reconfigured));
            delays(node.putObject("last_rung"), "reached", comparison.after(arm, kind, Period::highest));
            delays(node.putObject("stops"), "noticed", comparison.noticed(arm, kind, false));
            delays(node.putObject("home"), "reached", comparison.home(arm, kind));
            put(node, "actions", comparison.periods(arm, kind).stream().mapToInt(Period::actions).average().orElse(Double.NaN));
        }
        return node;
    }

    /** What did not come in time in so many visits is null. */
    private static void delays(ObjectNode node, String reached, VisitDelays delays) {
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

    static void put(ObjectNode node, String name, double value) {
        if (Double.isFinite(value)) {
            node.put(name, Math.round(value * DIGITS) / DIGITS);
        } else {
            node.putNull(name);
        }
    }
}
