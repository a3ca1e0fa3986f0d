// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.junit.jupiter.api.Test;

/** Someone else changes a value while IC2 has led others away from the baseline. */
class ForeignChangeTest {
    @Test
    void whatNobodyTouchedGoesBack() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        assertThat(tier.rung()).isEqualTo(3);
        tier.running = tier.running.with(Lever.MAX_REQUEST_WORKERS, 500);
        Decision aside = tier.until(Action.STEP_ASIDE, 2, Tier::noisy);
        assertThat(aside.current()).isEqualTo(tier.running);
        assertThat(aside.desired()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
        assertThat(aside.reason()).isEqualTo("someone else changed max-request-workers from 300 to 500; what nobody"
                + " touched goes back: keep-alive-timeout 6230ms -> 5s, mitigation 3 -> 0");
        assertThat(tier.state.manual()).isEqualTo(aside.reason());
    }

    @Test
    void whatIsOnItsWayIsOursToo() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 3, Tier::noisy);
        tier.feed(3, Tier::noisy);
        tier.applying = false;
        tier.until(Action.ESCALATE, 10, Tier::noisy);
        tier.running = tier.running.with(Lever.MAX_REQUEST_WORKERS, 500);
        Decision aside = tier.until(Action.STEP_ASIDE, 3, Tier::noisy);
        assertThat(aside.desired()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
    }
}
