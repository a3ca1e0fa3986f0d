// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.ic2.host.control.ResponseTimeController.Heard;
import org.junit.jupiter.api.Test;

/** Equation 3 of the joint controller. */
class ResponseTimeControllerTest {
    private static final ResponseTimeController PAPER = ResponseTimeController.ofPaper();

    private static Heard heard(Heard from, int samples, double requests, double rt) {
        Heard heard = from;
        for (int i = 0; i < samples; i++) {
            heard = PAPER.hear(heard, 0.1, 3, requests, rt, false);
        }
        return heard;
    }

    @Test
    void vectors() {
        assertThat(PAPER.next(0.8, 0.1, 0.05)).isCloseTo(0.85, within(1e-12));
        assertThat(PAPER.next(0.8, 0.1, 1)).isEqualTo(0.5);
        assertThat(PAPER.next(0.93, 0.1, 0.05)).isEqualTo(0.95);
        assertThat(PAPER.next(0.8, 0.1, 0.1)).isEqualTo(0.8);
    }

    @Test
    void itStepsEveryTwelveSecondsWithTheMeanOfAllRequests() {
        Heard three = PAPER.hear(heard(PAPER.begin(), 2, 100, 0.02), 0.1, 3, 300, 0.05, false);
        assertThat(three.reference()).isEqualTo(0.8);
        Heard four = PAPER.hear(three, 0.1, 3, 500, 0.0618, false);
        assertThat(four.last()).isCloseTo(0.0499, within(1e-9));
        assertThat(four.reference()).isCloseTo(0.8501, within(1e-9));
        assertThat(four.seconds()).isZero();
    }

    @Test
    void itHoldsWithoutResponseTimesOrWithFewRequests() {
        Heard silent = heard(PAPER.begin(), 4, Double.NaN, Double.NaN);
        assertThat(silent.reference()).isEqualTo(0.8);
        assertThat(silent.held()).contains("no response time was told");
        Heard few = heard(PAPER.begin(), 4, 2, 1);
        assertThat(few.reference()).isEqualTo(0.8);
        assertThat(few.held()).contains("fewer than 10 requests were told of");
        Heard enough = PAPER.hear(heard(few, 3, 2, 1), 0.1, 3, 4, 1, false);
        assertThat(enough.reference()).isEqualTo(0.5);
        assertThat(enough.held()).isEmpty();
    }

    @Test
    void whileTheTenantReconfiguresItHoldsAndThenListensAnew() {
        Heard three = heard(PAPER.begin(), 3, 100, 1);
        Heard busy = PAPER.hear(three, 0.1, 3, 100, 1, true);
        assertThat(busy.reference()).isEqualTo(0.8);
        assertThat(busy.held()).contains("its tenant reconfigures");
        Heard after = heard(busy, 3, 100, 0.05);
        assertThat(after.reference()).as("a whole period after it").isEqualTo(0.8);
        assertThat(heard(after, 1, 100, 0.05).reference()).isCloseTo(0.85, within(1e-9));
    }

    @Test
    void requestsWithoutAResponseTimeAreNotCounted() {
        assertThat(heard(PAPER.begin(), 4, 100, Double.NaN).held()).contains("no response time was told");
    }

    @Test
    void whatCannotControlIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ResponseTimeController(0, 0.5, 0.95, 12));
        assertThatIllegalArgumentException().isThrownBy(() -> new ResponseTimeController(0.1, 0.95, 0.5, 12));
        assertThatIllegalArgumentException().isThrownBy(() -> new ResponseTimeController(0.1, 0.5, 1.1, 12))
                .withMessageContaining("[0.5, 1.1]");
    }

    @Test
    void oursGivesAtOnceAndTakesBackSlowly() {
        ResponseTimeController ours = ResponseTimeController.ofPaper().withRise(0.25);

        assertThat(ours.next(0.8, 0.1, 0.05)).as("a quarter of 0.1 (100 - 50) / 100 upwards").isCloseTo(0.8125, within(1e-9));
        assertThat(ours.next(0.8, 0.1, 0.15)).as("all of it downwards").isCloseTo(0.75, within(1e-9));
        assertThatIllegalArgumentException().isThrownBy(() -> ours.withRise(0)).withMessageContaining("rise: expected a share");
    }
}
