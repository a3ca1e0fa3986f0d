// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.List;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Settings;

/**
 * The heart of IC2: from a sample to a decision. Pure and deterministic; the same code decides live, in replay, in
 * tests and in training.
 *
 * <p>What the state machine fires on entering I2 and NI2 stays due while the state lasts: an action that a cool-down,
 * the budget or a low response time postpones is taken as soon as the obstacle is gone.
 *
 * <p>What always holds:
 * <ul>
 * <li>every desired configuration is within the bounds, and only allowed levers move;
 * <li>nothing leads away from the baseline but state I2 with RT above the target, or RT above it soon after a rung
 * down;
 * neither within the cool-down, nor beyond the budget;
 * <li>in NI2 the rules' values are the baseline's, and the ladder is on its way down, one rung for each hold;
 * <li>in doubt (no usable sample, no confirmed label, a growing accept queue) the baseline is restored.
 * </ul>
 */
public final class Controller {
    /** Away from the baseline without a label INTERFERENCE for so many cool-downs: back. */
    private static final int UNCONFIRMED = 6;
    /** What harmed is not tried again for so long, ms. */
    static final long REFUSED_FOR = 3_600_000;
    /** Samples with a larger share of failed requests teach nothing. */
    private static final double FAILED_SHARE = 0.05;

    private Controller() {
    }

    /**
     * Decides on one sample of the managed member.
     *
     * @param state  what the last call gave back, or {@link ControllerState#initial}
     * @param sample the newest interval; values that are missing are missing
     * @param policy what the administrator wants
     */
    public static Outcome decide(ControllerState state, Sample sample, Policy policy) {
        Draft draft = new Draft(state);
        draft.advance(sample.time());
        Running.manage(draft, policy);
        Features features = new Features(sample, draft.learning.medians());
        Running.Finding finding = Running.reconcile(draft, sample, policy);
        Judgement judgement = Judge.judge(draft, features, policy);
        count(draft, judgement, features, policy);
        step(draft, judgement, sample, policy);
        String harm = StarvationGuard.harm(draft, policy, sample);
        Settings current = draft.configuration;
        Proposal proposal = propose(draft, features, judgement, finding, harm, policy)
                .within(policy.bounds(), current);
        learn(draft, judgement, sample, policy);
        if (proposal.action().applies()) {
            apply(draft, proposal, features, policy);
        }
        Decision decision = Explanation.decision(state, draft, judgement, proposal, current, features, policy);
        return new Outcome(draft.toState(), decision);
    }

    private static void count(Draft draft, Judgement judgement, Features features, Policy policy) {
        if (judgement.judged()) {
            if (draft.now - draft.lastUsable >= policy.staleAfter().toMillis()) {
                draft.ledger = draft.ledger.withFailures(0);    // what failed while the server was silent proves nothing
            }
            draft.usable = Math.min(draft.usable + 1, Integer.MAX_VALUE - 1);
            draft.slow = features.responseTime() > policy.targetResponseTime() ? draft.slow + 1 : 0;
        }
        if (judgement.judged() || features.sample().straddlesEpochs() && features.sample().has(Metric.RESPONSE_TIME)) {
            draft.lastUsable = draft.now;
        }
        boolean away = !draft.configuration.equals(policy.baseline());
        if (away && draft.episode == null) {
            draft.episode = Episode.at(draft.now, List.of(), 0);
        } else if (!away && draft.pending == null) {
            draft.episode = null;
        } else if (draft.episode != null && judgement.detected() == Label.INTERFERENCE) {
            draft.episode = draft.episode.confirmedAt(draft.now);
        } else if (draft.episode != null
                && (judgement.scenario() == Scenario.HIDDEN || judgement.scenario() == Scenario.HOLDING)) {
            draft.episode = draft.episode.believedAt(draft.now);
        }
    }

    private static void step(Draft draft, Judgement judgement, Sample sample, Policy policy) {
        if (judgement.judged()) {
            Transition step = policy.detector() instanceof Detector.MissRate thresholds
                    ? TwoStates.step(draft.state, sample, thresholds)
                    : FiveStates.step(draft.state, judgement.believed());
            draft.state = step.to();
        }
    }

    private static Proposal propose(Draft draft, Features features, Judgement judgement, Running.Finding finding,
            String harm, Policy policy) {
        Settings current = draft.configuration;
        if (finding == Running.Finding.FOREIGN) {
            return Proposal.act(Action.STEP_ASIDE, Scenario.FOREIGN_CHANGE, draft.aside, draft.manual);
        }
        if (draft.manual != null) {
            return Proposal.hold(Scenario.MANUAL, current, draft.manual);
        }
        if (harm != null) {
            return Gates.repeated(Proposal.act(Action.UNDO, Scenario.STARVATION,
                    StarvationGuard.undone(current, policy), harm), draft, policy);
        }
        boolean away = !current.equals(policy.baseline());
        if (away && draft.now - draft.lastUsable >= policy.staleAfter().toMillis()) {
            draft.state = State.T;
            return Gates.repeated(Proposal.act(Action.RESTORE, Scenario.STALE, policy.baseline(), "no usable sample "
                    + "for " + (draft.now - draft.lastUsable) / 1000 + "s: " + judgement.note()), draft, policy);
        }
        if (finding == Running.Finding.NOT_APPLIED || finding == Running.Finding.REFUSED) {
            return Proposal.hold(Scenario.NOT_APPLIED, current, "the last action "
                    + (finding == Running.Finding.REFUSED ? "was refused, " : "did not take effect, ")
                    + current.describe() + " is still in force");
        }
        if (!judgement.judged()) {
            return Proposal.hold(Scenario.NOT_JUDGED, current, judgement.note());
        }
        if (draft.pending != null) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "the last action is not visible yet");
        }
        return byState(draft, features, judgement, policy);
    }

    private static Proposal byState(Draft draft, Features features, Judgement judgement, Policy policy) {
        Settings current = draft.configuration;
        if (draft.state == State.I2) {
            Proposal proposal = Away.propose(draft, features, policy);
            boolean hidden = judgement.scenario() == Scenario.HIDDEN && proposal.scenario() == Scenario.BELOW_TARGET;
            return hidden ? Proposal.hold(Scenario.HIDDEN, current, hidden(judgement)) : proposal;
        }
        if (Back.tooEarly(draft, features, policy)) {
            return Back.up(draft, features, policy);
        }
        if (draft.state == State.NI2) {
            return Back.propose(draft, policy);
        }
        if (draft.episode != null && draft.now - draft.episode.believed() >= UNCONFIRMED * Judge.unit(policy)) {
            draft.state = State.T;
            return Gates.repeated(Proposal.act(Action.RESTORE, Scenario.UNCONFIRMED, policy.baseline(),
                    "no label INTERFERENCE for " + (draft.now - draft.episode.confirmed()) / 1000 + "s"), draft,
                    policy);
        }
        if (judgement.scenario() != null) {
            return Proposal.hold(judgement.scenario(), current, hidden(judgement));
        }
        return Proposal.hold(Scenario.CHANGING, current, judgement.believed() + " is not confirmed"
                + (judgement.note().isEmpty() ? "" : ": " + judgement.note()));
    }

    private static String hidden(Judgement judgement) {
        return judgement.scenario().description() + ": " + judgement.note();
    }

    /** Only what is certainly normal teaches what is normal. */
    private static void learn(Draft draft, Judgement judgement, Sample sample, Policy policy) {
        boolean failing = sample.get(Metric.ERROR_RATE) > FAILED_SHARE * sample.get(Metric.THROUGHPUT);
        boolean settled = draft.ledger.since(draft.now) >= policy.coolDown().toMillis();
        if (draft.state == State.NI2 && judgement.detected() == Label.NO_INTERFERENCE && draft.episode == null
                && draft.manual == null && draft.pending == null && settled && !failing) {
            draft.learning = draft.learning.plus(sample, judgement.late());
        }
    }

    private static void apply(Draft draft, Proposal proposal, Features features, Policy policy) {
        Settings previous = draft.configuration;
        boolean away = !proposal.desired().equals(policy.baseline());
        switch (proposal.action()) {
            case MITIGATE, ESCALATE, STEP_UP -> grow(draft, features, policy);
            case UNDO -> draft.refusal = new Refusal(proposal.reason(), draft.now + REFUSED_FOR);
            default -> draft.backoff =
                    draft.backoff.onWayBack(draft.now, proposal.action() == Action.STEP_DOWN);
        }
        draft.episode = away || policy.acting() ? draft.episode : null;     // at home only once that is seen
        draft.waiting = 0;
        draft.configuration = proposal.desired();
        draft.ledger = draft.ledger.plus(draft.now);
        draft.pending = policy.acting() ? new Pending(previous, draft.now) : null;
    }

    private static void grow(Draft draft, Features features, Policy policy) {
        draft.backoff = draft.backoff.onGrowth(draft.now, Back.relapseWindow(policy));
        Episode fresh = Episode.at(draft.now, Judge.raised(features, policy), queueWait(features));
        draft.episode = draft.episode == null ? fresh : draft.episode.grown(fresh);
    }

    private static double queueWait(Features features) {
        double wait = StarvationGuard.queueWait(features.sample());
        return Double.isFinite(wait) ? wait : 0;
    }
}
