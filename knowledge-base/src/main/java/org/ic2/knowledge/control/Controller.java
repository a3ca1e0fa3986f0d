// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Settings;

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

    private Controller() {
    }

    /**
     * Decides on one sample of the managed member.
     *
     * @param before what the last call gave back, or {@link ControllerState#initial}
     * @param sample the newest interval; values that are missing are missing
     * @param policy what the administrator wants
     */
    public static Decided decide(ControllerState before, Sample sample, Policy policy) {
        ControllerState state = before.of(policy.requests());
        Gathered gathered = Gathered.of(state, sample, policy).priced(state.learning());
        Features features = new Features(gathered.judged(), state.medians());
        Reconciliation running = Reconciliation.of(state, sample, policy);
        Judgement whole = Labeller.label(features, gathered.few(), state.learning(), policy);
        Judgement label = gathered.between()
                ? Labeller.ofPart(whole, features, gathered.interval(), state.learning(), policy) : whole;
        Judgement belief = LabelFilter.judge(label, features, gathered.few(), state.state() == State.NI2, running, state.backoff(),
                policy);
        Situation situation = Situation.of(state, running, gathered, belief, policy);
        Learning learning = situation.learned(policy);
        Proposal proposal = Preconditions.check(propose(situation, policy), situation, policy);
        ControllerState next = NextState.of(situation, learning, proposal, policy);
        return new Decided(next, Explanation.decision(situation, proposal, next, policy));
    }

    /** What to do, the gravest reason first; what each state asks for if there is none. */
    private static Proposal propose(Situation situation, Policy policy) {
        Settings current = situation.current();
        Reconciliation running = situation.running();
        if (running.finding() == Reconciliation.Finding.FOREIGN) {
            return Proposal.act(Action.STEP_ASIDE, Scenario.FOREIGN_CHANGE, running.aside(), running.manual());
        }
        if (running.manual() != null) {
            return Proposal.hold(Scenario.MANUAL, current, running.manual());
        }
        if (situation.harm() != null) {
            Settings undone = StarvationGuard.undone(current, policy);
            return Proposal.act(Action.UNDO, Scenario.STARVATION,
                    policy.sharing() == null ? undone : policy.sharing().kept(undone, current), situation.harm());
        }
        if (!current.equals(policy.baseline()) && situation.silent() >= policy.staleAfter().toMillis()) {
            return Restoration.inDoubt(Scenario.STALE, policy, "no usable sample for " + situation.silent() / 1000
                    + "s: " + situation.judgement().note());
        }
        if (running.finding() != Reconciliation.Finding.AGREED) {
            return Proposal.hold(Scenario.NOT_APPLIED, current, "the last action "
                    + (running.finding() == Reconciliation.Finding.REFUSED ? "was refused, " : "did not take effect, ")
                    + current.describe() + " is still in force");
        }
        if (!situation.judgement().judged()) {
            return Proposal.hold(Scenario.NOT_JUDGED, current, situation.judgement().note());
        }
        if (running.pending() != null) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "the last action is not visible yet");
        }
        return policy.sharing() == null ? byState(situation, policy)
                : Shift.propose(situation, policy, Controller::byState);
    }

    private static Proposal byState(Situation situation, Policy policy) {
        Settings current = situation.current();
        Judgement judgement = situation.judgement();
        Episode episode = situation.episode();
        if (situation.state() == State.I2) {
            Proposal proposal = Escalation.propose(situation, policy);
            boolean hidden = judgement.scenario() == Scenario.HIDDEN && proposal.scenario() == Scenario.BELOW_TARGET;
            return hidden ? Proposal.hold(Scenario.HIDDEN, current, judgement.describe()) : proposal;
        }
        if (Restoration.tooEarly(situation, policy)) {
            return Restoration.up(situation, policy);
        }
        if (situation.state() == State.NI2) {
            return Restoration.propose(situation, policy);
        }
        if (episode != null && situation.now() - episode.believed() >= UNCONFIRMED * policy.holdUnit()) {
            return Restoration.inDoubt(Scenario.UNCONFIRMED, policy, "no label INTERFERENCE for "
                    + (situation.now() - episode.confirmed()) / 1000 + "s");
        }
        if (judgement.scenario() != null) {
            return Proposal.hold(judgement.scenario(), current, judgement.describe());
        }
        return Proposal.hold(Scenario.CHANGING, current, judgement.believed() + " is not confirmed"
                + (judgement.note().isEmpty() ? "" : ": " + judgement.note()));
    }
}
