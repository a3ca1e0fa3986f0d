// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.detect.Transition.Trigger;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwoStatesTest {
    private static final Detector.MissRate THRESHOLDS = new Detector.MissRate(0.1, 0.5);

    @ParameterizedTest
    @CsvSource({
        "NI2, 0.15, 0.6, I2,  MITIGATE",
        "NI2, 0.15, 0.5, NI2, NONE",
        "NI2, 0.10, 0.6, NI2, NONE",
        "NI2, NaN,  0.6, NI2, NONE",
        "NI2, 0.15, NaN, NI2, NONE",
        "T,   0.15, 0.6, I2,  MITIGATE",
        "I2,  0.15, 0.1, I2,  NONE",
        "I2,  0.10, 0.1, NI2, RESTORE",
        "I2,  0.10, 0.9, NI2, RESTORE",
        "I2,  NaN,  0.9, I2,  NONE"})
    void everyEdgeAndEverySelfLoop(State state, double cmr, double responseTime, State next, Trigger trigger) {
        Sample sample = Sample.at(Tier.START).set(Metric.CMR, cmr).set(Metric.RESPONSE_TIME, responseTime).build();
        assertThat(TwoStates.step(state, sample, THRESHOLDS)).isEqualTo(new Transition(next, trigger));
    }

    @Test
    void reconfiguresAtOnceAndBackAtOnce() {
        Policy policy = Policy.builder(Tier.BASE, Tier.BOUNDS, THRESHOLDS, Shipped.rules())
                .targetResponseTime(0.2).build();
        Tier tier = new Tier(policy);
        tier.feed(60, sample -> Tier.quiet(sample).set(Metric.CMR, 0.04));
        assertThat(tier.state.state()).isEqualTo(State.NI2);
        assertThat(tier.actions()).isEmpty();
        Decision first = tier.feed(sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.6).set(Metric.CMR, 0.2));
        assertThat(first.action()).isEqualTo(Action.MITIGATE);
        assertThat(first.rules()).contains("llc-miss-rate");
        tier.feed(5, sample -> Tier.hidden(sample).set(Metric.CMR, 0.2));
        assertThat(tier.state.state()).as("the miss rate is not hidden by mitigation").isEqualTo(State.I2);
        Decision back = tier.feed(sample -> Tier.quiet(sample).set(Metric.CMR, 0.04));
        assertThat(back.scenario()).isEqualTo(Scenario.DIRECT_RESTORE);
        assertThat(back.desired()).isEqualTo(Tier.BASE);
    }

    @Test
    void refusesThresholdsThatCannotBe() {
        assertThatThrownBy(() -> new Detector.MissRate(15, 0.5)).hasMessageContaining("detector.threshold");
        assertThatThrownBy(() -> new Detector.MissRate(0.1, Double.NaN)).hasMessageContaining("detector.response-time");
    }
}
