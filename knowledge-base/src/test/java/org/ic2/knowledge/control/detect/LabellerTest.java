// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.junit.jupiter.api.Test;

/** What the detector says to a sample. */
class LabellerTest {
    private static Judgement label(Moment moment, UnaryOperator<Sample.Builder> conditions) {
        moment.conditions = conditions;
        return Labeller.label(moment.features(), null, moment.learning, moment.policy);
    }

    private static Judgement label(UnaryOperator<Sample.Builder> conditions) {
        return label(new Moment(), conditions);
    }

    @Test
    void theTreeTellsQuietFromNoisy() {
        assertThat(label(Tier::quiet).detected()).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(label(Tier::noisy).detected()).isEqualTo(Label.INTERFERENCE);
    }

    @Test
    void aSampleThatLacksWhatAJudgementNeedsSaysWhat() {
        assertThat(label(sample -> sample).note()).isEqualTo("no response time was measured");
        assertThat(label(sample -> sample.set(Metric.RESPONSE_TIME, 0.04)).note())
                .isEqualTo("no throughput was measured");
        assertThat(label(sample -> Tier.quiet(sample).set(Metric.THROUGHPUT, 0)).note())
                .isEqualTo("no request was completed");
        Judgement straddling = label(sample -> Tier.quiet(sample).epochs(1, 2));
        assertThat(straddling.note()).isEqualTo("a reconfiguration fell into the interval");
        assertThat(straddling.judged()).isFalse();
        assertThat(straddling.scenario()).isEqualTo(Scenario.NOT_JUDGED);
    }

    @Test
    void aDetectorThatNeedsNoRequestsCountsWithFewOfThem() {
        Moment moment = new Moment();
        moment.conditions = sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, Double.NaN)
                .set(Metric.THROUGHPUT, Double.NaN);
        assertThat(Labeller.label(moment.features(), "only 3 requests", moment.learning, moment.policy))
                .as("the tree tests load per operation first").isEqualTo(Judgement.none("only 3 requests"));
        moment.policy = Policy.builder(Tier.BASE, Tier.BOUNDS, new Detector.Tree(Shipped.classifier()), Shipped.rules())
                .build();
        assertThat(Labeller.label(moment.features(), "only 3 requests", moment.learning, moment.policy))
                .as("the tree tests steal alone").isEqualTo(Judgement.plain(Label.INTERFERENCE, "only 3 requests"));
        moment.learning = MetricBaseline.none();
        assertThat(Labeller.label(moment.features(), "only 3 requests", moment.learning, moment.policy))
                .isEqualTo(Judgement.none("only 3 requests"));
    }

    @Test
    void whileNothingIsKnownAsNormalOnlyPlainEvidenceIsSuspicious() {
        Moment moment = new Moment();
        moment.learning = MetricBaseline.none();
        Judgement slow = label(moment, Tier.blind(Tier::noisy));
        assertThat(slow.detected()).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(slow.note()).isEqualTo("learning what is normal, 0 of 20 samples");
        Judgement taken = label(moment, Tier::noisy);
        assertThat(taken.detected()).isEqualTo(Label.TRANSIENT);
        assertThat(taken.scenario()).isEqualTo(Scenario.NOT_NORMAL);
        assertThat(taken.note()).isEqualTo("steal 0.45 > 0.1; learning what is normal, 0 of 20 samples");
    }

    @Test
    void aMissRateIsComparedWithItsThreshold() {
        Moment moment = new Moment();
        moment.policy = Policy.builder(Tier.BASE, Tier.BOUNDS, new Detector.MissRate(0.1, 0.3), Shipped.rules()).build();
        assertThat(label(moment, Tier::quiet).note()).isEqualTo("no cache miss rate was measured");
        assertThat(label(moment, sample -> Tier.quiet(sample).set(Metric.CMR, 0.1)))
                .isEqualTo(Judgement.plain(Label.NO_INTERFERENCE, "cmr 0.1 <= 0.1"));
        assertThat(label(moment, sample -> Tier.quiet(sample).set(Metric.CMR, 0.2)))
                .isEqualTo(Judgement.plain(Label.INTERFERENCE, "cmr 0.2 > 0.1"));
    }
}
