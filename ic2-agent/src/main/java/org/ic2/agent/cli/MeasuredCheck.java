// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.agent.sensor.AccessLogSensor;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.rules.NeverQuiet;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.Unrest;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.yaml.Durations;

/** Whether what the managed tier's sensors measure is enough to judge by. */
final class MeasuredCheck {

    /** Of fewer a mean is chance. */
    private static final int LEAST_REQUESTS = 5;

    private final AgentConfig config;
    private final Policy policy;
    private final Map<Quantity, Double> measured = new HashMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();
    private String responseTimeFrom = "";
    private double allRequests = Double.NaN;

    MeasuredCheck(AgentConfig config) {
        this.config = config;
        this.policy = config.policy();
    }

    /** Takes a sensor's reading; of two that measure the same, the first counts. */
    void add(String label, Reading reading) {
        Map<Quantity, Double> values = config.managed().strangers().contains(label)
                ? MemberConfig.withoutRequests(reading.values()) : reading.values();
        boolean none = measured.getOrDefault(Metric.REQUESTS, 1.0) == 0;
        if (values.containsKey(Metric.RESPONSE_TIME) && !measured.containsKey(Metric.RESPONSE_TIME) && !none) {
            responseTimeFrom = label;
            allRequests = reading.extras().getOrDefault(AccessLogSensor.ALL_REQUESTS, Double.NaN);
        }
        values.forEach((quantity, value) -> {
            if (!none || quantity != Metric.RESPONSE_TIME) {
                measured.putIfAbsent(quantity, value);
            }
        });
        if (reading.values().isEmpty() && reading.problem().isPresent()) {
            broken.add(label);
        }
    }

    List<Finding> findings() {
        need(Metric.THROUGHPUT, "add a sensor: mod-status, access-log or faban-log");
        need(Metric.RESPONSE_TIME, "add a sensor: mod-status (with ExtendedStatus On), access-log or faban-log");
        need(Metric.CPU_UTIL, "add a sensor: sysstat, or cgroup for a tier in a container");
        if (policy.felt() == Metric.RESPONSE_TIME_P95) {
            need(Metric.RESPONSE_TIME_P95, "target-response-time-of: p95 needs a sensor access-log");
        }
        if (policy.detector() instanceof Detector.MissRate) {
            need(Metric.CMR, "the detector cmr needs hardware counters: a sensor perf or ocount that counts");
        }
        if (policy.detector() instanceof Detector.Tree tree) {
            checkTested(tree);
        }
        checkResponseTime();
        checkRequests();
        if (policy.safeguards().hidden()) {
            checkSignals();
        }
        checkNormal();
        return findings;
    }

    private void say(boolean ok, String what, String text) {
        findings.add(new Finding(ok, false, what, text));
    }

    private void need(Metric metric, String remedy) {
        boolean unanswered = metric == Metric.RESPONSE_TIME || metric == Metric.RESPONSE_TIME_P95;
        if (!measured.containsKey(metric) && !(unanswered && measured.getOrDefault(Metric.REQUESTS, 1.0) == 0)) {
            findings.add(new Finding(false, true, metric.column(), "no sensor of " + config.managed().name()
                    + " measures it; " + (broken.isEmpty() ? "" : "mend " + String.join(", ", broken) + " (above), or ")
                    + remedy));
        }
    }

    /** A test on what nobody measures leaves the tree unsure, and the agent blind. */
    private void checkTested(Detector.Tree tree) {
        Set<Quantity> known = new HashSet<>(Set.of(Metric.THROUGHPUT, Metric.RESPONSE_TIME, Metric.CPU_UTIL,
                Metric.LOAD_PER_OPERATION, Metric.WORK_DONE));
        if (measured.containsKey(Metric.CPU_USED)) {
            known.add(Metric.LOAD_PER_OPERATION_USED);
        }
        if (measured.containsKey(Metric.STEAL) && measured.containsKey(Metric.CPU_UTIL)) {
            known.add(Metric.STEAL_OF_DEMAND);
        }
        if (measured.containsKey(Metric.CPU_USED) && measured.keySet().containsAll(Metric.MIX)) {
            known.add(Metric.COST_PER_MIX);
        }
        config.vocabulary().knobs().forEach(knob -> known.add(knob.quantity()));
        if (!tree.model().relative() && !tree.model().tree().attributes().isEmpty()) {
            say(false, "classifier", "it asks for values as measured (" + tree.model().tree().attributes().stream().map(Attribute::name).distinct()
                    .collect(Collectors.joining(", ")) + "), so it fits the machine on which it was trained: train it on yours");
        }
        String unknown = tree.model().tree().attributes().stream().map(Attribute::quantity).distinct()
                .filter(quantity -> !known.contains(quantity) && !measured.containsKey(quantity))
                .map(Quantity::column).collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            findings.add(new Finding(false, true, "classifier", "it tests " + unknown + ", which no sensor of "
                    + config.managed().name() + " measures, so it will hardly ever be sure; add a sensor, or take"
                    + " detector: {type: tree, model: " + Shipped.WITHOUT_STEAL + "}, which needs none"));
        }
    }

    /** Of which requests the response time is. */
    private void checkResponseTime() {
        Double seconds = measured.get(Metric.RESPONSE_TIME);
        if (seconds == null) {
            return;
        }
        say(true, Metric.RESPONSE_TIME.column(), Rounded.four(seconds) + "s, by " + responseTimeFrom
                + (Double.isNaN(allRequests) ? ": the mean of all requests; if pages come with static files, name a"
                + " sensor access-log with exclude: [static] before it"
                : ": the mean of " + Rounded.four(measured.get(Metric.THROUGHPUT)) + " of " + Rounded.four(allRequests)
                + " requests a second"));
    }

    /** How long it takes until there are enough requests to judge by. */
    private void checkRequests() {
        Double throughput = measured.get(Metric.THROUGHPUT);
        if (throughput == null || !measured.containsKey(Metric.REQUESTS)) {
            return;
        }
        String least = "min-requests (" + policy.minRequests() + ")";
        double interval = config.interval().toMillis() / 1000.0;
        if (throughput == 0) {
            say(false, Metric.REQUESTS.column(), "none was completed while this looked; a sample needs " + least);
        } else if (throughput * interval >= policy.minRequests()) {
            say(true, Metric.REQUESTS.column(), Rounded.four(throughput) + " a second: an interval of "
                    + Durations.format(config.interval()) + " has " + least);
        } else {
            long intervals = (long) Math.ceil(policy.minRequests() / (throughput * interval));
            long seconds = (long) Math.ceil(policy.minRequests() / throughput);
            long fewer = (long) (2 * throughput * interval);
            say(true, Metric.REQUESTS.column(), Rounded.four(throughput) + " a second: " + least + " come together in "
                    + intervals + " intervals, so the response times of a neighbour are confirmed after about "
                    + Rounded.four(3 * intervals * interval) + "s; interval: " + Durations.format(Duration.ofSeconds(seconds))
                    + " fits as well" + (measured.getOrDefault(Metric.STEAL, 0.0) > 0 ? ". Steal tells sooner"
                    : intervals > 2 && fewer >= LEAST_REQUESTS ? ". Nothing tells sooner without steal; with safety: {min-requests: "
                    + fewer + "} it takes about " + Rounded.four(6 * interval) + "s" : ""));
        }
    }

    private void checkSignals() {
        StringJoiner seen = new StringJoiner(", ");
        StringJoiner missing = new StringJoiner(", ");
        boolean moving = false;
        for (Quantity signal : policy.knowledge().independentSignals().stream()
                .map(condition -> condition.attribute().quantity()).distinct().filter(MeasuredCheck::isMeasured).toList()) {
            Double value = measured.get(signal);
            if (value == null) {
                missing.add(signal.column());
            } else {
                seen.add(signal.column() + " " + Rounded.four(value));
                moving |= value > 0;
            }
        }
        say(moving, "signals", moving ? seen + ": evidence that mitigation cannot hide" : seen.length() > 0
                ? seen + ": a host that reports none looks the same, and then it is no evidence. See that it rises while a"
                + " neighbour is active" + (missing.length() > 0 ? "; there is no " + missing : "")
                : (missing.length() > 0 ? "none of " + missing : "the rules name none that a sensor measures (independent-signals in the rules)")
                + ": once mitigated, the agent can only try whether the neighbour is gone");
    }

    /** What follows from others is there where they are. */
    private static boolean isMeasured(Quantity quantity) {
        return !(quantity instanceof Metric metric && metric.derived());
    }

    /** Whether what is measured now could be learned as normal. */
    private void checkNormal() {
        if (policy.knowledge().neverNormal().isEmpty()) {
            say(false, "normal", "the rules have no never-normal: a neighbour who is there at the first start becomes what is"
                    + " normal; take that section over from the shipped rules.yaml");
            return;
        }
        Sample.Builder sample = Sample.at(Instant.EPOCH);
        measured.forEach(sample::set);
        Features now = new Features(sample.build(), Medians.none());
        policy.knowledge().neverNormal().stream().filter(condition -> condition.holds(now)).findFirst().ifPresent(condition -> say(false, "normal",
                condition.describe(now) + ": this cannot be normal, so nothing is learned before it is over, or was so in " + Unrest.NEVER_QUIET
                + " samples; if it is always so here, set in ic2.yaml " + NeverQuiet.line(condition.attribute().name(), now.get(condition.attribute()))));
    }
}
