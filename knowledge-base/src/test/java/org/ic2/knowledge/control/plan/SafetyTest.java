// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.ByHand;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.learn.Unrest;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** Guards: starvation, silence, failure, other people, clocks, starts. */
class SafetyTest {
    private static final Settings TRAP = Lever.settings(300, 8000, 400, 0);

    private static Sample users(double users, double think) {
        return Sample.at(Tier.START).set(Metric.CONNECTED_USERS, users).set(Metric.THINK_TIME, think).build();
    }

    private static Settings limited(Settings wanted, Sample sample) {
        return StarvationGuard.limit(new ExplainedSettings(wanted, List.of()), Tier.policy().build(), sample).values();
    }

    @Test
    void threadsBelowTheUsersAreNeverCombinedWithKeepAliveAboveTheirThinkTime() {
        assertThat(limited(TRAP, users(550, 5))).isEqualTo(TRAP.with(Lever.MAX_REQUEST_WORKERS, 550));
        assertThat(limited(TRAP, users(299, 5))).as("threads for all").isEqualTo(TRAP);
        assertThat(limited(TRAP, users(550, 9))).as("keep-alive below the think time").isEqualTo(TRAP);
        assertThat(limited(TRAP, users(550, Double.NaN))).as("think time unknown")
                .isEqualTo(TRAP.with(Lever.MAX_REQUEST_WORKERS, 550));
        assertThat(limited(TRAP, users(Double.NaN, 5))).as("users unknown")
                .isEqualTo(TRAP.with(Lever.MAX_REQUEST_WORKERS, 650));
        assertThat(limited(TRAP, users(900, 5))).as("more users than the baseline has threads")
                .isEqualTo(Lever.settings(650, 5000, 400, 0));
    }

    @Test
    void withoutACountUsersAreThreadsAndQueue() {
        Sample sample = Sample.at(Tier.START).set(Metric.BUSY_WORKERS, 400).set(Metric.ACCEPT_QUEUE, 20)
                .set(Metric.THINK_TIME, 1).build();
        assertThat(limited(TRAP, sample).get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(420);
    }

    @Test
    void theGuardWritesDownWhatItDid() {
        Tier tier = Tier.settled();
        Decision decision = tier.until(Action.MITIGATE, 5,
                sample -> Tier.noisy(sample).set(Metric.CONNECTED_USERS, 550));
        assertThat(decision.desired().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(550);
        assertThat(decision.evidence()).anyMatch(line -> line.startsWith("starvation guard: max-request-workers 550"));
    }

    @Test
    void aGrowingAcceptQueueUndoesTheActionAndTheReasonIsKept() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        assertThat(tier.feed(Tier::noisy).action()).isEqualTo(Action.HOLD);
        assertThat(tier.feed(sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.3)).action())
                .as("one sample may be chance").isEqualTo(Action.HOLD);
        Decision undo = tier.feed(sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.3));
        assertThat(undo.action()).isEqualTo(Action.UNDO);
        assertThat(undo.scenario()).isEqualTo(Scenario.STARVATION);
        assertThat(undo.reason()).contains("accept queue waits 0.3s");
        assertThat(undo.desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
        Decision next = tier.until(Action.ESCALATE, 20, Tier::noisy);
        assertThat(next.desired()).as("the ladder goes on, the paper's values do not come back")
                .isEqualTo(Tier.BASE.with(Lever.MITIGATION, 2));
        assertThat(next.evidence()).anyMatch(line -> line.contains("accept queue waits 0.3s"));
    }

    @Test
    void aQueueThatIsShortBesideWhatUsersWaitAnywayIsNoHarm() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.feed(3, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 3).set(Metric.ACCEPT_QUEUE_WAIT, 0.064));
        tier.feed(3, sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.2).set(Metric.ACCEPT_QUEUE, 1));
        assertThat(tier.decisions).extracting(Decision::action).doesNotContain(Action.UNDO);
        tier.until(Action.UNDO, 2, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 3)
                .set(Metric.ACCEPT_QUEUE_WAIT, 0.4).set(Metric.ACCEPT_QUEUE, 30));
    }

    @Test
    void harmfulValuesAreTriedAgainAfterMinutes() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.until(Action.UNDO, 4, sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 0.3));
        tier.feed(240, Tier::noisy);
        assertThat(tier.running.get(Lever.KEEP_ALIVE_TIMEOUT)).isEqualTo(5000);
        tier.feed(120, Tier::noisy);
        assertThat(tier.running.get(Lever.KEEP_ALIVE_TIMEOUT)).isGreaterThan(5000);
    }

    @Test
    void anUnservedQueueIsSeenWithoutAWaitingTime() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        Decision undo = tier.until(Action.UNDO, 4, sample -> sample.set(Metric.THROUGHPUT, 0)
                .set(Metric.ACCEPT_QUEUE, 50));
        assertThat(undo.reason()).contains("Infinity");
    }

    @Test
    void usersWhoOutgrowTheThreadsUndoTheAction() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        Decision undo = tier.until(Action.UNDO, 4, sample -> Tier.noisy(sample).set(Metric.CONNECTED_USERS, 320));
        assertThat(undo.reason()).contains("320 users share 300 threads");
    }

    @Test
    void silenceInAMitigatedStateRestoresTheBaseline() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        int level = tier.level();
        assertThat(tier.feed(14, sample -> sample).action()).isEqualTo(Action.HOLD);
        assertThat(tier.level()).isEqualTo(level);
        Decision decision = tier.until(Action.RESTORE, 2, sample -> sample);
        assertThat(decision.scenario()).isEqualTo(Scenario.STALE);
        assertThat(decision.desired()).isEqualTo(Tier.BASE);
        assertThat(decision.reason()).contains("no usable sample for 15s", "response time");
        assertThat(decision.state()).isEqualTo(State.T);
        int actions = tier.actions().size();
        tier.feed(100, sample -> sample);
        assertThat(tier.actions()).hasSize(actions);
    }

    @Test
    void silenceAtTheBaselineDoesNothing() {
        Tier tier = Tier.settled();
        tier.feed(500, sample -> sample);
        assertThat(tier.actions()).isEmpty();
        assertThat(tier.state.state()).isEqualTo(State.NI2);
    }

    @Test
    void zeroThroughputIsNotJudged() {
        Tier tier = Tier.settled();
        Decision decision = tier.feed(sample -> Tier.noisy(sample).set(Metric.THROUGHPUT, 0));
        assertThat(decision.scenario()).isEqualTo(Scenario.NOT_JUDGED);
        assertThat(decision.reason()).isEqualTo("no request was completed");
    }

    @Test
    void aNeighbourWhoWasThereFirstDoesNotBecomeNormal() {
        Tier tier = new Tier(Tier.policy().build());
        Decision beside = tier.feed(60, Tier::noisy);
        assertThat(tier.state.medians().count()).isZero();
        assertThat(beside.scenario()).isEqualTo(Scenario.NOT_NORMAL);
        assertThat(beside.reason()).contains("cannot be normal", "steal 0.45 > 0.1");
        tier.feed(30, Tier::quiet);
        assertThat(tier.state.medians().get(Metric.RESPONSE_TIME)).isEqualTo(0.04);
        tier.until(Action.MITIGATE, 3, Tier::noisy);
    }

    /** Waiting for a quiet that never comes would be no help for users; what is learned meanwhile is forgotten when it comes. */
    @Test
    void aHostThatIsNeverQuietIsLearnedAllTheSame() {
        UnaryOperator<Sample.Builder> loud = sample -> Tier.quiet(sample).set(Metric.STEAL, 0.2).set(Metric.CPU_UTIL, 0.8);
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(Unrest.NEVER_QUIET - 1, loud);
        assertThat(tier.state.medians().count()).isZero();
        Decision learned = tier.feed(60, loud);
        assertThat(learned.evidence()).anyMatch(line -> line.startsWith("normal on a host that is never quiet: steal 0.2 > 0.1"));
        assertThat(tier.state.learning().unrest().always()).isTrue();
        assertThat(tier.state.medians().get(Metric.STEAL)).isEqualTo(0.2);
        assertThat(new ControlJson().readState("x", new ControlJson().write(tier.state))).isEqualTo(tier.state);
        tier.until(Action.MITIGATE, 5, sample -> Tier.noisy(sample).set(Metric.STEAL, 0.6));
        tier.feed(300, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.state.learning().unrest()).isEqualTo(Unrest.none());
        assertThat(tier.state.medians().get(Metric.STEAL)).isEqualTo(0.01);
        tier.until(Action.MITIGATE, 5, Tier::noisy);
    }

    @Test
    void nothingIsAppliedUntilTheWindowsAreFull() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(5, Tier::quiet);
        Decision loud = tier.feed(200, Tier::noisy);
        assertThat(tier.actions()).as("nothing normal was ever seen").isEmpty();
        assertThat(loud.action()).isEqualTo(Action.HOLD);
        Tier restarted = Tier.settled();
        restarted.state = restarted.state.restarted(Tier.BASE);
        Decision decision = restarted.feed(9, Tier::noisy);
        assertThat(decision.scenario()).isEqualTo(Scenario.WARMING_UP);
        assertThat(restarted.feed(Tier::noisy).action()).as("the medians survived").isEqualTo(Action.MITIGATE);
    }

    @Test
    void coolDownAndBudgetSurviveARestart() {
        Tier tier = Tier.settled(Tier.policy().coolDown(Duration.ofSeconds(60)).build());
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.running = Tier.BASE;
        ControlJson json = new ControlJson();
        tier.state = json.readState("state.json", json.write(tier.state)).restarted(Tier.BASE);
        Decision decision = tier.feed(30, Tier::noisy);
        assertThat(decision.scenario()).isEqualTo(Scenario.COOLING_DOWN);
        assertThat(decision.numbers()).containsEntry("control.actions_in_last_hour", 1.0);
        tier.until(Action.MITIGATE, 40, Tier::noisy);
    }

    @Test
    void aLeftOverMitigationIsRestoredAfterARestart() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        tier.state = tier.state.restarted(tier.running);
        tier.feed(200, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void anActionThatDidNotTakeEffectIsRepeatedAfterADoubledPause() {
        Tier tier = Tier.settled();
        tier.applying = false;
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        Decision failed = tier.feed(10, Tier::noisy);
        assertThat(failed.scenario()).isEqualTo(Scenario.NOT_APPLIED);
        assertThat(failed.current()).isEqualTo(Tier.BASE);
        tier.feed(600, Tier::noisy);
        List<Decision> tries = tier.actions();
        assertThat(tries).hasSizeBetween(4, 6);
        for (int i = 2; i < tries.size(); i++) {
            assertThat(Duration.between(tries.get(i - 1).time(), tries.get(i).time()))
                    .isGreaterThan(Duration.between(tries.get(i - 2).time(), tries.get(i - 1).time()));
        }
        tier.applying = true;
        tier.until(Action.MITIGATE, 700, Tier::noisy);
        tier.feed(3, Tier::noisy);
        assertThat(tier.state.ledger().failures()).isZero();
    }

    @Test
    void nothingIsAskedForWhileTheLastActionIsOnItsWay() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.feed(3, Tier::noisy);
        tier.applying = false;
        tier.until(Action.ESCALATE, 10, Tier::noisy);
        Decision quiet = tier.feed(5, Tier::quiet);
        assertThat(quiet.state()).isEqualTo(State.NI2);
        assertThat(quiet.reason()).isEqualTo("the last action is not visible yet");
        tier.applying = true;
        tier.feed(60, Tier::quiet);
        assertThat(tier.state.manual()).as("a slow action is not someone else's").isNull();
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void aValueThatCannotBeRestoredDoesNotKeepTheLadderUp() {
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(100, Tier.blind(Tier::quiet));
        tier.feed(25, Tier.blind(Tier::noisy));
        assertThat(tier.running.get(Lever.PHP_MAX_CHILDREN)).isEqualTo(400);
        assertThat(tier.level()).isEqualTo(3);
        tier.stuck.add(Lever.PHP_MAX_CHILDREN);
        tier.feed(600, Tier.blind(Tier::quiet));
        assertThat(tier.running).isEqualTo(Tier.BASE.with(Lever.PHP_MAX_CHILDREN, 400));
        assertThat(tier.state.manual()).isNull();
        tier.stuck.clear();
        tier.until(Action.RESTORE, 700, Tier.blind(Tier::quiet));
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void worksAtThePapersIntervalOfFiveSeconds() {
        Tier tier = new Tier(Tier.policy().build());
        tier.interval = Duration.ofSeconds(5);
        tier.feed(60, Tier::quiet);
        tier.feed(2, Tier::noisy);
        assertThat(tier.feed(Tier::noisy).action()).isEqualTo(Action.MITIGATE);
        tier.feed(20, Tier::noisy);
        assertThat(tier.level()).isEqualTo(4);
        tier.feed(60, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void aForeignChangeMeansManualMode() {
        Tier tier = Tier.settled();
        tier.running = Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 400);
        assertThat(tier.feed(Tier::quiet).action()).isEqualTo(Action.HOLD);
        Decision decision = tier.feed(Tier::quiet);
        assertThat(decision.action()).isEqualTo(Action.ENTER_MANUAL);
        assertThat(decision.reason()).isEqualTo("someone else changed max-request-workers from 650 to 400");
        assertThat(tier.feed(100, Tier::noisy).scenario()).isEqualTo(Scenario.MANUAL);
        assertThat(tier.actions()).isEmpty();
        tier.state = tier.state.resumed(tier.running);
        tier.feed(60, Tier::quiet);
        assertThat(tier.running).as("manual mode is over").isEqualTo(Tier.BASE);
    }

    @Test
    void aValueThatNoOneReadsIsTakenAsWanted() {
        Tier tier = Tier.settled();
        tier.feed(20, sample -> Tier.noisy(sample).set(Metric.PHP, Double.NaN).set(Metric.MITIGATION, Double.NaN));
        assertThat(tier.state.manual()).isNull();
        assertThat(tier.level()).isEqualTo(2);
    }

    @Test
    void aForeignChangeOfALeverThatIsNotOursIsNoneOfOurBusiness() {
        Tier tier = Tier.settled(Tier.policy().levers(EnumSet.of(Lever.MITIGATION)).build());
        tier.running = Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 400);
        assertThat(tier.feed(10, Tier::quiet).scenario()).isEqualTo(Scenario.STEADY);
        assertThat(tier.until(Action.MITIGATE, 5, Tier::noisy).desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 1));
    }

    @Test
    void aClockThatStepsBackExtendsTheCoolDownByNothingAndBreaksNothing() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.time = tier.time.minus(Duration.ofDays(3));
        tier.feed(9, Tier::noisy);
        assertThat(tier.level()).isEqualTo(1);
        tier.feed(3, Tier::noisy);
        assertThat(tier.level()).isEqualTo(2);
        tier.time = Tier.START.plus(Duration.ofDays(20_000));
        tier.feed(2, Tier::noisy);
        tier.feed(200, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    @Test
    void mediansAreLearnedInNi2OnlyAndFrozenOtherwise() {
        Tier tier = Tier.settled();
        long accepted = tier.state.learning().accepted();
        tier.feed(40, Tier::noisy);
        assertThat(tier.state.learning().accepted()).isEqualTo(accepted);
        tier.feed(3, Tier::quiet);
        assertThat(tier.level()).as("still on the ladder").isPositive();
        assertThat(tier.state.learning().accepted()).isEqualTo(accepted);
        tier.feed(200, Tier::quiet);
        assertThat(tier.state.learning().accepted()).isGreaterThan(accepted);
    }

    @Test
    void straddlingAndFailingSamplesTeachNothing() {
        Tier tier = Tier.settled();
        long accepted = tier.state.learning().accepted();
        tier.feed(50, sample -> Tier.quiet(sample).set(Metric.ERROR_RATE, 20));
        assertThat(tier.state.learning().accepted()).isEqualTo(accepted);
        tier.feed(50, sample -> Tier.quiet(sample).epochs(0, 1));
        assertThat(tier.state.learning().accepted()).isEqualTo(accepted);
    }

    @Test
    void aLeverThatIsNotOursIsNotEvenRestored() {
        Tier tier = new Tier(Tier.policy().levers(EnumSet.of(Lever.MITIGATION)).build());
        tier.running = Lever.settings(200, 2000, 9, 0);
        tier.state = ControllerState.initial(tier.running);
        tier.feed(60, Tier::quiet);
        assertThat(tier.actions()).isEmpty();
        assertThat(tier.state.learning().ready()).isTrue();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
    }

    @Test
    void boundsThatWereNarrowedWhileMitigatedHoldForEveryFurtherAction() {
        Tier tier = Tier.settled();
        tier.until(Action.MITIGATE, 5, Tier::noisy);
        tier.policy = Policy.builder(Tier.BASE, new Bounds(Lever.settings(500, 5000, 50, 0),
                Lever.settings(650, 6000, 400, 2)), tier.policy.detector(), tier.policy.knowledge())
                .targetResponseTime(0.2).build();
        tier.until(Action.ESCALATE, 15, Tier::noisy);
        assertThat(tier.running).isEqualTo(Lever.settings(500, 6000, 50, 2));
        tier.feed(30, Tier::noisy);
        assertThat(tier.running).isEqualTo(Lever.settings(500, 6000, 50, 2));
    }

    @Test
    void inManualModeTheRunningValuesAreStillShown() {
        Tier tier = Tier.settled();
        tier.state = tier.state.enteredManual("ic2 apply by hand");
        tier.running = Lever.settings(400, 7000, 100, 3);
        Decision decision = tier.feed(5, Tier::noisy);
        assertThat(decision.current()).isEqualTo(tier.running);
        assertThat(decision.reason()).isEqualTo("ic2 apply by hand");
        assertThat(decision.scenario()).isEqualTo(Scenario.MANUAL);
    }

    @Test
    void keepAliveInMillisecondsSurvivesTheWayThroughASample() {
        Tier tier = Tier.settled(Tier.policy().targetResponseTime(0.1).build());
        tier.until(Action.MITIGATE, 5, sample -> Tier.noisy(sample).set(Metric.RESPONSE_TIME, 0.4567891));
        assertThat(tier.running.get(Lever.KEEP_ALIVE_TIMEOUT)).isEqualTo(6250);
        tier.feed(5, Tier::noisy);
        assertThat(tier.state.pending()).isNull();
        assertThat(tier.state.manual()).isNull();
    }

    @Test
    void withoutACoolDownAFailingActionIsStillNotHammered() {
        Tier tier = Tier.settled(Tier.policy().coolDown(Duration.ZERO).build());
        tier.applying = false;
        tier.feed(300, Tier::noisy);
        assertThat(tier.actions()).hasSizeLessThan(15);
    }

    @Test
    void aTreeThatIsNotSureWithoutItsAttributesIsNotActedUpon() {
        Tier tier = Tier.settled();
        Decision decision = tier.feed(20, sample -> Tier.noisy(sample).set(Metric.CPU_UTIL, Double.NaN)
                .set(Metric.STEAL, Double.NaN));
        assertThat(decision.tree()).contains(Label.TRANSIENT);
        assertThat(tier.actions()).isEmpty();
    }

    @Test
    void adviceIsGivenOnceWhereNothingIsApplied() {
        Tier tier = Tier.settled(Tier.policy().acting(false).build());
        tier.applying = false;
        tier.feed(100, Tier::noisy);
        assertThat(tier.actions()).extracting(decision -> decision.desired().get(Lever.MITIGATION)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aPolicyThatCannotBeIsRefusedByKey() {
        assertThatThrownBy(() -> Policy.builder(Tier.BASE.with(Lever.MAX_REQUEST_WORKERS, 900), Tier.BOUNDS,
                ByHand.detector(), Shipped.rules()).build())
                .hasMessageContaining("bounds.max-request-workers: the baseline 900 is outside");
        assertThatThrownBy(() -> Tier.policy().targetResponseTime(Double.NaN).build())
                .hasMessageContaining("target-response-time");
        assertThatThrownBy(() -> Tier.policy().staleAfter(Duration.ZERO).build()).hasMessageContaining("stale-after");
        assertThatThrownBy(() -> Tier.policy().actionsPerHour(-1).build()).hasMessageContaining("actions-per-hour");
    }
}
