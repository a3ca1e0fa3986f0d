// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.time.Instant;
import java.util.Optional;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.knob.Settings;

/**
 * Everything that {@code Controller.decide} remembers between two samples. A plain value: {@code ControlJson} writes
 * and reads it, so that medians, cool-down and action budget survive a restart.
 *
 * <p>Times are milliseconds on the controller's own clock, which advances by what the samples' times advance, never
 * goes back, and takes a jump of more than an hour as one hour.
 *
 * @param state         the operating context
 * @param sequence      decisions so far
 * @param now           the controller's clock, ms
 * @param wall          the last sample's time, ms since 1970; {@link Long#MIN_VALUE} before the first
 * @param configuration what is in force as far as known; what is pending counts; levers that may not move carry the
 *                      baseline's value
 * @param learning      what is normal
 * @param ledger        the actions so far
 * @param pending       an action that no sample has confirmed yet, or null
 * @param episode       the present time away from the baseline, or null
 * @param backoff       what was learned about going back too early
 * @param refusal       why the rules' values are not used, perhaps no more, or null
 * @param counters      small counts
 * @param manual        why manual mode is on, or null
 * @param gathering     requests that are too few yet, and the latest figures of enough; null if there are none
 * @param reliefs       what levels leave of an operation's CPU; null: nothing is known of it
 * @param watch         fast sampling, if it is under way, or null; a restart ends it, so it is not written
 * @param share         what is remembered of the share of a cluster's requests, or null: it is not moved
 * @param harm          whether users are harmed, and why; null: nobody is
 */
public record ControllerState(State state, long sequence, long now, long wall, Settings configuration,
        MetricBaseline learning, ActionHistory ledger, Pending pending, Episode episode, Backoff backoff, Refusal refusal,
        Counters counters, String manual, SampleAccumulator gathering, LevelEffects reliefs, FastSampling watch, ShareMemory share,
        HarmMemory harm) {
    private static final long MAX_CLOCK_STEP = 3_600_000;

    public ControllerState {
        reliefs = reliefs == null ? LevelEffects.none() : reliefs;
        harm = harm == null ? HarmMemory.none() : harm;
    }

    /** The very first start, with the baseline in force and nothing learned. */
    public static ControllerState initial(Settings running) {
        return new ControllerState(State.T, 0, 0, Long.MIN_VALUE, running, MetricBaseline.none(), ActionHistory.empty(), null, null,
                Backoff.none(), null, Counters.at(0), null, null, LevelEffects.none(), null, null, null);
    }

    /**
     * The persisted state after a restart: what was learned, the cool-down and the budget stay; the context is
     * unknown; nothing is applied until the windows are full again.
     *
     * @param running what is in force now
     */
    public ControllerState restarted(Settings running) {
        return anew(running, ledger.withFailures(0));
    }

    /**
     * What was done last had no outcome, and was undone: as {@link #restarted}, but one more action did not take effect.
     *
     * @param running what is in force now
     */
    public ControllerState undone(Settings running) {
        return anew(running, ledger.withFailures(ledger.failures() + 1));
    }

    private ControllerState anew(Settings running, ActionHistory actions) {
        return new ControllerState(State.T, sequence, now, wall, running, learning, actions, null, null, backoff, refusal,
                Counters.at(now), manual, null, reliefs.restarted(), null, restartedShare(), null);
    }

    /**
     * What runs was not known and is found out: nobody has changed it.
     *
     * @param running what is in force
     */
    public ControllerState found(Settings running) {
        return running.equals(configuration) ? this : new ControllerState(state, sequence, now, wall, running, learning,
                ledger, null, episode, backoff, refusal, counters, manual, gathering, reliefs.restarted(), null, restartedShare(), harm);
    }

    /** What was learned from other requests than those that are counted now is forgotten, and so is what began with them. */
    public ControllerState of(String requests) {
        MetricBaseline known = learning.of(requests);
        return known == learning ? this : new ControllerState(state, sequence, now, wall, configuration, known, ledger,
                pending, episode, backoff, refusal, counters, manual, null, reliefs.restarted(), null, restartedShare(), harm);
    }

    /** What was only advised was never done: it counts neither for cool-down and budget nor as too early a way back. */
    public ControllerState withoutAdvice() {
        return new ControllerState(state, sequence, now, wall, configuration, learning, ActionHistory.empty(), null, null,
                Backoff.none(), refusal, counters, manual, gathering, reliefs, null, share, harm.restored());
    }

    /** Manual mode: decisions hold until {@link #resumed}. */
    public ControllerState enteredManual(String reason) {
        return new ControllerState(state, sequence, now, wall, configuration, learning, ledger, null, episode,
                backoff, refusal, counters, reason, gathering, reliefs.restarted(), null, restartedShare(), harm.restored());
    }

    /**
     * The administrator hands back. The context is found out anew.
     *
     * @param running what is in force now
     */
    public ControllerState resumed(Settings running) {
        return new ControllerState(State.T, sequence, now, wall, running, learning, ledger.withFailures(0), null,
                null, backoff, null, Counters.at(now), null, null, reliefs.restarted(), null, restartedShare(), null);
    }

    private ShareMemory restartedShare() {
        return share == null ? null : share.restarted();
    }

    /** The own clock at a sample's time: moved by what the wall clock moved; a step back moves it not at all. */
    public long clockAt(Instant time) {
        return wall == Long.MIN_VALUE ? now : now + Math.max(0, Math.min(MAX_CLOCK_STEP, time.toEpochMilli() - wall));
    }

    /** True if a sample of that time lies between two whole intervals: what is measured once an interval has nothing new. */
    public boolean between(Instant time, Policy policy) {
        long then = clockAt(time);
        return watch != null && policy.pace().between(then - watch.counted(), then - now);
    }

    /** True if the next sample is wanted soon. */
    public boolean suspicious(Policy policy) {
        return watch != null && watch.close(now, policy);
    }

    /** Why the rules' values are not used at that time on the own clock, or null. */
    public Refusal refusalAt(long time) {
        return refusal == null || time >= refusal.until() ? null : refusal;
    }

    /** The medians without interference. */
    public Medians medians() {
        return learning.medians();
    }

    /** Why manual mode is on, if it is. */
    public Optional<String> manualReason() {
        return Optional.ofNullable(manual);
    }
}
