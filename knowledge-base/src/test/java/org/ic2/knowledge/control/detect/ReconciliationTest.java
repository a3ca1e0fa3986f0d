// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.Moment;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.detect.Reconciliation.Finding;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Counters;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** What is made of the values that a sample shows in force. */
class ReconciliationTest {
    private static final Settings OLD = Tier.BASE.with(Lever.MITIGATION, 1);
    private static final Settings WANTED = Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 400).with(Lever.MITIGATION, 2);

    /** An action so many seconds before this sample. */
    private static Moment acted(int seconds) {
        Moment moment = new Moment().mitigated(2, 60);
        moment.running = WANTED;
        moment.pending = new Pending(OLD, Moment.NOW - 1000L * seconds);
        moment.ledger = ActionHistory.empty().plus(Moment.NOW - 1000L * seconds).withFailures(1);
        return moment;
    }

    private static Reconciliation seen(Moment moment, Settings shown) {
        return Reconciliation.of(moment.before(), moment.sample(shown), moment.policy);
    }

    @Test
    void aSampleThatShowsTheNewValuesConfirmsTheAction() {
        Reconciliation seen = seen(acted(2), WANTED);
        assertThat(seen.finding()).isEqualTo(Finding.AGREED);
        assertThat(seen.now()).isEqualTo(Moment.NOW);
        assertThat(seen.pending()).isNull();
        assertThat(seen.ledger().failures()).isZero();
        assertThat(seen.episode()).isNotNull();
    }

    @Test
    void unreadableValuesAreConfirmedByTime() {
        assertThat(seen(acted(9), Settings.none()).pending()).isNotNull();
        assertThat(seen(acted(10), Settings.none()).pending()).isNull();
    }

    @Test
    void aTimeAwayEndsWhenTheBaselineIsSeen() {
        Moment moment = acted(2);
        moment.running = Tier.BASE;
        assertThat(seen(moment, Tier.BASE).episode()).isNull();
    }

    @Test
    void theOldValuesInTheVeryNextSampleAreARefusal() {
        Reconciliation seen = seen(acted(1), OLD);
        assertThat(seen.finding()).isEqualTo(Finding.REFUSED);
        assertThat(seen.configuration()).isEqualTo(OLD);
        assertThat(seen.ledger().lastHour()).isEmpty();
        assertThat(seen.ledger().failures()).isEqualTo(1);
    }

    @Test
    void theOldValuesLaterAreAFailureOnceTheActionIsOverdue() {
        assertThat(seen(acted(9), OLD)).returns(Finding.AGREED, Reconciliation::finding)
                .returns(WANTED, Reconciliation::configuration);
        Reconciliation overdue = seen(acted(10), OLD);
        assertThat(overdue.finding()).isEqualTo(Finding.NOT_APPLIED);
        assertThat(overdue.configuration()).isEqualTo(OLD);
        assertThat(overdue.ledger().failures()).isEqualTo(2);
    }

    @Test
    void aKnobThatWasLeftOutOnTheWayAwayIsNoFailure() {
        Settings partly = WANTED.with(Lever.MAX_REQUEST_WORKERS, Tier.BASE.get(Lever.MAX_REQUEST_WORKERS));
        Reconciliation overdue = seen(acted(10), partly);
        assertThat(overdue.finding()).isEqualTo(Finding.AGREED);
        assertThat(overdue.configuration()).isEqualTo(partly);
        assertThat(overdue.ledger().failures()).isZero();
    }

    @Test
    void aForeignValueCountsFromTheSecondSample() {
        Settings foreign = WANTED.with(Lever.MAX_REQUEST_WORKERS, 500);
        Moment moment = acted(2);
        Reconciliation first = seen(moment, foreign);
        assertThat(first).returns(Finding.AGREED, Reconciliation::finding).returns(1, Reconciliation::foreign)
                .returns(WANTED, Reconciliation::configuration);
        moment.counters = new Counters(100, Moment.NOW, 0, 0, 1);
        Reconciliation second = seen(moment, foreign);
        assertThat(second).returns(Finding.FOREIGN, Reconciliation::finding)
                .returns(foreign, Reconciliation::configuration);
        assertThat(second.manualSettings()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
        assertThat(second.manual()).startsWith("someone else changed max-request-workers from 400 to 500");
    }

    @Test
    void adviceAndASampleOfTwoEpochsAreComparedWithNothing() {
        Moment advising = acted(20);
        advising.policy = advising.policy.withActing(false);
        assertThat(seen(advising, OLD).configuration()).isEqualTo(WANTED);
        Moment moment = acted(20);
        Sample straddling = moment.sample(OLD).toBuilder().epochs(1, 2).build();
        assertThat(Reconciliation.of(moment.before(), straddling, moment.policy)).isEqualTo(moment.reconciled());
    }
}
