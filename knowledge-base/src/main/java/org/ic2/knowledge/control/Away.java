// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.rules.Plan;

/**
 * The way away from the baseline, in state I2 while RT is above the target: the rules' values, once an episode, and
 * one rung of the ladder for each confirmed step.
 */
final class Away {
    /** If every one of the rules' values would move by less than this share of its baseline, none moves. */
    private static final double DEAD_ZONE = 0.05;

    private Away() {
    }

    static Proposal propose(Draft draft, Features features, Policy policy) {
        Configuration current = draft.configuration;
        double responseTime = features.responseTime();
        String times = "RT " + Rounded.of(responseTime) + "s, target " + Rounded.of(policy.targetResponseTime()) + "s";
        if (!(responseTime > policy.targetResponseTime())) {
            return Proposal.hold(Scenario.BELOW_TARGET, current, "interference, but nobody feels it: " + times);
        }
        List<String> evidence = new ArrayList<>();
        Plan plan = plan(draft, features, policy, evidence);
        Configuration desired = plan.values().with(Lever.MITIGATION, nextRung(current, policy));
        if (desired.equals(current)) {
            return new Proposal(Action.HOLD, Scenario.NOTHING_LEFT, current, "interference persists, no lever has "
                    + "room left: " + times, plan.rules(), evidence, plan.numbers());
        }
        boolean first = current.equals(policy.baseline());
        String reason = (first ? "interference confirmed: " : "interference persists: ") + times + ", LPO "
                + Rounded.of(features.loadPerOperation()) + " (normal "
                + Rounded.of(features.medians().get(Metric.LOAD_PER_OPERATION)) + "); "
                + change(current, desired);
        Proposal proposal = new Proposal(first ? Action.MITIGATE : Action.ESCALATE,
                first ? Scenario.MITIGATION : Scenario.ESCALATION, desired, reason, plan.rules(), evidence,
                plan.numbers());
        return Gates.check(proposal, draft, policy);
    }

    private static int nextRung(Configuration current, Policy policy) {
        int rung = current.mitigation();
        boolean room = policy.levers().contains(Lever.MITIGATION)
                && rung < policy.bounds().highest().get(Lever.MITIGATION);
        return room ? rung + 1 : rung;
    }

    /** The rules' values if they may still move in this episode, else the present ones; with the present rung. */
    private static Plan plan(Draft draft, Features features, Policy policy, List<String> evidence) {
        Configuration current = draft.configuration;
        if (!current.samePaperValues(policy.baseline()) || policy.paperLevers().isEmpty()) {
            return new Plan(current, List.of(), List.of(), Map.of());
        }
        if (draft.refusal != null) {
            evidence.add("the paper's values are not used: " + draft.refusal.reason());
            return new Plan(current, List.of(), List.of(), Map.of());
        }
        Plan plan = policy.knowledge().plan(policy.baseline(), policy.bounds(), policy.paperLevers(), features);
        evidence.addAll(plan.evidence());
        Configuration values = StarvationGuard.limit(plan.values(), policy, features.sample(), evidence);
        if (negligible(values, policy.baseline())) {
            evidence.add("no value would move by " + Math.round(100 * DEAD_ZONE) + " % of its baseline");
            values = policy.baseline();
        }
        return new Plan(current.withPaperValuesOf(values), plan.rules(), plan.evidence(), plan.numbers());
    }

    private static boolean negligible(Configuration values, Configuration baseline) {
        for (Lever lever : Lever.values()) {
            if (Math.abs(values.get(lever) - baseline.get(lever)) >= DEAD_ZONE * Math.max(1, baseline.get(lever))) {
                return false;
            }
        }
        return true;
    }

    /** The changed levers in words: {@code mitigation 0 -> 1}. */
    static String change(Configuration from, Configuration to) {
        List<String> changes = new ArrayList<>();
        for (Lever lever : Lever.values()) {
            if (from.get(lever) != to.get(lever)) {
                changes.add(lever.key() + " " + lever.format(from.get(lever)) + " -> " + lever.format(to.get(lever)));
            }
        }
        return String.join(", ", changes);
    }
}
