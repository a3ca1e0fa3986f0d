// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.rules.Plan;
import org.ic2.knowledge.rules.Rule;
import org.ic2.runtime.knob.Settings;

/**
 * Changes of the operating context that are no interference: the rows that {@code rules.yaml} lets act by their own
 * evidence (Table 3: workload, host memory, page faults). As the five states ask for two successive periods, so do these:
 * two samples more with the evidence than without set the rows' values, two without it restore the baseline. Confirmed
 * interference comes first, and its values are restored before these.
 */
final class ContextChange {
    private ContextChange() {
    }

    /** What a context asks for outside of interference; null if nothing. */
    static Proposal propose(DecisionContext context, Policy policy) {
        Settings current = context.current();
        if (context.episode() != null && context.episode().apart()) {
            return lasting(context, policy);
        }
        List<Rule> rows = policy.knowledge().always(context.acted());
        if (!current.equals(policy.baseline()) || context.state() == State.I1
                || context.counters().context() < Counters.CONFIRMED || rows.isEmpty()) {
            return null;
        }
        Plan plan = policy.knowledge().plan(rows, policy.baseline(), policy.bounds(), policy.levers(), context.acted());
        ExplainedSettings limited = StarvationGuard.limit(new ExplainedSettings(plan.values(), plan.evidence()), policy,
                context.acted().sample());
        String contexts = rows.stream().map(Rule::context).collect(Collectors.joining(", "));
        if (limited.values().equals(current)) {
            return Proposal.hold(Scenario.NOTHING_LEFT, current, contexts + ", but no lever has room left").because(plan.rules(), limited.evidence(), plan.numbers());
        }
        return Proposal.move(Action.MITIGATE, Scenario.CONTEXT, current, limited.values(), contexts + ": ")
                .because(plan.rules(), limited.evidence(), plan.numbers()).noting(StarvationGuard.words(limited.evidence()));
    }

    /** The values stay while the context lasts, and a hold longer if it was back soon after the last restore. */
    private static Proposal lasting(DecisionContext context, Policy policy) {
        Settings current = context.current();
        if (context.counters().context() == 0 && context.state() == State.I1) {
            return null;
        }
        if (context.counters().context() > 0) {
            return Proposal.hold(Scenario.CONTEXT, current, "the context for which these values were set lasts");
        }
        Backoff backoff = context.backoff();
        long hold = backoff.relapses() == 0 ? 0 : backoff.doubled(policy.holdUnit(), policy.longestHold());
        if (context.ledger().since(context.now()) < hold) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "the context for which these values were set is gone, but it was"
                    + " back soon the last time: the baseline is restored " + hold / 1000 + "s after the last action");
        }
        return Proposal.move(Action.RESTORE, Scenario.RESTORATION, current, policy.baseline(),
                "the context for which these values were set is gone: ").because(List.of(), List.of(), Map.of());
    }
}
