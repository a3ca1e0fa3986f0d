// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.detect.Judgement;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.knowledge.control.state.Refusal;
import org.junit.jupiter.api.Test;

/** What one more sample adds to what was known. */
class DecisionContextTest {
    @Test
    void aJudgedSampleMovesTheContextAndTheCounts() {
        Moment moment = new Moment();
        moment.conditions = Tier::noisy;
        moment.judgement = Judgement.plain(Label.INTERFERENCE, "");
        moment.counters = new Counters(5, 0, 2, 0, 0);
        DecisionContext context = moment.counted();
        assertThat(context.state()).isEqualTo(State.T);
        assertThat(context.counters()).isEqualTo(new Counters(6, Moment.NOW, 3, 0, 0));
        moment.conditions = Tier::quiet;
        assertThat(moment.counted().counters().slow()).isZero();
    }

    @Test
    void aSampleThatIsNotJudgedMovesNothing() {
        Moment moment = new Moment();
        moment.judgement = Judgement.none("why");
        moment.counters = new Counters(5, 42, 2, 0, 0);
        DecisionContext context = moment.counted();
        assertThat(context.state()).isEqualTo(moment.state);
        assertThat(context.counters()).isEqualTo(moment.counters);
        assertThat(context.silent()).isEqualTo(Moment.NOW - 42);
        moment.conditions = sample -> Tier.quiet(sample).epochs(1, 2);
        assertThat(moment.counted().silent()).as("a reconfiguration is no silence").isZero();
    }

    @Test
    void failuresAreForgottenWhenTheServerAnswersAgain() {
        Moment moment = new Moment();
        moment.ledger = ActionHistory.empty().withFailures(3);
        assertThat(moment.counted().ledger().failures()).isEqualTo(3);
        moment.counters = new Counters(100, Moment.NOW - 15_000, 0, 0, 0);
        assertThat(moment.counted().ledger().failures()).isZero();
    }

    @Test
    void aTimeAwayBeginsWithWhatIsSeenAndEndsAtTheBaseline() {
        Moment moment = new Moment().mitigated(1, 60);
        moment.episode = null;
        assertThat(moment.counted().episode()).isEqualTo(Episode.at(Moment.NOW));
        moment.mitigated(1, 60).running = Tier.BASE;
        assertThat(moment.counted().episode()).isNull();
        moment.pending = new Pending(Tier.BASE, Moment.NOW - 1000);
        assertThat(moment.counted().episode()).as("not yet confirmed").isEqualTo(moment.episode);
    }

    @Test
    void interferenceConfirmsATimeAwayAndADoubtKeepsIt() {
        Moment moment = new Moment().mitigated(1, 60);
        assertThat(moment.counted().episode()).isEqualTo(moment.episode);
        moment.judgement = Judgement.instead(Label.NO_INTERFERENCE, Label.TRANSIENT, Scenario.HOLDING, "");
        assertThat(moment.counted().episode()).returns(Moment.NOW - 60_000, Episode::confirmed)
                .returns(Moment.NOW, Episode::believed);
        moment.judgement = Judgement.plain(Label.INTERFERENCE, "");
        assertThat(moment.counted().episode()).returns(Moment.NOW, Episode::confirmed)
                .returns(Moment.NOW - 60_000, Episode::since);
    }

    @Test
    void harmIsSureInTheSecondSampleInARow() {
        Moment moment = new Moment().mitigated(1, 60);
        moment.conditions = sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.3);
        assertThat(moment.counted()).returns(null, DecisionContext::harm).returns(1, now -> now.counters().waiting());
        moment.counters = moment.counted().counters();
        assertThat(moment.counted().harm()).isEqualTo("the accept queue waits 0.3s, 0s before the action");
        moment.conditions = Tier::noisy;
        assertThat(moment.counted()).returns(null, DecisionContext::harm).returns(0, now -> now.counters().waiting());
    }

    @Test
    void aRefusalEndsWhenItsTimeIsOver() {
        Moment moment = new Moment();
        moment.refusal = Refusal.from(Moment.NOW - Refusal.FIRST_DURATION + 1, "harm", null);
        assertThat(moment.counted().refusal()).isEqualTo(moment.refusal);
        moment.refusal = Refusal.from(Moment.NOW - Refusal.FIRST_DURATION, "harm", null);
        assertThat(moment.counted().refusal()).isNull();
    }
}
