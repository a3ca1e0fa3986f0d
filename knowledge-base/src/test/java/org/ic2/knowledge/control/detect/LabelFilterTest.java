// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.Backoff;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which label is believed where a mitigation may hide what it cures. */
class LabelFilterTest {
    private static Judgement judge(Moment moment, Label label) {
        return LabelFilter.believed(Judgement.plain(label, ""), moment.features(), null, true, moment.reconciled(), moment.backoff,
                moment.policy);
    }

    private static Moment mitigated(long seconds, String... signals) {
        Moment moment = new Moment().mitigated(1, seconds, signals);
        moment.conditions = Tier::hidden;
        return moment;
    }

    @ParameterizedTest
    @EnumSource(Label.class)
    void atTheBaselineEveryLabelIsBelieved(Label label) {
        Moment moment = new Moment();
        moment.conditions = Tier::hidden;
        assertThat(judge(moment, label)).isEqualTo(Judgement.plain(label, ""));
    }

    @ParameterizedTest
    @EnumSource(value = Label.class, names = {"NO_INTERFERENCE", "TRANSIENT"})
    void anIndependentSignalThatWasRaisedAtTheStartIsBelievedForAnHour(Label label) {
        Judgement hidden = judge(mitigated(3599, "steal_excess"), label);
        assertThat(hidden.detected()).isEqualTo(label);
        assertThat(hidden.believed()).isEqualTo(Label.INTERFERENCE);
        assertThat(hidden.scenario()).isEqualTo(Scenario.HIDDEN);
        assertThat(judge(mitigated(3600, "steal_excess"), label).believed()).isEqualTo(label);
    }

    @Test
    void anIndependentSignalThatHasFallenNeedsNoHold() {
        Moment moment = mitigated(1, "steal_excess");
        moment.conditions = Tier::quiet;
        assertThat(judge(moment, Label.NO_INTERFERENCE).believed()).isEqualTo(Label.NO_INTERFERENCE);
    }

    @Test
    void withoutAnIndependentSignalQuietIsBelievedAfterAHoldThatDoublesWithEachRelapse() {
        Judgement holding = judge(mitigated(29), Label.NO_INTERFERENCE);
        assertThat(holding.believed()).isEqualTo(Label.TRANSIENT);
        assertThat(holding.scenario()).isEqualTo(Scenario.HOLDING);
        assertThat(holding.note()).isEqualTo("1s of a hold of 30s are left");
        assertThat(judge(mitigated(30), Label.NO_INTERFERENCE).believed()).isEqualTo(Label.NO_INTERFERENCE);
        Moment relapsed = mitigated(59);
        relapsed.backoff = new Backoff(1, -1, false);
        assertThat(judge(relapsed, Label.NO_INTERFERENCE).note()).isEqualTo("1s of a hold of 60s are left");
    }

    @Test
    void interferenceIsAlwaysBelievedAndSoIsAMissRate() {
        assertThat(judge(mitigated(5), Label.INTERFERENCE)).isEqualTo(Judgement.plain(Label.INTERFERENCE, ""));
        Moment missRate = mitigated(5, "steal_excess");
        missRate.policy = Policy.builder(Tier.BASE, Tier.BOUNDS, new Detector.MissRate(0.1, 0.3), Shipped.rules())
                .build();
        assertThat(judge(missRate, Label.NO_INTERFERENCE).believed()).isEqualTo(Label.NO_INTERFERENCE);
    }

    @Test
    void anUnjudgedSampleStaysUnjudged() {
        Moment moment = mitigated(5, "steal_excess");
        Judgement none = Judgement.none("no response time was measured");
        assertThat(LabelFilter.believed(none, moment.features(), null, true, moment.reconciled(), moment.backoff, moment.policy))
                .isEqualTo(none);
    }
}
