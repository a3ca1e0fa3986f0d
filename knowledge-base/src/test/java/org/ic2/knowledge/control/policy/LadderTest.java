// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.ByHand;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

class LadderTest {
    private static final Set<Knob> ALL = Tier.BASE.knobs();
    private static final Ladder USUAL = Ladder.ofMitigation(Tier.BASE, Tier.BOUNDS, ALL);
    /** PHP, then the level of httpd's own ladder, then MXC. */
    private static final Ladder OWN = Ladder.empty(Tier.BASE, Tier.BOUNDS, ALL)
            .plus(Settings.of(Lever.PHP_MAX_CHILDREN, 100))
            .plus(Settings.of(Lever.MITIGATION, 2))
            .plus(Settings.of(Lever.MITIGATION, 4).with(Lever.MAX_REQUEST_WORKERS, 400));
    /** A rule of one's own, which moves what the ladder moves. */
    private static final String WANTS_TWO = """
            format: 1
            fallback: dear
            independent-signals: []
            rules:
              - id: dear
                context: requests are dear
                when:
                  any:
                    - {attribute: load_per_operation_ratio, above: 1.1}
                set:
                  mitigation: {direction: up, update: constant, value: %d}
                reason: half a step helps nobody here
            """;

    /** Many threads are free, so that the starvation guard has no objection. */
    private static Sample.Builder few(Sample.Builder sample) {
        return Tier.noisy(sample).set(Metric.CONNECTED_USERS, 20).set(Metric.THINK_TIME, 60);
    }

    @Test
    void theUsualLadderIsTheMitigationUpToItsBound() {
        assertThat(USUAL.highest()).isEqualTo(4);
        assertThat(USUAL.level(3)).isEqualTo(Settings.of(Lever.MITIGATION, 3));
        assertThat(USUAL.knobs()).containsExactly(Lever.MITIGATION);
        assertThat(USUAL.reached(Lever.settings(300, 5000, 50, 3))).isEqualTo(3);
        assertThat(USUAL.down(Lever.settings(300, 5000, 50, 3))).contains(Lever.settings(300, 5000, 50, 2));
        assertThat(USUAL.down(Tier.BASE)).isEmpty();
        assertThat(USUAL.stepsDown(Lever.settings(300, 5000, 50, 3))).isEqualTo(3);
        assertThat(USUAL.down(Lever.settings(650, 5000, 50, 9))).as("beyond the bounds").contains(
                Lever.settings(650, 5000, 50, 4));
        assertThat(USUAL.othersAtBaseline(Lever.settings(650, 5000, 50, 3))).isTrue();
        assertThat(USUAL.othersAtBaseline(Lever.settings(300, 5000, 50, 0))).isFalse();
        Bounds wide = new Bounds(Tier.BASE, Tier.BASE.with(Lever.MITIGATION, 9_999_999));
        assertThat(Ladder.ofMitigation(Tier.BASE, wide, ALL).reached(Tier.BASE)).isZero();
        assertThat(Ladder.ofMitigation(Tier.BASE, Tier.BOUNDS, Set.of(Lever.MAX_REQUEST_WORKERS)).highest()).isZero();
    }

    @Test
    void aLevelKeepsWhatTheLevelsBelowItSet() {
        assertThat(OWN.level(0)).isEqualTo(Tier.BASE.without(Set.of(Lever.KEEP_ALIVE_TIMEOUT)));
        assertThat(OWN.level(2).describe()).isEqualTo("MXC 650, PHP 100, mitigation 2");
        assertThat(OWN.toText()).contains("level 3: MXC 400, PHP 100, mitigation 4");
    }

    @Test
    void afterASkippedKnobTheNextStepDownRestoresThoseThatMoved() {
        Settings left = Lever.settings(400, 5000, 50, 2);
        assertThat(OWN.reached(left)).isZero();
        assertThat(OWN.up(left, 1)).isEqualTo(left.with(Lever.PHP_MAX_CHILDREN, 100));
        Settings first = OWN.down(left).orElseThrow();
        assertThat(first).isEqualTo(left.with(Lever.MAX_REQUEST_WORKERS, 650));
        assertThat(OWN.down(first)).contains(Tier.BASE);
        assertThat(OWN.stepsDown(left)).isEqualTo(3);
    }

    @Test
    void aLevelMustMoveALeverWithinTheBoundsAndOneWay() {
        assertThatThrownBy(() -> Ladder.empty(Tier.BASE, Tier.BOUNDS, Set.of()).plus(Settings.of(Lever.MITIGATION, 1)))
                .hasMessageContaining("add mitigation to them");
        assertThatThrownBy(() -> OWN.plus(Settings.of(Lever.MAX_REQUEST_WORKERS, 200)))
                .hasMessage("expected a value within the bounds 300 to 650, got 200");
        assertThatThrownBy(() -> OWN.plus(Settings.of(Lever.MITIGATION, 3)))
                .hasMessageContaining("a knob moves one way").hasMessageContaining("the levels below have 4, got 3");
        assertThatThrownBy(() -> OWN.plus(Settings.of(Lever.MITIGATION, 4))).hasMessageContaining("in force below it");
        assertThatThrownBy(() -> OWN.plus(Settings.none())).hasMessageContaining("it names none");
    }

    @Test
    void theControllerClimbsAndDescendsAnyLadder() {
        Ladder ladder = Ladder.empty(Tier.BASE, Tier.BOUNDS, ALL).plus(Settings.of(Lever.PHP_MAX_CHILDREN, 100))
                .plus(Settings.of(Lever.MITIGATION, 2))
                .plus(Settings.of(Lever.MITIGATION, 4).with(Lever.PHP_MAX_CHILDREN, 200));
        Tier tier = Tier.settled(Tier.policy().ladder(ladder).levers(ALL).build());
        assertThat(tier.until(Action.MITIGATE, 5, LadderTest::few).desired().get(Lever.PHP_MAX_CHILDREN))
                .isEqualTo(100);
        tier.until(Action.ESCALATE, 20, LadderTest::few);
        tier.until(Action.ESCALATE, 20, LadderTest::few);
        assertThat(tier.running.only(ladder.knobs())).isEqualTo(ladder.level(3));
        assertThat(tier.feed(30, LadderTest::few).scenario()).isEqualTo(Scenario.NOTHING_LEFT);
        tier.until(Action.RESTORE, 60, Tier::quiet);
        assertThat(tier.running.get(Lever.KEEP_ALIVE_TIMEOUT)).as("a rule's value goes first").isEqualTo(5000);
        assertThat(tier.running.only(ladder.knobs())).isEqualTo(ladder.level(3));
        for (int level = 2; level >= 0; level--) {
            tier.until(Action.STEP_DOWN, 60, Tier::quiet);
            assertThat(tier.running.only(ladder.knobs())).isEqualTo(ladder.level(level));
        }
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void theStarvationGuardLimitsALevelToo() {
        Tier tier = Tier.settled(Tier.policy().ladder(Ladder.empty(Tier.BASE, Tier.BOUNDS, ALL)
                .plus(Settings.of(Lever.MAX_REQUEST_WORKERS, 300))
                .plus(Settings.of(Lever.MITIGATION, 1))).levers(Set.of(Lever.MITIGATION, Lever.MAX_REQUEST_WORKERS))
                .build());
        Decision first = tier.until(Action.MITIGATE, 5, sample -> Tier.noisy(sample).set(Metric.CONNECTED_USERS, 500));
        assertThat(first.desired()).isEqualTo(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 500));
        assertThat(first.evidence()).anyMatch(line -> line.startsWith("starvation guard: max-request-workers 500"));
        Decision second = tier.until(Action.ESCALATE, 20,
                sample -> Tier.noisy(sample).set(Metric.CONNECTED_USERS, 500));
        assertThat(second.desired()).as("the level that the guard leaves nothing of is passed over")
                .isEqualTo(Lever.settings(500, 5000, 50, 1));
        Decision undo = tier.until(Action.UNDO, 20, sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 2));
        assertThat(undo.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
        assertThat(tier.feed(30, LadderTest::few).desired().get(Lever.MAX_REQUEST_WORKERS))
                .as("refused for minutes").isEqualTo(650);
    }

    @Test
    void aRulesValueOfALaddersKnobIsWhereTheEscalationStarts() {
        Tier tier = Tier.settled(own(2).build());
        Decision first = tier.until(Action.MITIGATE, 5, Tier::noisy);
        assertThat(first.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 2));
        assertThat(first.rules()).containsExactly("dear");
        assertThat(first.evidence()).contains("the escalation starts at level 2, mitigation 2: the rules want "
                + "mitigation 2");
        Decision next = tier.until(Action.ESCALATE, 20, Tier::noisy);
        assertThat(next.desired().get(Lever.MITIGATION)).as("then one by one").isEqualTo(3);
        Tier low = Tier.settled(own(1).build());
        assertThat(low.until(Action.MITIGATE, 5, Tier::noisy).desired().get(Lever.MITIGATION)).isEqualTo(1);
        Tier most = Tier.settled(own(7).build());
        assertThat(most.until(Action.MITIGATE, 5, Tier::noisy).desired().get(Lever.MITIGATION))
                .as("within the bounds").isEqualTo(4);
    }

    @Test
    void aRuleThatNamesAKnobOfTheLadderStartsAtTheLevelThatReachesIt() {
        Tier tier = Tier.settled(own(3).ladder(Ladder.empty(Tier.BASE, Tier.BOUNDS, ALL)
                .plus(Settings.of(Lever.MITIGATION, 1)).plus(Settings.of(Lever.PHP_MAX_CHILDREN, 60))
                .plus(Settings.of(Lever.MITIGATION, 4)))
                .levers(Set.of(Lever.MITIGATION, Lever.PHP_MAX_CHILDREN)).build());
        assertThat(tier.until(Action.MITIGATE, 5, Tier::noisy).desired()).isEqualTo(Lever.settings(650, 5000, 60, 4));
    }

    private static Policy.Builder own(int wanted) {
        return Policy.builder(Tier.BASE, Tier.BOUNDS, ByHand.detector(),
                RulesYaml.read("rules.yaml", WANTS_TWO.formatted(wanted))).targetResponseTime(0.2)
                .levers(Set.of(Lever.MITIGATION));
    }

    @Test
    void aRuleOfOnesOwnNeedsNoRow() {
        assertThat(RulesYaml.read("rules.yaml", WANTS_TWO.formatted(2)).toText())
                .startsWith("dear: requests are dear\n").contains("mitigation up to 2");
    }

    @Test
    void aPolicysLadderIsOfItsBaselineAndLevers() {
        assertThatThrownBy(() -> Tier.policy().ladder(OWN).levers(Set.of(Lever.MITIGATION)).build())
                .hasMessageStartingWith("ladder: ");
        assertThat(List.of(OWN)).doesNotContain(USUAL);
    }
}
