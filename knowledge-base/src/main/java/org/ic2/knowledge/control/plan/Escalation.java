// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.rules.Plan;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The way away from the baseline, in state I2 while RT is above the target: the rules' values, once an episode, and
 * the level of the ladder that the demand asks for; then, or where that cannot be computed, one level for each confirmed step.
 */
final class Escalation {
    /** If every one of the rules' values would move by less than this share of its baseline, none moves. */
    private static final double DEAD_ZONE = 0.05;

    private final DecisionContext context;
    private final Policy policy;
    private final Ladder ladder;
    private final Settings current;

    private Escalation(DecisionContext context, Policy policy) {
        this.context = context;
        this.policy = policy;
        ladder = policy.ladder();
        current = context.current();
    }

    /** What interference asks for. */
    static Proposal propose(DecisionContext context, Policy policy) {
        return new Escalation(context, policy).away();
    }

    /** The level that was left too early. */
    static Proposal again(DecisionContext context, Policy policy) {
        return new Escalation(context, policy).upAgain();
    }

    private Proposal away() {
        Features features = context.acted();
        double felt = features.sample().get(policy.felt());
        if (Double.isNaN(felt)) {
            return Proposal.hold(Scenario.NOT_JUDGED, current, "interference, but no response time was measured: "
                    + (context.gathered().few() != null ? context.gathered().few()
                    : "no " + policy.felt().column() + " was measured"));
        }
        String times = (policy.felt() == Metric.RESPONSE_TIME ? "RT " : policy.felt().column() + " ")
                + Rounded.of(felt) + "s, target " + Rounded.of(policy.targetResponseTime()) + "s";
        if (!(felt > policy.targetResponseTime())) {
            return Proposal.hold(Scenario.BELOW_TARGET, current, "interference, but the response time is within the target: " + times);
        }
        Plan plan = rulesPlan();
        ComputedStep step = ComputedStep.up(context, policy);
        ExplainedSettings reached = climb(new ExplainedSettings(plan.values(), plan.evidence()), step);
        Settings desired = reached.values();
        Map<String, Double> numbers = numbers(plan, step);
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "interference persists, no lever has room left: "
                    + times).because(plan.rules(), reached.evidence(), numbers).noting(StarvationGuard.words(reached.evidence()));
        }
        boolean first = current.equals(policy.baseline()) || apart();
        String reason = (first ? "interference confirmed: " : "interference persists: ") + times + ", LPO "
                + Rounded.of(features.loadPerOperation()) + " (normal "
                + Rounded.of(features.medians().get(Metric.LOAD_PER_OPERATION)) + "); ";
        return Proposal.move(first ? Action.MITIGATE : Action.ESCALATE,
                first ? Scenario.MITIGATION : Scenario.ESCALATION, current, desired, reason)
                .because(plan.rules(), reached.evidence(), numbers).noting(StarvationGuard.words(reached.evidence()));
    }

    /** True if what is away from the baseline is there by other evidence than interference, whose values come first now. */
    private boolean apart() {
        return context.episode() != null && context.episode().apart();
    }

    private Proposal upAgain() {
        ComputedStep step = ComputedStep.up(context, policy);
        ExplainedSettings reached = climb(new ExplainedSettings(current, List.of()), step);
        Settings desired = reached.values();
        if (desired.equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, "the ladder has no level left");
        }
        return Proposal.move(Action.STEP_UP, Scenario.STEP_UP_AGAIN, current, desired, "RT rose to "
                + Rounded.of(context.features().sample().get(policy.felt())) + "s after a step down: ")
                .because(List.of(), reached.evidence(), step == null ? Map.of() : step.numbers())
                .noting(StarvationGuard.words(reached.evidence()));
    }

    private static Map<String, Double> numbers(Plan plan, ComputedStep step) {
        if (step == null) {
            return plan.numbers();
        }
        Map<String, Double> both = new LinkedHashMap<>(plan.numbers());
        both.putAll(step.numbers());
        return both;
    }

    /**
     * The values one level higher than what runs, or at the level where they are already or that was computed, if that is
     * higher; a level that the starvation guard leaves nothing of is passed over, and so is one that is assumed to help no
     * more than the present one. The values themselves where no level is left.
     *
     * @param step may be null
     */
    private ExplainedSettings climb(ExplainedSettings from, ComputedStep step) {
        int first = Math.max(further(ladder.reached(current)), ladder.reached(from.values()));
        ExplainedSettings tried = step == null ? from : from.to(from.values(), step.reason());
        if (step != null && step.level() > first) {
            int afforded = afforded(from.values(), first, step.level());
            tried = afforded == step.level() ? tried : tried.to(from.values(),
                    "the actions of the hour leave room for the way back from level " + afforded + " only");
            first = afforded;
        }
        for (int number = first; number <= ladder.highest(); number++) {
            ExplainedSettings level = StarvationGuard.level(tried.to(ladder.up(from.values(), number)), context.refusal(),
                    policy, context.acted().sample());
            if (ladder.knobs().stream().anyMatch(knob -> !level.values().same(current, knob))) {
                return level;
            }
            tried = level;
        }
        return tried.to(from.values());
    }

    /** The next level of which anything is to be expected: a cool-down on any other is lost. */
    private int further(int reached) {
        LevelEffects assumed = LevelEffects.none();
        int number = reached + 1;
        while (policy.ladderStep() == LadderStep.COMPUTED && reached > 0 && number < ladder.highest()
                && context.reliefs().at(number, policy).stays() == 0
                && assumed.at(number, policy).share() >= assumed.at(reached, policy).share()) {
            number++;
        }
        return number;
    }

    /** The highest level up to the asked one from which the budget has room for the way back; at least the first. */
    private int afforded(Settings from, int first, int asked) {
        int level = asked;
        while (level > first && !context.ledger().affords(context.now(), policy.actionsPerHour(), ladder.up(from, level), ladder)) {
            level--;
        }
        return level;
    }

    /** The rules' values if they may still move in this episode, else the present ones; with the present level. */
    private Plan rulesPlan() {
        if (!ladder.othersAtBaseline(withoutWall(current)) && !apart() || !rulesMayMove()) {
            return new Plan(current, List.of(), List.of(), Map.of());
        }
        if (context.refusal() != null) {
            return new Plan(current, List.of(),
                    List.of(StarvationGuard.REFUSED + context.refusal().reason()), Map.of());
        }
        Plan plan = policy.knowledge().plan(policy.baseline(), policy.bounds(), policy.levers(), context.acted());
        ExplainedSettings limited = StarvationGuard.limit(new ExplainedSettings(plan.values(), plan.evidence()), policy,
                context.acted().sample());
        Settings values = limited.values();
        ExplainedSettings desired = negligible(values)
                ? limited.to(current, "no value would move by " + Math.round(100 * DEAD_ZONE) + " % of its baseline")
                : limited.to(current.with(values.without(ladder.knobs())));
        ExplainedSettings started = start(desired, values);
        return new Plan(started.values(), plan.rules(), started.evidence(), plan.numbers());
    }

    /** True if a lever is there that the rules move: any that no level moves, and of the others those that a row names. */
    /** The wall is no value of the rules. */
    private Settings withoutWall(Settings settings) {
        return policy.levers().contains(Wall.FLAG) ? settings.with(Wall.FLAG, policy.baseline().get(Wall.FLAG)) : settings;
    }

    private boolean rulesMayMove() {
        SortedSet<Knob> movable = Knob.set(policy.levers());
        movable.removeAll(ladder.knobs());
        movable.remove(Wall.FLAG);
        movable.removeIf(knob -> policy.sharing() != null && knob.key().equals(policy.sharing().knob().key()));
        if (movable.isEmpty()) {
            movable.addAll(policy.knowledge().knobs());
            movable.retainAll(ladder.knobs());
        }
        return !movable.isEmpty();
    }

    /** From the baseline, the escalation starts at the level that reaches what the rules want of the ladder's knobs. */
    private ExplainedSettings start(ExplainedSettings desired, Settings values) {
        int first = ladder.reached(desired.values()) > 0 ? 0 : ladder.reaching(values);
        return first < 2 ? desired : desired.to(ladder.up(desired.values(), first), "the escalation starts at level "
                + first + ", " + ladder.level(first).describe() + ": the rules want "
                + values.only(ladder.knobs()).describe());
    }

    private boolean negligible(Settings values) {
        Settings baseline = policy.baseline();
        boolean ruled = false;
        for (Knob knob : values.knobs()) {
            if (!ladder.knobs().contains(knob)) {
                ruled |= policy.levers().contains(knob);
                if (Math.abs(values.get(knob) - baseline.get(knob)) >= DEAD_ZONE * Math.max(1, baseline.get(knob))) {
                    return false;
                }
            }
        }
        return ruled;
    }
}
