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
    void knobsThatNoPersonChangedAreRestored() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        assertThat(tier.level()).isEqualTo(3);
        tier.running = tier.running.with(Lever.MAX_REQUEST_WORKERS, 500);
        Decision manual = tier.until(Action.ENTER_MANUAL, 2, Tier::noisy);
        assertThat(manual.current()).isEqualTo(tier.running);
        assertThat(manual.desired()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
        assertThat(manual.reason()).isEqualTo("someone else changed max-request-workers from 300 to 500; the agent's own"
                + " values are restored: keep-alive-timeout 6230ms -> 5s, mitigation 3 -> 0");
        assertThat(tier.state.manual()).isEqualTo(manual.reason());
    }

    @Test
    void pendingValuesAreTheAgentsOwn() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 3, Tier::noisy);
        tier.feed(3, Tier::noisy);
        tier.applying = false;
        tier.until(Action.ESCALATE, 10, Tier::noisy);
        tier.running = tier.running.with(Lever.MAX_REQUEST_WORKERS, 500);
        Decision manual = tier.until(Action.ENTER_MANUAL, 3, Tier::noisy);
        assertThat(manual.desired()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
    }
}
