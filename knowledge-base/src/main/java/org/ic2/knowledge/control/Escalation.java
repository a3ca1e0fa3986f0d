// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.rules.Plan;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The way away from the baseline, in state I2 while RT is above the target: the rules' values, once an episode, and
 * one rung of the ladder for each confirmed step.
 */
final class Escalation {
    /** If every one of the rules' values would move by less than this share of its baseline, none moves. */
    private static final double DEAD_ZONE = 0.05;

    private Escalation() {
    }

    static Proposal propose(Situation situation, Policy policy) {
        Settings current = situation.current();
        Features features = situation.features();
        double responseTime = features.responseTime();
        String times = "RT " + Rounded.of(responseTime) + "s, target " + Rounded.of(policy.targetResponseTime()) + "s";
        if (!(responseTime > policy.targetResponseTime())) {
            return Proposal.hold(Scenario.BELOW_TARGET, current, "interference, but nobody feels it: " + times);
        }
        List<String> evidence = new ArrayList<>();
        Plan plan = plan(situation, policy, evidence);
        Settings desired = climb(plan.values(), situation, policy, evidence);
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "interference persists, no lever has room left: "
                    + times).because(plan.rules(), evidence, plan.numbers());
        }
        boolean first = current.equals(policy.baseline());
        String reason = (first ? "interference confirmed: " : "interference persists: ") + times + ", LPO "
                + Rounded.of(features.loadPerOperation()) + " (normal "
                + Rounded.of(features.medians().get(Metric.LOAD_PER_OPERATION)) + "); "
                + current.changes(desired);
        return Proposal.act(first ? Action.MITIGATE : Action.ESCALATE,
                first ? Scenario.MITIGATION : Scenario.ESCALATION, desired, reason)
                .because(plan.rules(), evidence, plan.numbers());
    }

    /**
     * The values one rung higher than what runs, or at the rung where they are already, if that is higher; a rung that
     * the starvation guard leaves nothing of is passed over. The values themselves where no rung is left.
     */
    static Settings climb(Settings values, Situation situation, Policy policy, List<String> evidence) {
        Ladder ladder = policy.ladder();
        Settings current = situation.current();
        int first = Math.max(ladder.reached(current) + 1, ladder.reached(values));
        for (int number = first; number <= ladder.highest(); number++) {
            Settings desired = StarvationGuard.rung(ladder.up(values, number), situation.refusal(), policy,
                    situation.features().sample(), evidence);
            if (ladder.knobs().stream().anyMatch(knob -> !desired.same(current, knob))) {
                return desired;
            }
        }
        return values;
    }

    /** The rules' values if they may still move in this episode, else the present ones; with the present rung. */
    private static Plan plan(Situation situation, Policy policy, List<String> evidence) {
        Features features = situation.features();
        Settings current = situation.current();
        if (!policy.ladder().othersAtBaseline(current) || !rulesMayMove(policy)) {
            return new Plan(current, List.of(), List.of(), Map.of());
        }
        if (situation.refusal() != null) {
            evidence.add("the paper's values are not used: " + situation.refusal().reason());
            return new Plan(current, List.of(), List.of(), Map.of());
        }
        Plan plan = policy.knowledge().plan(policy.baseline(), policy.bounds(), policy.levers(), features);
        evidence.addAll(plan.evidence());
        Settings values = StarvationGuard.limit(plan.values(), policy, features.sample(), evidence);
        Settings desired = current.with(values.without(policy.ladder().knobs()));
        if (negligible(values, policy)) {
            evidence.add("no value would move by " + Math.round(100 * DEAD_ZONE) + " % of its baseline");
            desired = current;
        }
        return new Plan(start(desired, values, policy.ladder(), evidence), plan.rules(), plan.evidence(),
                plan.numbers());
    }

    /** True if a lever is there that the rules move: any that no rung moves, and of the others those that a row names. */
    private static boolean rulesMayMove(Policy policy) {
        SortedSet<Knob> movable = Knob.set(policy.levers());
        movable.removeAll(policy.ladder().knobs());
        if (movable.isEmpty()) {
            movable.addAll(policy.knowledge().knobs());
            movable.retainAll(policy.ladder().knobs());
        }
        return !movable.isEmpty();
    }

    /** From the baseline, the escalation starts at the rung that reaches what the rules want of the ladder's knobs. */
    private static Settings start(Settings desired, Settings values, Ladder ladder, List<String> evidence) {
        int first = ladder.reached(desired) > 0 ? 0 : ladder.reaching(values);
        if (first < 2) {
            return desired;
        }
        evidence.add("the escalation starts at rung " + first + ", " + ladder.rung(first).describe()
                + ": the rules want " + values.only(ladder.knobs()).describe());
        return ladder.up(desired, first);
    }

    private static boolean negligible(Settings values, Policy policy) {
        Settings baseline = policy.baseline();
        boolean ruled = false;
        for (Knob knob : values.knobs()) {
            if (!policy.ladder().knobs().contains(knob)) {
                ruled |= policy.levers().contains(knob);
                if (Math.abs(values.get(knob) - baseline.get(knob)) >= DEAD_ZONE * Math.max(1, baseline.get(knob))) {
                    return false;
                }
            }
        }
        return ruled;
    }
}
