// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.junit.jupiter.api.Test;

/** A metric that the tree tests and that was not measured while the others were learned. */
class LateMetricTest {
    private static Policy shipped() {
        return Policy.builder(Tier.BASE, Tier.BOUNDS, new Detector.Tree(Shipped.classifier()), Shipped.rules())
                .targetResponseTime(0.2).build();
    }

    private static Tier withoutSteal() {
        Tier tier = new Tier(shipped());
        tier.feed(100, Tier.blind(Tier::quiet));
        assertThat(tier.state.learning().ready()).isTrue();
        assertThat(tier.state.medians().get(Metric.STEAL)).isNaN();
        return tier;
    }

    @Test
    void stealThatIsMeasuredOnlyLaterIsLearnedAndThenANeighbourIsMitigated() {
        Tier tier = withoutSteal();
        assertThat(tier.state.state()).as("the tree tests steal alone").isEqualTo(State.T);
        ControlJson json = new ControlJson();
        tier.state = json.readState("state.json", json.write(tier.state)).restarted(Tier.BASE);
        Decision learning = tier.feed(5, Tier::quiet);
        assertThat(learning.state()).isEqualTo(State.NI2);
        assertThat(learning.evidence()).containsExactly("learning what is normal: steal, 3 of 20 samples");
        tier.feed(25, Tier::quiet);
        assertThat(tier.state.medians().get(Metric.STEAL)).isEqualTo(0.01);
        assertThat(tier.feed(Tier::quiet).evidence()).isEmpty();
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }

    @Test
    void aNeighbourWhoIsThereMeanwhileDoesNotBecomeNormal() {
        Tier tier = withoutSteal();
        Decision decision = tier.feed(60, Tier::noisy);
        assertThat(decision.tree()).contains(Label.TRANSIENT);
        assertThat(decision.reason()).contains("steal, 0 of 20 samples", "may be interference");
        assertThat(tier.actions()).isEmpty();
        assertThat(tier.state.medians().get(Metric.STEAL)).isNaN();
        tier.feed(30, Tier::quiet);
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }

    @Test
    void fullWindowsDoNotSlowItDown() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(300, Tier.blind(Tier::quiet));
        tier.policy = shipped();
        tier.feed(30, Tier::quiet);
        assertThat(tier.state.learning().size(Metric.STEAL)).isGreaterThanOrEqualTo(MedianWindow.MIN_VALUES);
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }

    @Test
    void aTreeWhoseAnswerDoesNotDependOnItWaitsForNothing() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(100, Tier.blind(Tier::quiet));
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }

    @Test
    void aMitigationThatIsInForceMeanwhileIsTakenBackFirst() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(100, Tier.blind(Tier::quiet));
        tier.feed(25, Tier.blind(Tier::noisy));
        assertThat(tier.running).isNotEqualTo(Tier.BASE);
        tier.policy = shipped();
        tier.state = tier.state.restarted(tier.running);
        tier.feed(200, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.state.medians().get(Metric.STEAL)).isEqualTo(0.01);
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }
}
