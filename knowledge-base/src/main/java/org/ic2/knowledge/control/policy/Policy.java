// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What the administrator wants, checked. Built with {@link #builder}.
 *
 * @param baseline           the interference-free optimum; every mitigation is computed from it
 * @param bounds             the limits of every decision
 * @param levers             which knobs may move
 * @param ladder             the steps of a mitigation, of some of the levers; the other levers are moved by the rules
 * @param ladderStep         how far along it one action leads
 * @param detector           how interference is seen
 * @param knowledge          the rules
 * @param targetResponseTime seconds; at or below it no mitigation starts or grows
 * @param felt               what the target is compared with: the mean response time, or its 95th percentile
 * @param coolDown           the least time between two actions that lead away from the baseline, and between two
 *                           levels down
 * @param actionsPerHour     the most actions in any hour; the way back to the baseline is always kept free
 * @param staleAfter         without a usable sample for so long, a mitigation is taken back
 * @param minRequests        so many completed requests make response times that are judged; where an interval has fewer,
 *                           those of several are added up
 * @param warmUp             usable samples after a start before anything is applied
 * @param acting             true: what runs is read from the samples, so that an action that failed and a change by
 *                           someone else are seen; false: every decision is taken as applied (observe, advise, and
 *                           replay of recordings in which nothing was applied)
 * @param pace               how often samples come
 * @param requests           whose requests are counted, in words; empty if nobody knows
 * @param sharing            that the share of a cluster's requests is computed; null where there is none, or people and levels
 *                           move it
 * @param acts               the causes of harm for which it acts; of the others it says what helps
 * @param safeguards         what is done beyond the paper so that users fare no worse
 * @param probing            how the baseline is restored where only a try tells whether it would do
 */
public record Policy(Settings baseline, Bounds bounds, Set<Knob> levers, Ladder ladder, LadderStep ladderStep,
        Detector detector, KnowledgeBase knowledge, double targetResponseTime, Metric felt, Duration coolDown,
        int actionsPerHour, Duration staleAfter, int minRequests, int warmUp, boolean acting, SamplingInterval pace,
        String requests, Sharing sharing, Set<Cause> acts, Safeguards safeguards, Probing probing) {
    /** So many hold units after a step towards the baseline, trouble is blamed on the step. */
    private static final int RELAPSE_WINDOW = 12;

    public Policy {
        for (Knob knob : baseline.knobs()) {
            if (bounds.clamp(knob, baseline.get(knob)) != baseline.get(knob)) {
                throw new IllegalArgumentException("bounds." + knob.key() + ": the baseline "
                        + knob.format(baseline.get(knob)) + " is outside; widen the bound or change the baseline");
            }
        }
        levers = Collections.unmodifiableSet(Knob.set(levers));
        require(baseline.knobs().containsAll(levers), "levers", "knobs that have a baseline", levers);
        require(ladder.isOf(baseline, levers), "ladder", "one from this baseline, of these levers", ladder);
        require(targetResponseTime >= 0 && targetResponseTime < Double.POSITIVE_INFINITY, "target-response-time",
                "0 s or more", targetResponseTime);
        require(!coolDown.isNegative(), "safety.cool-down", "0 s or more", coolDown);
        require(actionsPerHour >= 0, "safety.actions-per-hour", "0 or more", actionsPerHour);
        require(staleAfter.toMillis() > 0, "safety.stale-after", "more than 0 s", staleAfter);
        require(minRequests >= 1, "safety.min-requests", "1 or more", minRequests);
        require(sharing == null || levers.contains(sharing.knob()) && !ladder.knobs().contains(sharing.knob())
                && baseline.same(bounds.highest(), sharing.knob()), "share",
                "a share among the levers, whose baseline is its highest bound, and which no level moves", sharing);
        acts = acts.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(acts));
        require(warmUp >= 0, "safety.warm-up", "0 or more samples", warmUp);
    }

    private static void require(boolean holds, String key, String expected, Object got) {
        if (!holds) {
            throw new IllegalArgumentException(key + ": expected " + expected + ", got " + got);
        }
    }

    /** What holds are multiples of: the cool-down, at least a second; ms. */
    public long holdUnit() {
        return Math.max(1000, coolDown.toMillis());
    }

    /** No hold before a step towards the baseline is longer, ms. */
    public long longestHold() {
        return Math.max(coolDown.toMillis(), probing.longestHold().toMillis());
    }

    /** How long after a step towards the baseline trouble is blamed on the step, ms. */
    public long relapseWindow() {
        return RELAPSE_WINDOW * holdUnit();
    }

    /** The same, {@link #acting} or not. */
    public Policy withActing(boolean value) {
        return new Policy(baseline, bounds, levers, ladder, ladderStep, detector, knowledge, targetResponseTime,
                felt, coolDown, actionsPerHour, staleAfter, minRequests, warmUp, value, pace, requests, sharing,
                acts, safeguards, probing);
    }

    /**
     * Starts a policy with every default of the design: all knobs are levers, the ladder of
     * {@link Ladder#ofMitigation}, 0.5 s, 10 s, 60 an hour, 15 s; and a sample a second, always.
     */
    public static Builder builder(Settings baseline, Bounds bounds, Detector detector, KnowledgeBase knowledge) {
        return new Builder(baseline, bounds, detector, knowledge);
    }

    /** Collects the settings that have defaults. */
    public static final class Builder {
        private final Settings baseline;
        private final Bounds bounds;
        private final Detector detector;
        private final KnowledgeBase knowledge;
        private Set<? extends Knob> levers;
        private Ladder ladder;
        private LadderStep ladderStep = LadderStep.COMPUTED;
        private double targetResponseTime = 0.5;
        private Metric felt = Metric.RESPONSE_TIME;
        private Duration coolDown = Duration.ofSeconds(10);
        private int actionsPerHour = 60;
        private Duration staleAfter = Duration.ofSeconds(15);
        private int minRequests = 10;
        private int warmUp = 10;
        private boolean acting = true;
        private String requests = "";
        private Sharing sharing;
        private Set<Cause> acts = Set.of(Cause.NEIGHBOUR);
        private Safeguards safeguards = Safeguards.ALL;
        private Probing probing = Probing.USUAL;
        private SamplingInterval pace = SamplingInterval.steady(Duration.ofSeconds(1));

        private Builder(Settings baseline, Bounds bounds, Detector detector, KnowledgeBase knowledge) {
            this.baseline = baseline;
            this.levers = baseline.knobs();
            this.bounds = bounds;
            this.detector = detector;
            this.knowledge = knowledge;
        }

        /** See {@link Policy#levers}. */
        public Builder levers(Set<? extends Knob> value) {
            levers = value;
            return this;
        }

        /** See {@link Policy#ladder}. */
        public Builder ladder(Ladder value) {
            ladder = value;
            return this;
        }

        /** See {@link Policy#ladderStep}. */
        public Builder ladderStep(LadderStep value) {
            ladderStep = value;
            return this;
        }

        /** See {@link Policy#targetResponseTime}. */
        public Builder targetResponseTime(double seconds) {
            targetResponseTime = seconds;
            return this;
        }

        /** See {@link Policy#felt}. */
        public Builder felt(Metric value) {
            felt = value;
            return this;
        }

        /** See {@link Policy#coolDown}. */
        public Builder coolDown(Duration value) {
            coolDown = value;
            return this;
        }

        /** See {@link Policy#actionsPerHour}. */
        public Builder actionsPerHour(int value) {
            actionsPerHour = value;
            return this;
        }

        /** See {@link Policy#staleAfter}. */
        public Builder staleAfter(Duration value) {
            staleAfter = value;
            return this;
        }

        /** See {@link Policy#minRequests}. */
        public Builder minRequests(int value) {
            minRequests = value;
            return this;
        }

        /** See {@link Policy#warmUp}. */
        public Builder warmUp(int samples) {
            warmUp = samples;
            return this;
        }

        /** See {@link Policy#acting}. */
        public Builder acting(boolean value) {
            acting = value;
            return this;
        }

        /** See {@link Policy#pace}. */
        public Builder pace(SamplingInterval value) {
            pace = value;
            return this;
        }

        /** See {@link Policy#requests}. */
        public Builder requests(String whose) {
            requests = whose;
            return this;
        }

        /** See {@link Policy#acts}. */
        public Builder acts(Set<Cause> value) {
            acts = value;
            return this;
        }

        /** See {@link Policy#sharing}. */
        public Builder sharing(Sharing value) {
            sharing = value;
            return this;
        }

        /** See {@link Policy#safeguards}. */
        public Builder safeguards(Safeguards value) {
            safeguards = value;
            return this;
        }

        /** See {@link Policy#probing}. */
        public Builder probing(Probing value) {
            probing = value;
            return this;
        }

        /**
         * The policy.
         *
         * @throws IllegalArgumentException naming the key, what was expected and what came
         */
        public Policy build() {
            Ladder steps = ladder == null ? Ladder.ofMitigation(baseline, bounds, levers) : ladder;
            return new Policy(baseline, bounds, Knob.set(levers), steps, ladderStep, detector, knowledge,
                    targetResponseTime, felt, coolDown, actionsPerHour, staleAfter, minRequests, warmUp, acting, pace,
                    requests, sharing, acts, safeguards, probing);
        }
    }
}
