// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.Pending;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which samples teach what is normal. */
class MetricBaselineTest {
    private static MetricBaseline learned(Consumer<Moment> difference) {
        Moment moment = new Moment();
        difference.accept(moment);
        return moment.context().learned(moment.policy);
    }

    static List<Consumer<Moment>> doubts() {
        return List.of(moment -> moment.state = State.T,
                moment -> moment.judgement = Judgement.plain(Label.TRANSIENT, ""),
                moment -> moment.judgement = Judgement.none(""),
                moment -> moment.episode = Episode.at(Moment.NOW),
                moment -> moment.manual = "by hand",
                moment -> moment.pending = new Pending(Tier.BASE, Moment.NOW - 1000),
                moment -> moment.ledger = ActionHistory.empty().plus(Moment.NOW - 9999),
                moment -> moment.conditions = sample -> Tier.quiet(sample).set(Metric.ERROR_RATE, 6),
                moment -> moment.conditions = sample -> Tier.quiet(sample).set(Metric.STEAL, 0.11),
                moment -> moment.conditions = sample -> Tier.quiet(sample).set(Metric.RUN_DELAY, 0.95),
                moment -> moment.conditions = sample -> Tier.quiet(sample).set(Metric.MEMORY_PRESSURE, 0.2));
    }

    @Test
    void aQuietSecondAtTheBaselineTeaches() {
        MetricBaseline before = new Moment().learning;
        MetricBaseline after = learned(moment -> { });
        assertThat(after.size(Metric.RESPONSE_TIME)).isEqualTo(before.size(Metric.RESPONSE_TIME) + 1);
        assertThat(learned(moment -> moment.ledger = ActionHistory.empty().plus(Moment.NOW - 10_000))).isEqualTo(after);
    }

    @ParameterizedTest
    @MethodSource("doubts")
    void anyDoubtTeachesNothing(Consumer<Moment> doubt) {
        assertThat(learned(doubt)).isEqualTo(new Moment().learning);
    }

    @Test
    void figuresOfOtherRequestsAreNoMeasure() {
        Tier tier = Tier.settled(Tier.policy().requests("the users of driver.log").build());
        MetricBaseline client = tier.state.learning();
        assertThat(client.requests()).isEqualTo("the users of driver.log");
        tier.policy = Tier.policy().requests("all that the server answers").build();
        tier.feed(1, Tier::noisy);
        MetricBaseline server = tier.state.learning();
        assertThat(server.ready()).isFalse();
        assertThat(server.size(Metric.RESPONSE_TIME)).isZero();
        assertThat(server.size(Metric.LOAD_PER_OPERATION)).isZero();
        assertThat(server.size(Metric.STEAL)).as("steal is nobody's").isEqualTo(client.size(Metric.STEAL));
        tier.feed(60, Tier::quiet);
        assertThat(tier.state.learning().ready()).isTrue();
        assertThat(tier.actions()).isEmpty();
        ControlJson json = new ControlJson();
        assertThat(json.readState("state.json", json.write(tier.state)).learning()).isEqualTo(tier.state.learning());
    }

    @Test
    void learningFromUnnamedRequestsCountsForNamedOnes() {
        Tier tier = Tier.settled();
        assertThat(tier.state.learning().requests()).isNull();
        tier.policy = Tier.policy().requests("all that the server answers").build();
        tier.feed(1, Tier::quiet);
        assertThat(tier.state.learning().ready()).isTrue();
        assertThat(tier.state.learning().requests()).isEqualTo("all that the server answers");
    }
}
