// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.detect.Reconciliation;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.runtime.knob.Settings;

/**
 * What to do about a situation, and whether now: further away from the baseline as {@link Escalation} says, or back to it.
 * If RT rises above the target after a step back, it is up again with a doubled hold.
 *
 * <p>What leads away from the baseline waits for warm-up, cool-down and budget; not for the cool-down where users have paid the
 * price of a level down ({@link org.ic2.knowledge.control.policy.Probing}). The way back waits for none of them, but
 * an action that was to lead back and did not take effect is repeated only after a pause, which doubles up to half a
 * minute.
 */
public final class ActionPlanner {
    /** Away from the baseline without a label INTERFERENCE for so many cool-downs: back. */
    private static final int UNCONFIRMED_UNITS = 6;
    /** So many samples in a row above the target make a step down a mistake. */
    private static final int SLOW_SAMPLES = 2;

    private ActionPlanner() {
    }

    /** What is to be done now. */
    public static Proposal plan(DecisionContext context, Policy policy) {
        return check(HarmPlan.told(propose(context, policy), context, policy), context, policy);
    }

    /** The gravest reason first; what each state asks for if there is none. */
    private static Proposal propose(DecisionContext context, Policy policy) {
        Settings current = context.current();
        Reconciliation running = context.running();
        if (running.finding() == Reconciliation.Finding.FOREIGN) {
            return Proposal.act(Action.ENTER_MANUAL, Scenario.FOREIGN_CHANGE, running.manualSettings(), running.manual());
        }
        if (running.manual() != null) {
            return Proposal.hold(Scenario.MANUAL, current, running.manual());
        }
        if (context.harm() != null) {
            Settings undone = StarvationGuard.undone(current, policy);
            return Proposal.act(Action.UNDO, Scenario.STARVATION,
                    policy.sharing() == null ? undone : policy.sharing().kept(undone, current), context.harm());
        }
        if (!current.equals(policy.baseline()) && context.silent() >= policy.staleAfter().toMillis()) {
            return inDoubt(Scenario.STALE, policy, "no usable sample for " + context.silent() / 1000
                    + "s: " + context.judgement().note());
        }
        if (running.finding() != Reconciliation.Finding.AGREED) {
            return Proposal.hold(Scenario.NOT_APPLIED, current, "the last action "
                    + (running.finding() == Reconciliation.Finding.REFUSED ? "was refused, " : "did not take effect, ")
                    + current.describe() + " is still in force");
        }
        if (!context.judgement().judged()) {
            return Proposal.hold(Scenario.NOT_JUDGED, current, context.judgement().note());
        }
        if (running.pending() != null) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "the last action is not visible yet");
        }
        return policy.sharing() == null ? byState(context, policy)
                : TrafficShare.propose(context, policy, ActionPlanner::byState);
    }

    private static Proposal byState(DecisionContext context, Policy policy) {
        Settings current = context.current();
        Judgement judgement = context.judgement();
        Episode episode = context.episode();
        if (HarmPlan.decides(context, policy)) {
            return HarmPlan.propose(context, policy, tooEarly(context, policy), () -> restore(context, policy));
        }
        if (context.state() == State.I2) {
            Proposal proposal = Escalation.propose(context, policy);
            boolean hidden = judgement.scenario() == Scenario.HIDDEN && proposal.scenario() == Scenario.BELOW_TARGET;
            return hidden ? Proposal.hold(Scenario.HIDDEN, current, judgement.describe()) : proposal;
        }
        if (tooEarly(context, policy)) {
            return Escalation.again(context, policy);
        }
        Proposal apart = ContextChange.propose(context, policy);
        if (apart != null) {
            return apart;
        }
        if (context.state() == State.NI2) {
            return restore(context, policy);
        }
        if (episode != null && context.now() - episode.believed() >= UNCONFIRMED_UNITS * policy.holdUnit()) {
            return inDoubt(Scenario.UNCONFIRMED, policy, "no label INTERFERENCE for "
                    + (context.now() - episode.confirmed()) / 1000 + "s");
        }
        if (judgement.scenario() != null) {
            return Proposal.hold(judgement.scenario(), current, judgement.describe());
        }
        return Proposal.hold(Scenario.CHANGING, current, judgement.believed() + " is not confirmed"
                + (judgement.note().isEmpty() ? "" : ": " + judgement.note()));
    }

    /**
     * The way back: all at once where the baseline is known to carry the demand; else the rules' values at once, then the
     * ladder one level for each hold (a cool-down, doubled for each relapse).
     */
    static Proposal restore(DecisionContext context, Policy policy) {
        Settings current = context.current();
        ActionHistory ledger = context.ledger();
        Ladder ladder = policy.ladder();
        Optional<Settings> down = ladder.down(current);
        ComputedStep baseline = mayRestoreAtOnce(context, policy) ? ComputedStep.baseline(context, policy) : null;
        if (baseline != null) {
            return Proposal.move(Action.STEP_DOWN, Scenario.DIRECT_RESTORE, current, policy.baseline(),
                    "no interference, and the baseline carries the demand: ")
                    .because(List.of(), List.of(baseline.reason()), baseline.numbers());
        }
        if (!ladder.othersAtBaseline(current)) {
            // Values that cannot be restored do not keep the ladder up: each further try takes a level, too.
            Settings desired = ladder.withOthersAtBaseline(context.failedBack() ? down.orElse(current)
                    : current);
            return Proposal.move(Action.RESTORE, Scenario.RESTORATION, current, desired, "no interference confirmed: ");
        }
        if (down.isEmpty()) {
            return Proposal.hold(Scenario.STEADY, current, "no interference, the baseline is in force");
        }
        long coolDown = policy.coolDown().toMillis();
        long hold = Math.max(stepHold(context, policy),
                ledger.failures() > 0 ? ledger.pauseBack(coolDown) : coolDown);
        if (ledger.since(context.now()) < hold) {
            return Proposal.hold(Scenario.COOLING_DOWN, current, "no interference, the next level down comes "
                    + hold / 1000 + "s after the last action");
        }
        return Proposal.move(Action.STEP_DOWN, Scenario.STEP_DOWN, current, down.get(), "no interference: ");
    }

    /** The hold before the next level down: doubled for each relapse; after the first level down no more than its part of the longest. */
    private static long stepHold(DecisionContext context, Policy policy) {
        Backoff backoff = context.backoff();
        long unit = policy.holdUnit();
        return backoff.doubled(unit, backoff.lastBack() < 0 ? policy.longestHold()
                : policy.probing().longestStep(policy.ladder().highest(), unit));
    }

    /**
     * After relapses only when the doubled hold is over, after another step back, which may have been refused, when the
     * cool-down is; what has failed is tried again step by step.
     */
    private static boolean mayRestoreAtOnce(DecisionContext context, Policy policy) {
        Backoff backoff = context.backoff();
        ActionHistory ledger = context.ledger();
        long hold = backoff.relapses() > 0 ? backoff.doubled(policy.holdUnit(), policy.longestHold())
                : backoff.lastBack() == ledger.last() ? policy.coolDown().toMillis() : 0;
        return ledger.failures() == 0 && ledger.since(context.now()) >= hold;
    }

    /** In doubt, the baseline at once; and the context is found out anew. */
    static Proposal inDoubt(Scenario why, Policy policy, String reason) {
        return Proposal.act(Action.RESTORE, why, policy.baseline(), reason).inDoubt();
    }

    /** True if RT rose above the target soon after a level down: in several samples in a row, or for as long as users are to pay at most. */
    static boolean tooEarly(DecisionContext context, Policy policy) {
        return context.features().sample().get(policy.felt()) > policy.targetResponseTime()
                && (context.counters().slow() >= SLOW_SAMPLES || spent(context, policy)) && context.backoff().steppedDown()
                && context.backoff().recent(context.now(), policy.relapseWindow())
                && !policy.ladder().knobs().isEmpty();
    }

    /** True if users have paid for a level down what they are to pay at most. */
    private static boolean spent(DecisionContext context, Policy policy) {
        return context.backoff().probe() != null && context.backoff().probe().spent(policy.probing(), policy.pace().usual().toMillis(),
                context.features().sample().get(Metric.REQUESTS));
    }

    /** The proposal, within the bounds, if it may be carried out now; else to hold, and why. */
    static Proposal check(Proposal proposal, DecisionContext context, Policy policy) {
        Proposal due = switch (proposal.action()) {
            case MITIGATE, ESCALATE, STEP_UP -> away(proposal, context, policy);
            case RESTORE, UNDO -> repeated(proposal, context, policy);
            case HOLD, STEP_DOWN, ENTER_MANUAL -> proposal;
        };
        return due.within(policy.bounds(), context.current());
    }

    private static Proposal away(Proposal proposal, DecisionContext context, Policy policy) {
        ActionHistory ledger = context.ledger();
        MetricBaseline learning = context.before().learning();
        long coolDown = policy.coolDown().toMillis();
        if (context.counters().usable() < policy.warmUp() || !learning.ready()) {
            return proposal.postponed(Scenario.WARMING_UP, context.current(), "warming up: "
                    + context.counters().usable() + " of " + policy.warmUp() + " samples since the start, "
                    + learning.medians().count() + " of " + MedianWindow.MIN_VALUES + " samples of normal");
        }
        // what users pay for a try is worth more than a quiet cool-down
        boolean retried = ledger.failures() == 0 && context.backoff().lastBack() == ledger.last()
                && (proposal.scenario() == Scenario.SHARE_CUT || tooEarly(context, policy) && spent(context, policy));
        if (!retried && ledger.since(context.now()) < ledger.pause(coolDown)) {
            return proposal.postponed(ledger.failures() > 0 ? Scenario.NOT_APPLIED : Scenario.COOLING_DOWN,
                    context.current(), "cooling down for " + ledger.pause(coolDown) / 1000.0 + "s after an action");
        }
        if (!ledger.affords(context.now(), policy.actionsPerHour(), proposal.desired(), policy.ladder())) {
            return proposal.postponed(Scenario.BUDGET_SPENT, context.current(), ledger.inLastHour(context.now())
                    + " actions in the last hour, " + policy.actionsPerHour() + " with the way back are allowed");
        }
        return proposal;
    }

    private static Proposal repeated(Proposal proposal, DecisionContext context, Policy policy) {
        boolean early = context.failedBack() && context.ledger().since(context.now())
                < context.ledger().pauseBack(policy.coolDown().toMillis());
        return early ? proposal.postponed(Scenario.NOT_APPLIED, context.current(),
                "the last action did not take effect, the next try comes later") : proposal;
    }
}
