// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.rules.Condition;

/**
 * From the detector's label to the one that is believed. Thresholds of a miss rate, which mitigation does not change,
 * are believed as they are.
 *
 * <p><b>Mitigation hides what it cures.</b> Behind cheap compression and cached pages, LPO and RT can look normal
 * while the neighbour is still there. So away from the baseline a label other than INTERFERENCE must be earned:
 * <ul>
 * <li>while evidence that mitigation does not change (the independent signals of {@code rules.yaml}: steal, memory
 * latency, counters), raised when the mitigation began, is still raised: INTERFERENCE is believed (scenario HIDDEN),
 * for at most an hour without a word from the detector itself;
 * <li>where no such evidence exists, or its sensor is silent: the detector must have been silent for a hold (scenario HOLDING), which doubles
 * each time interference is back soon after the baseline was tried; so swings die out instead of going on for ever.
 * </ul>
 * All that is left out where the policy has no safeguard against it: then the detector is believed, as in the paper.
 *
 * <p>Where nothing but a computed share of a cluster's requests is away from the baseline, what an operation costs is an independent signal, too,
 * and {@code TrafficShare} holds by itself.
 *
 * <p><b>Nobody waits for a CPU that nobody asks for.</b> In a second, or a fifth of one, in which no page was built no CPU is
 * stolen. So where requests are few, evidence other than theirs may begin an interference at once, but not end it: for that,
 * as many requests are waited for as make a sample, and what was stolen in all that time counts.
 */
public final class LabelFilter {
    /** Without a label INTERFERENCE of the detector itself for so long, independent signals no longer keep a mitigation, ms. */
    static final long MAX_HIDDEN_TIME = 3_600_000;
    /** So many times its CPU in the quiet no operation takes by chance. */
    private static final double COST_INCREASE_RATIO = 1.3;

    private LabelFilter() {
    }

    /** What a sample means, after what was remembered. */
    public static Judgement judge(AccumulatedSample gathered, Reconciliation running, ControllerState before, Policy policy) {
        Features features = new Features(gathered.judged(), before.medians());
        Judgement whole = Labeller.label(features, gathered.few(), before.learning(), policy);
        Judgement label = gathered.between()
                ? Labeller.ofPart(whole, features, gathered.interval(), before.learning(), policy) : whole;
        return believed(label, features, gathered.few(), before.state() == State.NI2, running, before.backoff(), policy);
    }

    /**
     * @param few   why the sample has no figures of requests yet, in words, or null
     * @param quiet true if no interference is confirmed or suspected
     */
    static Judgement believed(Judgement label, Features features, String few, boolean quiet, Reconciliation running, Backoff backoff,
            Policy policy) {
        Episode episode = running.episode();
        if (few != null && label.detected() == Label.NO_INTERFERENCE && !(quiet && episode == null)
                && policy.detector() instanceof Detector.Tree) {
            return Judgement.none(few);
        }
        boolean certain = !label.judged() || label.detected() == Label.INTERFERENCE
                || policy.detector() instanceof Detector.MissRate || !policy.safeguards().hidden();
        if (certain || episode == null) {
            return label;
        }
        long silent = running.now() - episode.confirmed();
        boolean share = policy.sharing() != null && policy.sharing().alone(running.configuration(), policy.baseline());
        String evidence = raised(features, policy, episode.signals());
        String signal = evidence == null && share ? dearer(features) : evidence;
        if (signal != null && silent < MAX_HIDDEN_TIME) {
            return Judgement.instead(label.detected(), Label.INTERFERENCE, Scenario.HIDDEN, signal);
        }
        long hold = share ? 0 : hold(episode.signals(), features, backoff, policy);
        if (label.detected() == Label.NO_INTERFERENCE && silent < hold) {
            return Judgement.instead(label.detected(), Label.TRANSIENT, Scenario.HOLDING,
                    (hold - silent + 999) / 1000 + "s of a hold of " + hold / 1000 + "s are left");
        }
        return label;
    }

    /** How long the detector must be silent before NO_INTERFERENCE is believed away from the baseline, ms. */
    private static long hold(List<String> signals, Features features, Backoff backoff, Policy policy) {
        long unit = policy.holdUnit();
        boolean blind = policy.knowledge().independentSignals().stream().map(Condition::attribute)
                .noneMatch(attribute -> signals.contains(attribute.name())
                        && !Double.isNaN(features.get(attribute)));
        if (blind) {
            return backoff.doubled(Probing.BLIND_HOLD_UNITS * unit, policy.longestHold());
        }
        return backoff.relapses() == 0 ? 0 : backoff.doubled(unit, policy.longestHold());
    }

    /** What an operation costs: a smaller share of the requests changes it as little as a mitigation changes steal. Or null. */
    private static String dearer(Features features) {
        Metric cost = Double.isNaN(features.sample().get(Metric.STEAL)) ? Metric.LOAD_PER_OPERATION
                : features.medians().get(Metric.COST_PER_MIX) > 0 ? Metric.COST_PER_MIX : Metric.LOAD_PER_OPERATION_USED;
        double ratio = features.get(new Attribute(cost, Attribute.Form.RATIO));
        return ratio > COST_INCREASE_RATIO ? cost.column() + "_ratio " + Rounded.of(ratio) + " > " + COST_INCREASE_RATIO : null;
    }

    /** The first of the named independent signals that holds, with its value, or null. */
    private static String raised(Features features, Policy policy, List<String> names) {
        for (Condition signal : policy.knowledge().independentSignals()) {
            if (signal.holds(features) && names.contains(signal.attribute().name())) {
                return signal.describe(features);
            }
        }
        return null;
    }

    /** True if one of the named independent signals is measured and no independent signal holds: it has fallen, and is not only silent. */
    public static boolean fallen(List<String> names, Features features, Policy policy) {
        boolean measured = false;
        for (Condition signal : policy.knowledge().independentSignals()) {
            if (signal.holds(features)) {
                return false;
            }
            measured |= names.contains(signal.attribute().name()) && !Double.isNaN(features.get(signal.attribute()));
        }
        return measured;
    }

    /** The names of the independent signals that hold. */
    public static List<String> raised(Features features, Policy policy) {
        return policy.knowledge().independentSignals().stream().filter(signal -> signal.holds(features))
                .map(Condition::attribute).map(Attribute::name).toList();
    }
}
