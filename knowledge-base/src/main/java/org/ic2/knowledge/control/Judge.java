// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.List;
import java.util.stream.Collectors;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.rules.Condition;
import org.ic2.knowledge.tree.Classification;

/**
 * From a sample to the label that is believed.
 *
 * <p><b>Mitigation hides what it cures.</b> Behind cheap compression and cached pages, LPO and RT can look normal
 * while the neighbour is still there. So away from the baseline a label other than INTERFERENCE must be earned:
 * <ul>
 * <li>while evidence that mitigation does not change (the witnesses of {@code rules.yaml}: steal, memory
 * latency, counters), raised when the mitigation began, is still raised: INTERFERENCE is believed (scenario HIDDEN),
 * for at most an hour without a word from the detector itself;
 * <li>where no such evidence exists, or its sensor is silent: the detector must have been silent for a hold (scenario HOLDING), which doubles
 * each time interference is back soon after the baseline was tried; so swings die out instead of going on for ever.
 * </ul>
 */
final class Judge {
    /** Without a label INTERFERENCE of the detector itself for so long, witnesses no longer keep a mitigation, ms. */
    static final long HIDDEN_AT_MOST = 3_600_000;
    /** So many times slower than normal, a sample does not teach what is normal of a further metric. */
    static final double SLOW = 2;
    /** The hold without witnesses, in cool-downs, before it is doubled. */
    static final int BLIND_HOLD = 3;

    private Judge() {
    }

    static Judgement judge(Draft draft, Features features, Policy policy) {
        String lack = lack(features.sample(), policy);
        if (lack != null) {
            return Judgement.none(lack);
        }
        if (policy.detector() instanceof Detector.Tree tree) {
            return believe(draft, features, policy, ask(draft, features, tree, policy));
        }
        return missRate(features, (Detector.MissRate) policy.detector());
    }

    /** Why the sample cannot be judged, or null. */
    private static String lack(Sample sample, Policy policy) {
        if (sample.straddlesEpochs()) {
            return "a reconfiguration fell into the interval";
        }
        if (!sample.has(Metric.RESPONSE_TIME) || !sample.has(Metric.THROUGHPUT)) {
            return "no " + (sample.has(Metric.RESPONSE_TIME) ? "throughput" : "response time") + " was measured";
        }
        if (!(sample.get(Metric.THROUGHPUT) > 0)) {
            return "no request was completed";
        }
        double requests = sample.get(Metric.REQUESTS);
        return requests < policy.minRequests() ? "only " + Rounded.of(requests) + " requests, "
                + policy.minRequests() + " make a sample" : null;
    }

    private static Judgement missRate(Features features, Detector.MissRate thresholds) {
        double cmr = features.sample().get(Metric.CMR);
        if (Double.isNaN(cmr)) {
            return Judgement.none("no cache miss rate was measured");
        }
        boolean high = cmr > thresholds.cmr();
        return Judgement.plain(high ? Label.INTERFERENCE : Label.NO_INTERFERENCE, "cmr " + Rounded.of(cmr)
                + (high ? " > " : " <= ") + Rounded.of(thresholds.cmr()));
    }

    private static Judgement ask(Draft draft, Features features, Detector.Tree tree, Policy policy) {
        if (tree.model().relative() && !draft.learning.ready()) {
            boolean suspicious = policy.knowledge().witnesses().stream()
                    .anyMatch(witness -> !witness.attribute().relative() && witness.holds(features));
            return Judgement.plain(suspicious ? Label.TRANSIENT : Label.NO_INTERFERENCE,
                    "learning what is normal, " + draft.learning.medians().count() + " of " + Learning.ENOUGH
                            + " samples");
        }
        Classification answer = tree.model().tree().classify(attribute ->
                draft.learning.knows(attribute) ? features.get(attribute) : Double.NaN);
        List<Metric> late = answer.bridged() ? late(draft.learning, features.sample(), tree) : List.of();
        if (!late.isEmpty()) {
            return learn(draft.learning, features, policy, late);
        }
        return Judgement.plain(answer.believed(), answer.unsure()
                ? "attributes are missing and the tree is not sure without them" : "");
    }

    /** What the tree tests and the sample has, but whose median comes from too few samples. */
    private static List<Metric> late(Learning learning, Sample sample, Detector.Tree tree) {
        return tree.model().tree().attributes().stream().filter(attribute -> !learning.knows(attribute))
                .flatMap(attribute -> attribute.learned().stream()).filter(sample::has).distinct().toList();
    }

    /**
     * A metric that is measured only since what is normal was learned (a new sensor, another tree) is learned at the
     * baseline, as the others were at the very first start; but not from a sample that looks like interference.
     */
    private static Judgement learn(Learning learning, Features features, Policy policy, List<Metric> late) {
        double slower = features.responseTime() / features.medians().get(Metric.RESPONSE_TIME);
        boolean suspicious = slower > SLOW || policy.knowledge().witnesses().stream()
                .anyMatch(witness -> learning.knows(witness.attribute()) && witness.holds(features));
        Label label = suspicious ? Label.TRANSIENT : Label.NO_INTERFERENCE;
        return new Judgement(label, label, null, "learning what is normal: " + late.stream()
                .map(metric -> metric.column() + ", " + learning.size(metric) + " of " + Learning.ENOUGH + " samples")
                .collect(Collectors.joining("; ")) + (suspicious ? "; not from this one, which may be interference" : ""),
                late);
    }

    private static Judgement believe(Draft draft, Features features, Policy policy, Judgement plain) {
        Episode episode = draft.episode;
        if (episode == null || plain.detected() == Label.INTERFERENCE) {
            return plain;
        }
        long silent = draft.now - episode.confirmed();
        String witness = raised(features, policy, episode.witnesses());
        if (witness != null && silent < HIDDEN_AT_MOST) {
            return Judgement.instead(plain.detected(), Label.INTERFERENCE, Scenario.HIDDEN, witness);
        }
        long hold = hold(draft, features, policy);
        if (plain.detected() == Label.NO_INTERFERENCE && silent < hold) {
            return Judgement.instead(plain.detected(), Label.TRANSIENT, Scenario.HOLDING,
                    (hold - silent + 999) / 1000 + "s of a hold of " + hold / 1000 + "s are left");
        }
        return plain;
    }

    /** How long the detector must be silent before NO_INTERFERENCE is believed away from the baseline, ms. */
    private static long hold(Draft draft, Features features, Policy policy) {
        long unit = unit(policy);
        List<String> witnesses = draft.episode.witnesses();
        boolean blind = policy.knowledge().witnesses().stream().map(Condition::attribute)
                .noneMatch(attribute -> witnesses.contains(attribute.name())
                        && !Double.isNaN(features.get(attribute)));
        if (blind) {
            return draft.backoff.doubled(BLIND_HOLD * unit);
        }
        return draft.backoff.relapses() == 0 ? 0 : draft.backoff.doubled(unit);
    }

    /** What holds are multiples of: the cool-down, at least a second. */
    static long unit(Policy policy) {
        return Math.max(1000, policy.coolDown().toMillis());
    }

    /** The first of the named witnesses that holds, with its value, or null. */
    private static String raised(Features features, Policy policy, List<String> names) {
        for (Condition witness : policy.knowledge().witnesses()) {
            if (witness.holds(features) && names.contains(witness.attribute().name())) {
                return witness.describe(features);
            }
        }
        return null;
    }

    /** The names of the witnesses that hold. */
    static List<String> raised(Features features, Policy policy) {
        return policy.knowledge().witnesses().stream().filter(witness -> witness.holds(features))
                .map(Condition::attribute).map(Attribute::name).toList();
    }
}
