// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import org.ic2.knowledge.Action;
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
import org.ic2.knowledge.control.state.Pending;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.knowledge.control.state.ShareMemory;

/** What is remembered for the next sample: the situation, what was learned, and what is done. */
public final class NextState {
    private NextState() {
    }

    public static ControllerState of(Situation situation, Proposal proposal, Policy policy) {
        long now = situation.now();
        Reconciliation running = situation.running();
        boolean acts = proposal.action().applies();
        Pending begun = policy.acting() ? new Pending(situation.current(), now) : null;
        return new ControllerState(proposal.anew() ? State.T : situation.state(), situation.before().sequence() + 1,
                now, situation.features().sample().time().toEpochMilli(),
                acts ? proposal.desired() : situation.current(), situation.learned(policy),
                acts ? situation.ledger().plus(now) : situation.ledger(), acts ? begun : running.pending(),
                acts ? episode(situation, proposal, policy) : situation.episode(),
                backoff(situation, proposal.action(), policy),
                proposal.action() == Action.UNDO ? Refusal.from(now, proposal.reason(), situation.before().refusal())
                        : situation.before().refusal(),
                acts ? situation.counters().withoutWaiting() : situation.counters(), running.manual(),
                situation.gathered().next(), situation.reliefs(), watch(situation, policy),
                policy.sharing() == null ? situation.before().share() : share(situation, proposal, policy.sharing()));
    }

    /** A close look, unless there is nothing to decide or nothing would come of it. */
    private static FastSampling watch(Situation situation, Policy policy) {
        boolean decided = situation.state() == State.I2 || situation.state() == State.NI2;
        boolean ready = situation.counters().usable() >= policy.warmUp() && situation.before().learning().ready();
        boolean holding = situation.judgement().scenario() == Scenario.HOLDING;
        if (!policy.pace().quickens() || decided || !ready || holding || situation.running().manual() != null) {
            return null;
        }
        FastSampling before = situation.before().watch();
        return situation.gathered().between() ? before
                : FastSampling.after(before, situation.now(), situation.gathered().interval());
    }

    private static ShareMemory share(Situation situation, Proposal proposal, Sharing sharing) {
        ShareMemory seen = situation.share();
        int from = sharing.of(situation.current());
        int to = sharing.of(proposal.desired());
        return !proposal.action().applies() || from == to ? seen
                : seen.moved(from, to, situation.features().medians(), situation.now());
    }

    private static Backoff backoff(Situation situation, Action action, Policy policy) {
        return switch (action) {
            case MITIGATE, ESCALATE, STEP_UP ->
                    situation.backoff().onGrowth(situation.now(), policy.relapseWindow());
            case RESTORE, STEP_DOWN -> situation.backoff().onWayBack(situation.now(), action == Action.STEP_DOWN);
            case HOLD, UNDO, STEP_ASIDE -> situation.backoff();
        };
    }

    private static Episode episode(Situation situation, Proposal proposal, Policy policy) {
        boolean away = !proposal.desired().equals(policy.baseline());
        if (!away && !policy.acting()) {
            return null;    // at home only once that is seen
        }
        return switch (proposal.action()) {
            case MITIGATE, ESCALATE, STEP_UP -> grown(situation, policy);
            default -> situation.episode();
        };
    }

    private static Episode grown(Situation situation, Policy policy) {
        double wait = StarvationGuard.queueWait(situation.acted().sample());
        Episode fresh = new Episode(situation.now(), situation.now(), situation.now(),
                LabelFilter.raised(situation.features(), policy), Double.isFinite(wait) ? wait : 0);
        return situation.episode() == null ? fresh : situation.episode().grown(fresh);
    }
}
