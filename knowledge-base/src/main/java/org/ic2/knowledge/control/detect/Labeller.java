// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.tree.Classification;

/** From a sample to the detector's label. */
final class Labeller {
    /** So many times slower than normal, a sample does not teach what is normal of a further metric. */
    static final double SLOW_RATIO = 2;

    private Labeller() {
    }

    /**
     * @param few why the sample has no figures of requests yet, in words, or null; what a detector says without them
     *            counts all the same
     */
    static Judgement label(Features features, String few, MetricBaseline learning, Policy policy) {
        String lack = few == null ? lack(features.sample()) : null;
        if (lack != null) {
            return Judgement.none(lack);
        }
        Judgement label = !(policy.detector() instanceof Detector.Tree tree)
                ? missRate(features, (Detector.MissRate) policy.detector())
                : few == null ? ask(features, learning, tree, policy) : askWithout(features, few, learning, tree);
        return label.detected() == Label.NO_INTERFERENCE ? doubted(label, features, learning, policy) : label;
    }

    /**
     * The label of a part of an interval; none where it hangs on what is measured once an interval: three labels in a row
     * confirm each other only if each has evidence of its own.
     */
    static Judgement ofPart(Judgement label, Features features, Sample part, MetricBaseline learning, Policy policy) {
        List<String> old = new ArrayList<>();
        if (label.judged() && policy.detector() instanceof Detector.Tree tree) {
            tree.model().tree().classify(attribute -> {
                double value = value(attribute, features, learning);
                if (!Double.isNaN(value) && !part.has(attribute.quantity())) {
                    old.add(attribute.name());
                }
                return value;
            });
        } else if (label.judged() && !part.has(Metric.CMR)) {
            old.add(Metric.CMR.column());
        }
        return old.isEmpty() ? label : Judgement.none(old.get(0) + " is measured once an interval");
    }

    /** While nothing is known as normal, nobody can be sure that nobody is there; later it only teaches nothing. */
    private static Judgement doubted(Judgement label, Features features, MetricBaseline learning, Policy policy) {
        String doubt = policy.knowledge().doubt(features).orElse(null);
        if (doubt == null) {
            return label;
        }
        String note = label.note().isEmpty() ? doubt : doubt + "; " + label.note();
        if (learning.unrest().always()) {
            return Judgement.plain(label.detected(), "normal on a host that is never quiet: " + note);
        }
        boolean blank = policy.detector() instanceof Detector.Tree tree && tree.model().relative() && !learning.ready();
        return blank ? Judgement.instead(Label.TRANSIENT, Label.TRANSIENT, Scenario.NOT_NORMAL, note)
                : Judgement.plain(label.detected(), "not learned as normal: " + note);
    }

    /** Why the sample cannot be judged, or null. */
    private static String lack(Sample sample) {
        if (sample.straddlesEpochs()) {
            return "a reconfiguration fell into the interval";
        }
        if (!sample.has(Metric.RESPONSE_TIME) || !sample.has(Metric.THROUGHPUT)) {
            return "no " + (sample.has(Metric.RESPONSE_TIME) ? "throughput" : "response time") + " was measured";
        }
        return sample.get(Metric.THROUGHPUT) > 0 ? null : "no request was completed";
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

    private static Judgement ask(Features features, MetricBaseline learning, Detector.Tree tree, Policy policy) {
        if (!learning.ready() && tree.model().relative()) {
            return Judgement.plain(Label.NO_INTERFERENCE, "learning what is normal, " + learning.medians().count()
                    + " of " + MedianWindow.MIN_VALUES + " samples");
        }
        Classification answer = classify(features, learning, tree);
        List<Metric> late = answer.bridged() ? late(learning, features.sample(), tree) : List.of();
        if (!late.isEmpty()) {
            return learn(learning, features, policy, late);
        }
        return Judgement.plain(answer.believed(), answer.unsure()
                ? "attributes are missing and the tree is not sure without them" : "");
    }

    private static Classification classify(Features features, MetricBaseline learning, Detector.Tree tree) {
        return tree.model().tree().classify(attribute -> value(attribute, features, learning));
    }

    private static double value(Attribute attribute, Features features, MetricBaseline learning) {
        return learning.knows(attribute) ? features.get(attribute) : Double.NaN;
    }

    /** Where evidence other than requests decides, it decides at once. */
    private static Judgement askWithout(Features features, String few, MetricBaseline learning, Detector.Tree tree) {
        if (!learning.ready() && tree.model().relative()) {
            return Judgement.none(few);
        }
        Classification answer = classify(features, learning, tree);
        return answer.bridged() ? Judgement.none(few) : Judgement.plain(answer.believed(), few);
    }

    /** What the tree tests and the sample has, but whose median comes from too few samples. */
    private static List<Metric> late(MetricBaseline learning, Sample sample, Detector.Tree tree) {
        return tree.model().tree().attributes().stream().filter(attribute -> !learning.knows(attribute))
                .flatMap(attribute -> attribute.learned().stream()).filter(sample::has).distinct().toList();
    }

    /**
     * A metric that is measured only since what is normal was learned (a new sensor, another tree) is learned at the
     * baseline, as the others were at the very first start; but not from a sample that looks like interference.
     */
    private static Judgement learn(MetricBaseline learning, Features features, Policy policy, List<Metric> late) {
        double slower = features.responseTime() / features.medians().get(Metric.RESPONSE_TIME);
        boolean suspicious = slower > SLOW_RATIO || policy.knowledge().doubt(features).isPresent()
                || policy.knowledge().independentSignals().stream()
                .anyMatch(signal -> learning.knows(signal.attribute()) && signal.holds(features));
        Label label = suspicious ? Label.TRANSIENT : Label.NO_INTERFERENCE;
        return new Judgement(label, label, null, "learning what is normal: " + late.stream()
                .map(metric -> metric.column() + ", " + learning.size(metric) + " of " + MedianWindow.MIN_VALUES + " samples")
                .collect(Collectors.joining("; ")) + (suspicious ? "; not from this one, which may be interference" : ""),
                late);
    }
}
