// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Numbers;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.plan.DecisionContext;
import org.ic2.knowledge.control.plan.HarmPlan;
import org.ic2.knowledge.control.plan.Proposal;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ControllerState;

/** Writes a decision down with everything that went in. */
final class Explanation {
    private static final List<Metric> METRICS = List.of(Metric.values());
    private static final List<String> MEDIAN_NAMES =
            Attribute.LEARNED.stream().map(metric -> "median." + metric.column()).toList();

    private Explanation() {
    }

    /** The decision that led from {@code context} to {@code next}. */
    static Decision decision(DecisionContext context, Proposal proposal, ControllerState next, Policy policy) {
        Judgement judgement = context.judgement();
        return new Decision("d-" + next.sequence(), context.features().sample().time(), proposal.action(),
                proposal.scenario(), proposal.reason(), context.before().state(), next.state(),
                Optional.ofNullable(judgement.detected()), Optional.ofNullable(judgement.believed()),
                context.current(), proposal.desired(), proposal.rules(),
                evidence(judgement, proposal, context.features(), policy),
                numbers(context, proposal, next, policy), HarmPlan.harm(context, policy));
    }

    private static List<String> evidence(Judgement judgement, Proposal proposal, Features features, Policy policy) {
        if (!proposal.action().applies() && proposal.evidence().isEmpty()) {
            return judgement.note().isEmpty() ? List.of() : List.of(judgement.note());
        }
        List<String> evidence = new ArrayList<>(proposal.evidence());
        if (!judgement.note().isEmpty()) {
            evidence.add(judgement.note());
        }
        if (judgement.judged() && policy.detector() instanceof Detector.Tree tree) {
            evidence.add("tree: " + tree.model().tree().path(features::get));
        }
        return evidence;
    }

    private static Numbers numbers(DecisionContext context, Proposal proposal, ControllerState next,
            Policy policy) {
        Features features = context.judgement().judged() ? context.acted()
                : new Features(context.gathered().interval(), context.before().medians());
        ActionHistory before = context.before().ledger();
        Numbers.Builder numbers = new Numbers.Builder(64);
        Sample sample = features.sample();
        for (Metric metric : METRICS) {
            numbers.put(metric.column(), sample.get(metric));
        }
        numbers.putAll(sample.others());
        for (int i = 0; i < MEDIAN_NAMES.size(); i++) {
            numbers.put(MEDIAN_NAMES.get(i), features.medians().get(Attribute.LEARNED.get(i)));
        }
        numbers.put("median.count", features.medians().count());
        numbers.putAll(proposal.numbers());
        numbers.put("policy.target_response_time", policy.targetResponseTime());
        numbers.put("policy.cool_down", policy.coolDown().toMillis() / 1000.0);
        if (before.last() >= 0) {
            numbers.put("control.since_last_action", (next.now() - before.last()) / 1000.0);
        }
        numbers.put("control.actions_in_last_hour", next.ledger().inLastHour(next.now()));
        numbers.put("control.relapses", next.backoff().relapses());
        numbers.put("control.slow_samples", next.counters().slow());
        Backoff backoff = context.backoff();
        if (backoff.probe() != null && backoff.probe().slow() > 0 && backoff.recent(next.now(), policy.relapseWindow())) {
            numbers.put("probe.slow_time", backoff.probe().slow() / 1000.0);
            numbers.put("probe.slow_requests", backoff.probe().requests());
        }
        return numbers.build();
    }
}
