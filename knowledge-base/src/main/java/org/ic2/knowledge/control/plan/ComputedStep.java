// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.LinkedHashMap;
import java.util.Map;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.detect.LabelFilter;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;

/**
 * A step along the ladder whose length is computed: away, to the least level that carries the demand in the time that is
 * wanted; the baseline, if it carries that.
 *
 * @param level   where to
 * @param reason  the numbers, in words
 * @param numbers the numbers
 */
record ComputedStep(int level, String reason, Map<String, Double> numbers) {
    /**
     * The step from the baseline; null where it is not to be computed, or a number is missing or impossible.
     */
    static ComputedStep up(DecisionContext context, Policy policy) {
        Ladder ladder = policy.ladder();
        if (policy.ladderStep() == LadderStep.ONE || ladder.highest() < 1 || ladder.reached(context.current()) != 0) {
            return null;
        }
        LevelEffects reliefs = context.reliefs();
        Demand demand = demand(context, policy);
        if (!demand.known()) {
            return null;
        }
        double felt = context.acted().sample().get(policy.felt());
        int level = demand.least(ladder.highest(), number -> reliefs.at(number, policy).share(),
                relief -> !(felt * demand.response(relief) > policy.targetResponseTime()));
        return of(demand, level, felt, reliefs.at(level, policy), policy);
    }

    /**
     * The step to the baseline; null where it is not to be computed, or the baseline does not carry the demand as far as is known: a
     * independent signal of the neighbour must have fallen, so that an operation costs what it did in the quiet. What it costs on the
     * level, over what the level leaves, would tell a dearer application too; but the mix of requests that come back with
     * the quiet is another one than beside the neighbour, and that would keep a tier away from the baseline.
     */
    static ComputedStep baseline(DecisionContext context, Policy policy) {
        Ladder ladder = policy.ladder();
        int level = ladder.reached(context.current());
        Features features = context.acted();
        if (policy.ladderStep() == LadderStep.ONE || level < 1 || context.episode() == null
                || !context.current().with(ladder.level(level)).equals(context.current())
                || !LabelFilter.fallen(context.episode().signals(), context.features(), policy)) {
            return null;
        }
        Demand demand = demand(features, features.medians().get(Metric.LOAD_PER_OPERATION),
                1 - features.sample().get(Metric.STEAL), context.load(policy));
        double usual = Math.min(demand.left(), features.medians().get(Metric.CPU_UTIL));
        boolean carried = demand.known() && (demand.carries(1) || demand.need(1) <= usual);
        return !carried ? null : new ComputedStep(0, "baseline: " + demand.describe()
                + (demand.carries(1) ? "" : ", and " + Rounded.of(usual) + " as without interference"), numbers(demand, 0, 1));
    }

    private static ComputedStep of(Demand demand, int level, double felt, LevelEffects.Effect known, Policy policy) {
        double relief = known.share();
        double expected = felt * demand.response(relief);
        Map<String, Double> numbers = numbers(demand, level, relief);
        numbers.put("step.learned_in", (double) known.stays());
        numbers.put("step.response_time", expected);
        return new ComputedStep(level, "step: " + demand.describe() + ": " + (level == 0
                ? "the baseline should do, but the response time is above the target: one level"
                : (demand.carries(relief) ? "the least level that does is " : "no level does, the least of those that need"
                + " least is ") + level + ", " + policy.ladder().level(level).describe() + ", with "
                + Rounded.of(demand.need(relief)) + " (an operation costs " + Rounded.of(relief)
                + " of the baseline's, " + known.describe() + ")" + (expected > 0 ? " in " + Rounded.of(expected) + "s" : "")),
                numbers);
    }

    private static Map<String, Double> numbers(Demand demand, int level, double relief) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("step.wanted", demand.wanted());
        numbers.put("step.waiting", demand.waiting());
        numbers.put("step.cpu_per_operation", demand.cost());
        numbers.put("step.cpu_left", demand.left());
        numbers.put("step.cpu_limit", demand.limit());
        numbers.put("step.level", (double) level);
        numbers.put("step.relief", relief);
        numbers.put("step.cpu_needed", demand.need(relief));
        return numbers;
    }

    /** What a sample at the baseline, while users wait too long, says of the demand. */
    private static Demand demand(DecisionContext context, Policy policy) {
        Features features = context.acted();
        Sample sample = features.sample();
        MedianWindow beside = context.reliefs().beside();
        double now = LevelEffects.cost(features, context.before().learning().mix());
        // where steal cannot be seen, what the tier has got is all that it can have, or users would not wait
        double left = LevelEffects.blind(features) ? sample.get(Metric.CPU_UTIL) : 1 - sample.get(Metric.STEAL);
        return demand(features, Double.isNaN(now) || beside.size() == 0 ? now : beside.median(), left, context.load(policy));
    }

    private static Demand demand(Features features, double cost, double left, double load) {
        return new Demand(Math.max(load * features.medians().get(Metric.THROUGHPUT), features.sample().get(Metric.THROUGHPUT)),
                waiting(features.sample()), cost, left);
    }

    private static double waiting(Sample sample) {
        double queue = sample.get(Metric.ACCEPT_QUEUE);
        double users = sample.get(Metric.PENDING_USERS);
        return Double.isNaN(queue) ? Double.isNaN(users) ? 0 : users : Double.isNaN(users) ? queue
                : Math.max(queue, users);
    }
}
