// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What levels have been seen to leave of an operation's CPU. Nobody has quiet minutes on each level, and beside a neighbour
 * everything costs more; so a stay on a level is compared with the seconds before the step, beside the same neighbour: the
 * median of a few samples there over that of a few samples here, without steal. Of the stays the median counts.
 *
 * @param learned by level, what {@link Ladder#change} says of it: a ratio for each of the latest stays
 * @param beside  CPU seconds of an operation at the baseline beside the neighbour: the latest samples
 * @param since   when the last of these was, ms on the controller's clock
 * @param level   the level that is being measured, or null
 * @param here    CPU seconds of an operation there
 */
public record LevelEffects(Map<String, MedianWindow> learned, MedianWindow beside, long since, String level,
        MedianWindow here) {
    /** The latest stays that count: a changed application is known after half as many. */
    private static final int MAX_STAYS = 9;
    /** Samples that make a figure; of those before the step three may do, as three confirm a neighbour. */
    private static final int MIN_SAMPLES = 5;
    private static final int MIN_SAMPLES_BEFORE = 3;
    /** The first samples on a level still serve what has waited. */
    private static final int SETTLING_SAMPLES = 2;
    /** Longer ago the neighbour may have been another one, ms. */
    private static final long MAX_AGE = 120_000;
    /** A level does not cost so many times what the baseline does: something else has changed. */
    private static final double MAX_RATIO = 4;
    /** Samples with a larger share of failed requests teach nothing: a failure is cheap. */
    private static final double FAILED_SHARE = 0.05;

    public LevelEffects(Map<String, MedianWindow> learned, MedianWindow beside, long since, String level, MedianWindow here) {
        this.learned = Collections.unmodifiableMap(new LinkedHashMap<>(learned));
        this.beside = beside == null ? MedianWindow.of() : beside;
        this.since = since;
        this.level = level;
        this.here = here == null ? MedianWindow.of() : here;
    }

    /** Nothing learned. */
    public static LevelEffects none() {
        return new LevelEffects(Map.of(), MedianWindow.of(), 0, null, MedianWindow.of());
    }

    /**
     * What a level leaves of an operation's CPU.
     *
     * @param share of that at the baseline; NaN if nothing is known
     * @param stays how many stays it was learned from; 0 if it is assumed
     */
    public record Effect(double share, int stays) {
        /** For people. */
        public String describe() {
            return stays == 0 ? "assumed" : "learned in " + stays + (stays == 1 ? " stay" : " stays");
        }
    }

    /** The relief of a level: learned, else what the rules assume. */
    public Effect at(int number, Policy policy) {
        Ladder ladder = policy.ladder();
        MedianWindow stays = number == 0 || learned.isEmpty() ? null : learned.get(ladder.change(number));
        return number == 0 ? new Effect(1, 0) : stays != null ? new Effect(stays.median(), stays.size())
                : new Effect(policy.knowledge().reliefs().at(ladder.level(number), ladder.level(0)), 0);
    }

    /** After a restart the comparison that was under way is given up. */
    public LevelEffects restarted() {
        return new LevelEffects(learned, MedianWindow.of(), 0, null, MedianWindow.of());
    }

    /**
     * CPU seconds of one operation without steal, as a share of the tier's CPU; NaN if unknown or impossible. Where it is
     * known what requests cost, of one in the mix of the quiet: what is wanted is counted in these, and while users wait
     * for pages they ask for fewer files.
     */
    public static double cost(Features features, RequestCostModel mix) {
        double usual = features.medians().get(Metric.LOAD_PER_OPERATION_USED);
        if (mix.known() && usual > 0) {
            double cost = usual * features.sample().get(Metric.CPU_USED) / mix.built(features.sample());
            return cost > 0 && cost < Double.POSITIVE_INFINITY ? cost : Double.NaN;
        }
        double cpu = features.sample().get(Metric.CPU_UTIL);
        double steal = blind(features) ? 0 : features.sample().get(Metric.STEAL);
        double cost = (cpu - steal) / features.sample().get(Metric.THROUGHPUT);
        return cpu <= 1 && steal >= 0 && cost > 0 && cost < Double.POSITIVE_INFINITY ? cost : Double.NaN;
    }

    /** True where steal was never reported, so that none can be taken off. */
    public static boolean blind(Features features) {
        return Double.isNaN(features.sample().get(Metric.STEAL))
                && Double.isNaN(features.medians().get(Metric.STEAL));
    }

    /**
     * The same after a sample that was measured in no change. What was measured behind anything but a whole level teaches
     * nothing.
     *
     * @param mix     what requests cost in the quiet
     * @param beside  whether a neighbour is there
     * @param running what is in force
     * @param now     ms on the controller's clock
     */
    public LevelEffects after(Features features, RequestCostModel mix, boolean beside, Settings running, long now, Policy policy) {
        int number = Math.max(0, policy.ladder().reached(running));
        if (!beside || !shown(features.sample(), running, number, policy)) {
            return number == 0 && !beside && this.beside.size() > 0 ? restarted() : this;
        }
        double cost = failing(features.sample()) ? Double.NaN : cost(features, mix);
        if (Double.isNaN(cost)) {
            return this;
        }
        if (number == 0) {
            return new LevelEffects(learned, newest(MIN_SAMPLES, this.beside.plus(cost)), now, null, MedianWindow.of());
        }
        return measured(policy.ladder().change(number), cost, now);
    }

    private static boolean failing(Sample sample) {
        return sample.get(Metric.ERROR_RATE) > FAILED_SHARE * sample.get(Metric.THROUGHPUT);
    }

    /** True if the level is in force as a whole. Where nothing is applied, the sample itself must show it. */
    private static boolean shown(Sample sample, Settings running, int number, Policy policy) {
        for (Knob knob : policy.ladder().knobs()) {
            int value = policy.ladder().level(number).get(knob);
            boolean seen = sample.has(knob.quantity())
                    && sample.get(knob.quantity()) * knob.unitsPerColumn() == value;
            if (running.get(knob) != value || !seen && !policy.acting()) {
                return false;
            }
        }
        return true;
    }

    private LevelEffects measured(String number, double cost, long now) {
        boolean comparable = beside.size() >= MIN_SAMPLES_BEFORE && now - since <= MAX_AGE;
        MedianWindow so = number.equals(level) ? here : MedianWindow.of();
        if (so.size() == SETTLING_SAMPLES + MIN_SAMPLES || !comparable) {
            return number.equals(level) ? this : new LevelEffects(learned, beside, since, number, MedianWindow.of());
        }
        MedianWindow next = so.plus(cost);
        if (next.size() < SETTLING_SAMPLES + MIN_SAMPLES) {
            return new LevelEffects(learned, beside, since, number, next);
        }
        double ratio = newest(MIN_SAMPLES, next).median() / beside.median();
        return new LevelEffects(ratio > 0 && ratio < MAX_RATIO ? with(number, ratio) : learned, beside, since, number, next);
    }

    private Map<String, MedianWindow> with(String number, double ratio) {
        Map<String, MedianWindow> more = new LinkedHashMap<>(learned);
        MedianWindow stays = more.remove(number);
        if (more.size() >= Ladder.MAX_LEVELS) {
            more.remove(more.keySet().iterator().next());
        }
        more.put(number, newest(MAX_STAYS, (stays == null ? MedianWindow.of() : stays).plus(ratio)));
        return more;
    }

    private static MedianWindow newest(int most, MedianWindow window) {
        double[] values = window.values();
        return values.length <= most ? window
                : MedianWindow.of(Arrays.copyOfRange(values, values.length - most, values.length));
    }
}
