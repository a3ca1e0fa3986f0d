// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.LabelFilter;
import org.ic2.knowledge.control.detect.Reconciliation;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.FastSampling;
import org.ic2.knowledge.control.state.HarmMemory;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.knowledge.control.state.ShareMemory;

/** What is remembered for the next sample: the situation, what was learned, and what is done. */
public final class NextState {
    private NextState() {
    }

    /** The state that follows a proposal. */
    public static ControllerState of(DecisionContext context, Proposal proposal, Policy policy) {
        long now = context.now();
        Reconciliation running = context.running();
        boolean acts = proposal.action().applies();
        Pending begun = policy.acting() ? new Pending(context.current(), now) : null;
        return new ControllerState(proposal.anew() ? State.T : context.state(), context.before().sequence() + 1,
                now, context.features().sample().time().toEpochMilli(),
                acts ? proposal.desired() : context.current(), context.learned(policy),
                acts ? context.ledger().plus(now) : context.ledger(), acts ? begun : running.pending(),
                acts ? episode(context, proposal, policy) : context.episode(),
                backoff(context, proposal.action(), policy),
                proposal.action() == Action.UNDO ? Refusal.from(now, proposal.reason(), context.before().refusal())
                        : context.before().refusal(),
                acts ? context.counters().withoutWaiting() : context.counters(), running.manual(),
                context.gathered().next(), context.reliefs(), watch(context, policy),
                policy.sharing() == null ? context.before().share() : share(context, proposal, policy.sharing()),
                users(context, proposal, policy));
    }

    /** With the cause for which the tier is away from its baseline: none once it is back; a neighbour goes before. */
    private static HarmMemory users(DecisionContext context, Proposal proposal, Policy policy) {
        boolean begins = proposal.scenario() == Scenario.CAUSE_MITIGATION && proposal.action().applies();
        HarmMemory users = context.users();
        if (context.episode() == null && !begins) {
            return users.restored();
        }
        boolean acted = begins || HarmPlan.takesOver(context, policy);
        return context.state() == State.I2 ? users.postponing()
                : acted && users.cause() != null && policy.acts().contains(users.cause()) ? users.acting(users.cause()) : users;
    }

    /** Fast sampling, unless there is nothing to decide or nothing would come of it. */
    private static FastSampling watch(DecisionContext context, Policy policy) {
        boolean decided = context.state() == State.I2 || context.state() == State.NI2;
        boolean ready = context.counters().usable() >= policy.warmUp() && context.before().learning().ready();
        boolean holding = context.judgement().scenario() == Scenario.HOLDING;
        if (!policy.pace().quickens() || decided || !ready || holding || context.running().manual() != null) {
            return null;
        }
        FastSampling before = context.before().watch();
        return context.gathered().between() ? before
                : FastSampling.after(before, context.now(), context.gathered().interval());
    }

    private static ShareMemory share(DecisionContext context, Proposal proposal, Sharing sharing) {
        ShareMemory seen = context.share();
        int from = sharing.of(context.current());
        int to = sharing.of(proposal.desired());
        return !proposal.action().applies() || from == to ? seen
                : seen.moved(from, to, context.features().medians(), context.now());
    }

    private static Backoff backoff(DecisionContext context, Action action, Policy policy) {
        return switch (action) {
            case MITIGATE, ESCALATE, STEP_UP ->
                    context.backoff().onGrowth(context.now(), policy.relapseWindow());
            case RESTORE, STEP_DOWN -> context.backoff().onWayBack(context.now(), action == Action.STEP_DOWN);
            case HOLD, UNDO, ENTER_MANUAL -> context.backoff();
        };
    }

    private static Episode episode(DecisionContext context, Proposal proposal, Policy policy) {
        boolean away = !proposal.desired().equals(policy.baseline());
        if (!away && !policy.acting()) {
            return null;    // at the baseline only once that is seen
        }
        return switch (proposal.action()) {
            case MITIGATE, ESCALATE, STEP_UP -> grown(context, proposal.scenario() == Scenario.CONTEXT, policy);
            default -> context.episode();
        };
    }

    private static Episode grown(DecisionContext context, boolean apart, Policy policy) {
        double wait = StarvationGuard.queueWait(context.acted().sample());
        Episode fresh = new Episode(context.now(), context.now(), context.now(),
                LabelFilter.raised(context.features(), policy), Double.isFinite(wait) ? wait : 0, apart);
        return context.episode() == null ? fresh : context.episode().grown(fresh);
    }
}
