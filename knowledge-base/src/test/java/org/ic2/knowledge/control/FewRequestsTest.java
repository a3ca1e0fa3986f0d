// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.junit.jupiter.api.Test;

/** A small site: fewer requests in an interval than make a sample. */
class FewRequestsTest {
    private static Policy shipped() {
        return Policy.builder(Tier.BASE, Tier.BOUNDS, new Detector.Tree(Shipped.classifier()), Shipped.rules())
                .targetResponseTime(0.2).build();
    }

    /** The same with so many requests a second. */
    private static UnaryOperator<Sample.Builder> few(int requests, UnaryOperator<Sample.Builder> conditions) {
        return sample -> conditions.apply(sample).set(Metric.REQUESTS, requests).set(Metric.THROUGHPUT, requests)
                .set(Metric.RESPONSE_TIME, requests == 0 ? Double.NaN
                        : conditions.apply(Sample.at(Tier.START)).build().get(Metric.RESPONSE_TIME))
                .set(Metric.CPU_UTIL, requests / 100.0);
    }

    private static Tier settled(Policy policy, int requests) {
        Tier tier = new Tier(policy);
        tier.feed(MedianWindow.MIN_VALUES * 12, few(requests, Tier::quiet));
        assertThat(tier.state.state()).isEqualTo(State.NI2);
        assertThat(tier.state.learning().ready()).isTrue();
        return tier;
    }

    @Test
    void theRequestsOfSeveralIntervalsMakeASample() {
        Tier tier = new Tier(Tier.policy().build());
        assertThat(tier.feed(2, few(4, Tier::quiet)).reason()).isEqualTo("only 8 of the 10 requests of a sample in 2s");
        Decision decision = tier.feed(sample -> few(4, Tier::quiet).apply(sample).set(Metric.RESPONSE_TIME, 0.4)
                .set(Metric.ERROR_RATE, 3).set(Metric.CPU_UTIL, 0.1).set(Metric.CPU_USED, 0.04));
        assertThat(decision.tree()).isPresent();
        assertThat(decision.numbers().get("requests")).isEqualTo(12);
        assertThat(decision.numbers().get("throughput")).isEqualTo(4);
        assertThat(decision.numbers().get("response_time")).isCloseTo((8 * 0.04 + 4 * 0.4) / 12, within(1e-9));
        assertThat(decision.numbers().get("error_rate")).isCloseTo(1, within(1e-9));
        assertThat(decision.numbers().get("load_per_operation")).isCloseTo(0.06 / 4, within(1e-9));
        assertThat(decision.numbers().get("load_per_operation_used")).as("of quiet, 0.01 is stolen")
                .isCloseTo((0.03 + 0.03 + 0.04) / 3 / 4, within(1e-9));
        assertThat(tier.feed(few(4, Tier::quiet)).reason()).as("each request counts once")
                .isEqualTo("only 4 of the 10 requests of a sample in 1s");
    }

    @Test
    void theirMixIsAddedUpToo() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(2, sample -> mix(few(4, Tier::quiet).apply(sample), 3));
        tier.feed(sample -> mix(few(4, Tier::quiet).apply(sample), 6));
        assertThat(tier.state.gathering().latest().get(Metric.MIX_HOME)).isCloseTo(4, within(1e-9));
        tier.feed(2, few(4, Tier::quiet));
        tier.feed(sample -> mix(few(4, Tier::quiet).apply(sample), 6));
        assertThat(tier.state.gathering().latest()).as("not measured in all of them").doesNotContainKey(Metric.MIX_HOME);
    }

    private static Sample.Builder mix(Sample.Builder sample, double home) {
        return sample.set(Metric.MIX_HOME, home);
    }

    @Test
    void aSmallSiteIsMitigatedAndRestored() {
        Tier tier = settled(Tier.policy().build(), 4);
        tier.until(Action.MITIGATE, 12, few(4, Tier::noisy));
        tier.feed(60, few(4, Tier::noisy));
        assertThat(tier.level()).isEqualTo(4);
        tier.feed(240, few(4, Tier::quiet));
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void oneSlowSecondConfirmsNothing() {
        Tier tier = settled(Tier.policy().build(), 4);
        tier.feed(few(4, Tier::noisy));
        tier.feed(60, few(4, Tier::quiet));
        assertThat(tier.actions()).isEmpty();
    }

    @Test
    void anIndependentSignalNeedsNoRequestsAndTheActionWaitsForThemAlone() {
        Tier tier = settled(shipped(), 1);
        assertThat(tier.feed(3, few(0, Tier::noisy)).state()).isEqualTo(State.I2);
        Decision waiting = tier.feed(few(1, Tier::noisy));
        assertThat(waiting.scenario()).as("%s", waiting).isEqualTo(Scenario.BELOW_TARGET);
        tier.until(Action.MITIGATE, 20, few(1, Tier::noisy));
        Decision unknown = tier.feed(2, few(1, Tier::noisy));
        assertThat(unknown.scenario()).isEqualTo(Scenario.NOT_JUDGED);
        assertThat(unknown.reason()).contains("no response time was measured", "only 1 of the 10 requests");
    }

    @Test
    void withoutAnyRequestTheBaselineIsRestored() {
        Tier tier = settled(shipped(), 4);
        tier.until(Action.MITIGATE, 20, few(4, Tier::noisy));
        Decision decision = tier.until(Action.RESTORE, 17, few(0, Tier::noisy));
        assertThat(decision.scenario()).isEqualTo(Scenario.STALE);
        tier.feed(60, few(0, Tier::noisy));
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void requestsBeforeAReconfigurationDoNotCountAfterIt() {
        Tier tier = settled(shipped(), 4);
        tier.until(Action.MITIGATE, 20, few(4, Tier::noisy));
        tier.feed(1, few(4, Tier::noisy));
        assertThat(tier.feed(2, few(4, Tier::noisy)).reason()).contains("only 8 of the 10 requests of a sample in 2s");
    }

    @Test
    void gatheredSamplesSurviveTheirJson() {
        Tier tier = settled(shipped(), 4);
        tier.feed(few(4, Tier::quiet));
        ControlJson json = new ControlJson();
        assertThat(json.readState("state.json", json.write(tier.state))).isEqualTo(tier.state);
    }
}
