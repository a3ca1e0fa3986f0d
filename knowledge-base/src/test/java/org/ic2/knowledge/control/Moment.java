// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.AccumulatedSample;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.detect.Reconciliation;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.plan.DecisionContext;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.HarmMemory;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.runtime.knob.Settings;

/** What the stages of a decision take, put together by hand; at first a quiet second at the baseline, long settled. */
public final class Moment {
    /** The controller's clock, ms; hours after its start. */
    public static final long NOW = 36_000_000;
    private static final MetricBaseline NORMAL = Tier.settled().state.learning();

    public Policy policy = Tier.policy().build();
    public UnaryOperator<Sample.Builder> conditions = Tier::quiet;
    public Judgement judgement = Judgement.plain(Label.NO_INTERFERENCE, "");
    public State state = State.NI2;
    public Settings running = Tier.BASE;
    public Pending pending;
    public ActionHistory ledger = ActionHistory.empty();
    public Episode episode;
    public Backoff backoff = Backoff.none();
    public MetricBaseline learning = NORMAL;
    public Refusal refusal;
    public Counters counters = new Counters(100, NOW - 1000, 0, 0, 0);
    public String manual;
    public String harm;
    public LevelEffects reliefs = LevelEffects.none();
    public HarmMemory users = HarmMemory.none();

    /** What was remembered a second ago. */
    public ControllerState before() {
        return new ControllerState(state, 7, NOW - 1000, Tier.START.toEpochMilli(), running, learning, ledger,
                pending, episode, backoff, refusal, counters, manual, null, reliefs, null, null, null);
    }

    /** The sample, which shows these values in force. */
    public Sample sample(Settings shown) {
        return conditions.apply(Sample.at(Tier.START.plus(Duration.ofSeconds(1))).settings(shown)).build();
    }

    public Features features() {
        return new Features(sample(running), learning.medians());
    }

    public AccumulatedSample gathered() {
        return AccumulatedSample.of(before(), sample(running), policy);
    }

    public Reconciliation reconciled() {
        return new Reconciliation(Reconciliation.Finding.AGREED, NOW, running, pending, ledger, episode, 0, manual,
                null);
    }

    /** As it follows from what was remembered. */
    public DecisionContext counted() {
        return DecisionContext.of(before(), reconciled(), gathered(), judgement, policy);
    }

    /** As it is said here. */
    public DecisionContext context() {
        return new DecisionContext(before(), reconciled(), gathered(), features(), judgement, state, episode, ledger, refusal, counters,
                harm, reliefs, users, backoff);
    }

    /** Behind a mitigation of everything, begun so many seconds ago by these independent signals. */
    public Moment mitigated(int level, long seconds, String... signals) {
        long then = NOW - 1000 * seconds;
        state = State.I2;
        running = Lever.settings(300, 6230, 50, level);
        episode = new Episode(then, then, then, List.of(signals), 0);
        ledger = ActionHistory.empty().plus(then);
        return this;
    }
}
