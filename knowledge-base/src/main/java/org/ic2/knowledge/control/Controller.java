// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.detect.AccumulatedSample;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.detect.LabelFilter;
import org.ic2.knowledge.control.detect.Reconciliation;
import org.ic2.knowledge.control.plan.ActionPlanner;
import org.ic2.knowledge.control.plan.DecisionContext;
import org.ic2.knowledge.control.plan.NextState;
import org.ic2.knowledge.control.plan.Proposal;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;

/**
 * The heart of IC2: from a sample to a decision. Pure and deterministic; the same code decides live, in replay, in
 * tests and in training. {@link #decide} is a pipe: each stage takes values and returns a value, and has a file of its
 * own.
 *
 * <p>What the state machine fires on entering I2 and NI2 stays due while the state lasts: an action that a cool-down,
 * the budget or a low response time postpones is taken as soon as the obstacle is gone.
 *
 * <p>What always holds:
 * <ul>
 * <li>every desired configuration is within the bounds, and only allowed levers move;
 * <li>nothing leads away from the baseline but state I2 with RT above the target, or RT above it soon after a level
 * down;
 * neither within the cool-down, unless users have paid the price of a level down, nor beyond the budget;
 * <li>in NI2 the rules' values are the baseline's, and the ladder is on its way down, one level for each hold;
 * <li>in doubt (no usable sample, no confirmed label, a growing accept queue) the baseline is restored.
 * </ul>
 */
public final class Controller {
    private Controller() {
    }

    /**
     * Decides on one sample of the managed member.
     *
     * @param before what the last call gave back, or {@link ControllerState#initial}
     * @param sample the newest interval; values that are missing are missing
     * @param policy what the administrator wants
     */
    public static DecisionResult decide(ControllerState before, Sample sample, Policy policy) {
        ControllerState state = before.of(policy.requests());
        AccumulatedSample gathered = AccumulatedSample.of(state, sample, policy).priced(state.learning());
        Reconciliation running = Reconciliation.of(state, sample, policy);
        Judgement belief = LabelFilter.judge(gathered, running, state, policy);
        DecisionContext context = DecisionContext.of(state, running, gathered, belief, policy);
        Proposal proposal = ActionPlanner.plan(context, policy);
        ControllerState next = NextState.of(context, proposal, policy);
        return new DecisionResult(next, Explanation.decision(context, proposal, next, policy));
    }
}
