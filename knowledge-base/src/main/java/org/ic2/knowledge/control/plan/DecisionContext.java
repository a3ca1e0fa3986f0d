// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.detect.AccumulatedSample;
import org.ic2.knowledge.control.detect.CauseFinder;
import org.ic2.knowledge.control.detect.FiveStates;
import org.ic2.knowledge.control.detect.HarmLabel;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.detect.Reconciliation;
import org.ic2.knowledge.control.detect.Transition;
import org.ic2.knowledge.control.detect.TwoStates;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.CapacityLeft;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.HarmMemory;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.knowledge.control.state.ShareMemory;
import org.ic2.runtime.knob.Settings;

/**
 * Everything that is known when it is decided what to do.
 *
 * @param before    what was remembered
 * @param running   what runs
 * @param gathered  what was measured, with the requests of earlier intervals where its own are few
 * @param features  the same, as it was judged
 * @param judgement what that means
 * @param state     the operating context that follows
 * @param episode   the time away from the baseline, the sample included; null if there is none
 * @param ledger    the actions so far
 * @param refusal   why the rules' values are not used now, or null
 * @param counters  the counts, the sample included
 * @param harm      what harm an action does, in words, once it is sure; else null
 * @param reliefs   what levels leave of an operation's CPU, the sample included
 * @param users     whether users are harmed, whatever the cause, and why, the sample included
 * @param backoff   what was learned about going back too early, the sample included
 */
public record DecisionContext(ControllerState before, Reconciliation running, AccumulatedSample gathered, Features features,
        Judgement judgement, State state, Episode episode, ActionHistory ledger, Refusal refusal, Counters counters,
        String harm, LevelEffects reliefs, HarmMemory users, Backoff backoff) {
    /** Samples with a larger share of failed requests teach nothing. */
    private static final double FAILED_SHARE = 0.05;
    private static final double SUFFERING = 2;
    /** A harm that lasts longer is what is usual. */
    private static final long LONG_HARM_MS = 3_600_000;

    /** What follows from a sample and what was remembered. */
    public static DecisionContext of(ControllerState before, Reconciliation running, AccumulatedSample gathered,
            Judgement judgement, Policy policy) {
        Features features = new Features(gathered.judged(), before.medians());
        Episode episode = episode(running, judgement, policy);
        String harm = StarvationGuard.harm(running.configuration(), episode, gathered.interval(), policy);
        Counters counters = count(before.counters(), running, gathered, features, judgement, harm != null, policy);
        boolean sure = counters.waiting() >= StarvationGuard.HARM_SAMPLES;
        // what failed while the server was silent proves nothing
        boolean awake = judgement.judged() && !gathered.silent()
                && running.now() - before.counters().lastUsable() >= policy.staleAfter().toMillis();
        State state = step(before.state(), gathered.acted(), judgement, policy);
        return new DecisionContext(before, running, gathered, features, judgement, state, episode,
                awake ? running.ledger().withFailures(0) : running.ledger(), before.refusalAt(running.now()), counters,
                sure ? harm : null, reliefs(before, gathered, features, judgement, running, policy),
                users(before, running, gathered, state, policy), backoff(before, running, gathered, features, judgement, policy));
    }

    private static Backoff backoff(ControllerState before, Reconciliation running, AccumulatedSample gathered, Features features,
            Judgement judgement, Policy policy) {
        Sample told = gathered.interval().straddlesEpochs() ? gathered.interval() : features.sample();
        boolean tells = judgement.judged() || gathered.interval().straddlesEpochs();
        double felt = told.get(policy.felt());
        return !tells || gathered.between() || Double.isNaN(felt) ? before.backoff()
                : before.backoff().judged(running.now(), policy.relapseWindow(), felt > policy.targetResponseTime(), told.get(Metric.REQUESTS));
    }

    /** Harm and its cause. What began as a neighbour's is his until no interference is confirmed. */
    private static HarmMemory users(ControllerState before, Reconciliation running, AccumulatedSample gathered, State state,
            Policy policy) {
        HarmMemory step = HarmLabel.step(walled(before, running, policy), gathered, before.learning(), running, policy);
        HarmMemory seen = state == State.NI2 ? step.resumed() : step;
        if (!seen.confirmed() || gathered.between() || seen.heard() < running.now() && seen.finding() != null) {
            return seen;
        }
        boolean neighbour = state == State.I1 || state == State.I2 || state != State.NI2 && seen.cause() == Cause.NEIGHBOUR;
        return seen.found(CauseFinder.find(new Features(gathered.acted(), before.medians()), neighbour, policy));
    }

    /** With the wall that was to go up, and did not; one that was not even tried leaves the turn to the next level. */
    private static HarmMemory walled(ControllerState before, Reconciliation running, Policy policy) {
        boolean asked = before.pending() != null && before.configuration().has(Wall.FLAG) && before.configuration().get(Wall.FLAG) == Wall.UP
                && !before.pending().previous().same(before.configuration(), Wall.FLAG);
        boolean failed = asked && running.pending() == null && running.finding() != Reconciliation.Finding.FOREIGN
                && running.configuration().has(Wall.FLAG) && running.configuration().get(Wall.FLAG) != Wall.UP;
        return !failed ? before.harm() : before.harm().withoutWall(running.finding() != Reconciliation.Finding.REFUSED, running.now(),
                Math.max(1, policy.coolDown().toMillis()));
    }

    /**
     * Just before a step each sample of enough requests counts, however short: there is no time for others. On a level
     * whole intervals count, as it takes some time until what has waited is served.
     */
    private static LevelEffects reliefs(ControllerState before, AccumulatedSample gathered, Features features, Judgement judgement,
            Reconciliation running, Policy policy) {
        boolean sure = judgement.judged() && judgement.believed() != Label.TRANSIENT;
        boolean brief = gathered.between() && gathered.few() == null && gathered.interval().has(Metric.LOAD_PER_OPERATION)
                && policy.ladder().reached(running.configuration()) < 1;
        return !gathered.teaches() && !brief || !sure || running.pending() != null || running.manual() != null ? before.reliefs()
                : before.reliefs().after(features, before.learning().mix(), judgement.believed() == Label.INTERFERENCE,
                running.configuration(), running.now(), policy);
    }

    private static Episode episode(Reconciliation running, Judgement judgement, Policy policy) {
        boolean away = !running.configuration().equals(policy.baseline());
        if (!away && running.pending() == null) {
            return null;
        }
        return running.episode() != null ? running.episode().after(judgement.detected(), judgement.scenario(), running.now())
                : away ? Episode.at(running.now()) : null;
    }

    private static Counters count(Counters before, Reconciliation running, AccumulatedSample gathered, Features features,
            Judgement judgement, boolean harmful, Policy policy) {
        if (gathered.between()) {
            boolean alive = gathered.few() == null ? judgement.judged() : !gathered.silent();
            return new Counters(before.usable(), alive ? running.now() : before.lastUsable(), before.slow(),
                    before.waiting(), running.foreign(), before.context());
        }
        boolean judged = judgement.judged();
        Sample sample = gathered.judged();
        boolean usable = gathered.few() != null ? !gathered.silent()
                : judged || sample.straddlesEpochs() && sample.has(Metric.RESPONSE_TIME);
        boolean slow = sample.get(policy.felt()) > policy.targetResponseTime();
        return new Counters(judged ? Math.min(before.usable() + 1, Integer.MAX_VALUE - 1) : before.usable(),
                usable ? running.now() : before.lastUsable(),
                !judged || !sample.has(policy.felt()) ? before.slow() : slow ? before.slow() + 1 : 0,
                harmful ? before.waiting() + 1 : 0, running.foreign(),
                judged ? before.context(!policy.knowledge().always(features).isEmpty()) : before.context());
    }

    private static State step(State state, Sample sample, Judgement judgement, Policy policy) {
        if (!judgement.judged()) {
            return state;
        }
        Transition transition = policy.detector() instanceof Detector.MissRate thresholds
                ? TwoStates.step(state, sample, thresholds) : FiveStates.step(state, judgement.believed());
        return transition.to();
    }

    /** What is known as normal after the sample. */
    MetricBaseline learned(Policy policy) {
        boolean doubtful = policy.knowledge().doubt(features).isPresent();
        boolean tells = gathered.teaches() && judgement.judged() && episode == null && judgement.detected() != Label.INTERFERENCE;
        MetricBaseline known = tells ? before.learning().noted(doubtful) : before.learning();
        return known.after(features.sample(), normal(policy), judgement.late());
    }

    private boolean normal(Policy policy) {
        Sample sample = features.sample();
        boolean failing = sample.get(Metric.ERROR_RATE) > FAILED_SHARE * sample.get(Metric.THROUGHPUT);
        boolean settled = ledger.since(now()) >= policy.coolDown().toMillis();
        return gathered.teaches() && state == State.NI2 && judgement.detected() == Label.NO_INTERFERENCE && episode == null
                && running.manual() == null && running.pending() == null && settled && !failing
                && (before.learning().unrest().always() || policy.knowledge().doubt(features).isEmpty()) && !suffers(sample, policy);
    }

    /** True while users are harmed and wait twice as long as usual: what harms must not become usual. After an hour it is. */
    private boolean suffers(Sample sample, Policy policy) {
        return users.confirmed() && now() - users.changed() < LONG_HARM_MS && before.learning().ready()
                && sample.get(policy.felt()) > Math.max(policy.targetResponseTime(), SUFFERING * features.medians().get(policy.felt()));
    }

    /** The same as if this were in force, for what is decided on a part of it. */
    DecisionContext at(Settings seen) {
        return seen.equals(current()) ? this : new DecisionContext(before, running.at(seen), gathered, features, judgement, state, episode,
                ledger, refusal, counters, harm, reliefs, users, backoff);
    }

    /** The part of the requests of the quiet that are to be expected. */
    double load(Policy policy) {
        return policy.sharing() == null ? 1
                : policy.sharing().load(before.configuration(), gathered.acted(), policy.baseline());
    }

    /** What is remembered of the share of a cluster's requests, the sample included. */
    ShareMemory share() {
        ShareMemory known = before.share() == null ? ShareMemory.none() : before.share();
        Label label = judgement.believed();
        CapacityLeft capacity = label == Label.NO_INTERFERENCE ? CapacityLeft.none()
                : label != Label.INTERFERENCE || running.pending() != null ? known.capacity()
                : known.capacity().plus(features.sample(), before.now(), now());
        boolean refused = running.finding() == Reconciliation.Finding.REFUSED;
        ShareMemory seen = known.with(capacity);
        return refused || running.finding() == Reconciliation.Finding.NOT_APPLIED
                ? seen.ineffective(before.ledger().last(), refused, now()) : seen;
    }

    /** What an action goes by: with the latest figures of enough requests that there were. */
    public Features acted() {
        return gathered.acted() == features.sample() ? features : new Features(gathered.acted(), before.medians());
    }

    /** The controller's clock, ms. */
    long now() {
        return running.now();
    }

    /** What is in force as far as known. */
    public Settings current() {
        return running.configuration();
    }

    /** True if the last action was to lead back and did not take effect. */
    boolean failedBack() {
        boolean undone = refusal != null && refusal.since() == ledger.last();
        return ledger.failures() > 0 && (backoff().lastBack() == ledger.last() || undone);
    }

    /** Milliseconds since the last usable sample. */
    long silent() {
        return now() - counters.lastUsable();
    }
}
