// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Scenario;
import org.junit.jupiter.api.Test;

/** What becomes of actions that are refused, carried out in part, or fail, and what that means for the next ones. */
class AftermathTest {
    @Test
    void aRefusalIsNeitherAFailureNorAnAction() {
        Tier tier = Tier.settled();
        tier.refusing = true;
        tier.until(Action.MITIGATE, 3, Tier::noisy);
        Decision refused = tier.feed(Tier::noisy);
        assertThat(refused.scenario()).isEqualTo(Scenario.NOT_APPLIED);
        assertThat(refused.reason()).startsWith("the last action was refused");
        for (int i = 0; i < 10; i++) {
            tier.until(Action.MITIGATE, 10, Tier::noisy);
            tier.feed(Tier::noisy);
            assertThat(tier.state.ledger().failures()).isZero();
            assertThat(tier.state.ledger().lastHour()).isEmpty();
        }
        tier.refusing = false;
        tier.until(Action.MITIGATE, 10, Tier::noisy);
        assertThat(tier.level()).isEqualTo(1);
    }

    @Test
    void aLeverThatIsLeftOutHoldsUpNoOther() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(100, Tier.blind(Tier::quiet));
        tier.stuck.add(Lever.PHP_MAX_CHILDREN);
        tier.feed(25, Tier.blind(Tier::noisy));
        assertThat(tier.running.get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(300);
        assertThat(tier.running.get(Lever.PHP_MAX_CHILDREN)).isEqualTo(50);
        assertThat(tier.level()).as("one for each cool-down").isEqualTo(3);
        assertThat(tier.decisions).noneMatch(decision -> decision.scenario() == Scenario.NOT_APPLIED);
        assertThat(tier.state.manual()).isNull();
    }

    @Test
    void theWayBackIsTriedAgainWithinHalfAMinuteHoweverLongTheCoolDown() {
        Tier tier = Tier.settled(Tier.policy().coolDown(Duration.ofMinutes(10)).build());
        tier.until(Action.MITIGATE, 3, Tier::noisy);
        tier.feed(3, Tier::noisy);
        tier.applying = false;
        tier.until(Action.RESTORE, 5, Tier::quiet);
        tier.feed(900, Tier::quiet);
        List<Decision> tries = tier.actions().subList(1, tier.actions().size());
        assertThat(tries).hasSizeGreaterThan(20);
        for (int i = 1; i < tries.size(); i++) {
            assertThat(Duration.between(tries.get(i - 1).time(), tries.get(i).time()))
                    .isLessThanOrEqualTo(Duration.ofSeconds(65));
        }
    }

    @Test
    void aFailedMitigationDoesNotDelayTheRestore() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 3, Tier::noisy);
        tier.feed(3, Tier::noisy);
        tier.applying = false;
        tier.feed(100, Tier::noisy);
        assertThat(tier.state.ledger().failures()).isGreaterThan(1);
        tier.applying = true;
        Decision back = tier.until(Action.RESTORE, 15, Tier::quiet);
        assertThat(back.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
    }

    @Test
    void failuresOfASilentServerAreForgottenWhenItAnswers() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        tier.applying = false;
        tier.feed(200, sample -> sample);
        assertThat(tier.state.ledger().failures()).isGreaterThan(1);
        tier.applying = true;
        tier.feed(Tier::quiet);
        assertThat(tier.state.ledger().failures()).isZero();
        tier.feed(120, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }
}
