// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** A web tier on paper: it produces a sample a second, applies what is decided, and keeps every decision. */
public final class Tier {
    public static final Settings BASE = Lever.settings(650, 5000, 50, 0);
    public static final Bounds BOUNDS =
            new Bounds(Lever.settings(300, 5000, 50, 0), Lever.settings(650, 30_000, 400, 4));
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    public Policy policy;
    public ControllerState state = ControllerState.initial(BASE);
    public Settings running = BASE;
    public long epoch;
    public Instant time = START;
    public Duration interval = Duration.ofSeconds(1);
    /** False: what is decided is tried and fails. */
    public boolean applying = true;
    /** True: what is decided is not even tried. */
    public boolean refusing;
    /** Values that do not move. */
    public final Set<Knob> stuck = Knob.set(Set.of());
    public final List<Decision> decisions = new ArrayList<>();
    private boolean reconfigured;

    public Tier(Policy policy) {
        this.policy = policy;
    }

    /** One level an action: most tests are about what there is between actions; ComputedStepTest has the longer ones. */
    public static Policy.Builder policy() {
        return Policy.builder(BASE, BOUNDS, ByHand.detector(), Shipped.rules())
                .targetResponseTime(0.2).ladderStep(LadderStep.ONE);
    }

    /** A tier that has learned what is normal and is in NI2. */
    public static Tier settled(Policy policy) {
        Tier tier = new Tier(policy);
        tier.feed(60, Tier::quiet);
        if (tier.state.state() != State.NI2 || !tier.state.learning().ready()) {
            throw new IllegalStateException("not settled: " + tier.state);
        }
        return tier;
    }

    public static Tier settled() {
        return settled(policy().build());
    }

    /** No neighbour: 40 ms, 115 requests a second. */
    public static Sample.Builder quiet(Sample.Builder sample) {
        return sample.set(Metric.RESPONSE_TIME, 0.04).set(Metric.THROUGHPUT, 115).set(Metric.REQUESTS, 115)
                .set(Metric.CPU_UTIL, 0.6).set(Metric.STEAL, 0.01).set(Metric.CONNECTED_USERS, 120)
                .set(Metric.THINK_TIME, 1).set(Metric.ACCEPT_QUEUE_WAIT, 0).set(Metric.ERROR_RATE, 0);
    }

    /** A neighbour takes half the CPU. */
    public static Sample.Builder noisy(Sample.Builder sample) {
        return quiet(sample).set(Metric.RESPONSE_TIME, 0.45).set(Metric.THROUGHPUT, 87).set(Metric.REQUESTS, 87)
                .set(Metric.CPU_UTIL, 1).set(Metric.STEAL, 0.45);
    }

    /** The same behind a mitigation: LPO and RT look better than normal, steal does not. */
    public static Sample.Builder hidden(Sample.Builder sample) {
        return quiet(sample).set(Metric.RESPONSE_TIME, 0.02).set(Metric.CPU_UTIL, 0.4).set(Metric.STEAL, 0.15);
    }

    /** The same where no steal, run delay, memory latency or counters can be measured. */
    public static UnaryOperator<Sample.Builder> blind(UnaryOperator<Sample.Builder> conditions) {
        return sample -> conditions.apply(sample).set(Metric.STEAL, Double.NaN);
    }

    /** One interval; the decision is carried out at its end. */
    public Decision feed(UnaryOperator<Sample.Builder> conditions) {
        time = time.plus(interval);
        Sample.Builder builder = conditions.apply(Sample.at(time).settings(running)
                .epochs(reconfigured ? epoch - 1 : epoch, epoch));
        return decide(builder.build());
    }

    public Decision decide(Sample sample) {
        DecisionResult decided = Controller.decide(state, sample, policy);
        state = decided.state();
        Decision decision = decided.decision();
        decisions.add(decision);
        reconfigured = decision.applies() && !refusing;
        if (reconfigured) {
            Settings before = running;
            running = applying ? decision.desired() : before;
            stuck.forEach(lever -> running = running.with(lever, before.get(lever)));
            epoch++;
        }
        return decision;
    }

    /** So many intervals alike; the last decision. */
    public Decision feed(int times, UnaryOperator<Sample.Builder> conditions) {
        Decision last = null;
        for (int i = 0; i < times; i++) {
            last = feed(conditions);
        }
        return last;
    }

    /** Intervals alike until an action, at most so many. */
    public Decision until(Action action, int atMost, UnaryOperator<Sample.Builder> conditions) {
        for (int i = 0; i < atMost; i++) {
            Decision decision = feed(conditions);
            if (decision.action() == action) {
                return decision;
            }
        }
        throw new AssertionError("no " + action + " within " + atMost + " samples; the last decision: "
                + decisions.get(decisions.size() - 1));
    }

    /** The decisions that changed something, from the given one on. */
    public List<Decision> actions() {
        return decisions.stream().filter(Decision::applies).toList();
    }

    public int level() {
        return running.get(Lever.MITIGATION);
    }
}
