// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every sequence of samples: 100 seeds of 6000 seconds, each lived through once and looked at from all sides. */
@Execution(ExecutionMode.CONCURRENT)
class RandomSequencesTest {
    private static final int SECONDS = 6000;
    private static final int SECONDS_WITH_READING = 500;
    private static final Set<Action> AWAY = EnumSet.of(Action.MITIGATE, Action.ESCALATE, Action.STEP_UP);

    static List<Long> seeds() {
        return new Random(20260101).longs(100).boxed().toList();
    }

    private static Policy policy(long seed) {
        Random random = new Random(seed);
        EnumSet<Lever> levers = EnumSet.noneOf(Lever.class);
        for (Lever lever : Lever.values()) {
            if (random.nextInt(4) > 0) {
                levers.add(lever);
            }
        }
        Detector detector = switch (random.nextInt(5)) {
            case 0 -> new Detector.MissRate(0.1, 0.3);
            case 1, 2 -> new Detector.Tree(Shipped.classifier());
            default -> ByHand.detector();
        };
        return Policy.builder(Tier.BASE, Tier.BOUNDS, detector, Shipped.rules()).targetResponseTime(0.2)
                .levers(levers).actionsPerHour(4 + random.nextInt(60))
                .coolDown(Duration.ofSeconds(random.nextInt(30))).warmUp(random.nextInt(20))
                .acting(random.nextInt(4) > 0)
                .ladderStep(random.nextInt(4) > 0 ? LadderStep.COMPUTED : LadderStep.ONE).build();
    }

    /** A tier and its clock, in milliseconds, after each of its decisions; its state after the first few of them. */
    private record Life(Tier tier, List<Long> clock, ControllerState early) {
        static Life of(long seed) {
            Tier tier = new Tier(policy(seed));
            RandomWeather weather = new RandomWeather(seed);
            List<Long> clock = new ArrayList<>();
            ControllerState early = tier.state;
            for (int i = 0; i < SECONDS; i++) {
                weather.blow(tier);
                clock.add(tier.state.now());
                early = i < SECONDS_WITH_READING ? tier.state : early;
            }
            return new Life(tier, clock, early);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everySequenceKeepsTheRules(long seed) {
        Life life = Life.of(seed);
        assertAll(
                () -> valuesStayWithinTheirBoundsAndOnlyAllowedLeversMove(life.tier()),
                () -> theBaselineIsInForceInNi2ButForTheLaddersWayDown(life.tier()),
                () -> theConfigurationIsMitigatedInI2OrTheDecisionSaysWhyNot(life.tier()),
                () -> coolDownAndBudgetHold(life),
                () -> noActionStarvesUsers(life.tier()),
                () -> noDirectRestoreUnlessTheBaselineIsKnownToCarryTheDemand(life.tier()),
                () -> noStepIsLongerThanItsNumbersAskFor(life.tier()),
                () -> decisionsAreTheSameTwiceAndAfterAReadingOfTheState(seed, life));
    }

    /** Of each of 600,000 decisions: an assertion that need not say anything costs next to nothing. */
    private static void holds(boolean condition, Decision decision) {
        if (!condition) {
            throw new AssertionError(decision.toString());
        }
    }

    private static void valuesStayWithinTheirBoundsAndOnlyAllowedLeversMove(Tier tier) {
        for (Decision decision : tier.decisions) {
            holds(Tier.BOUNDS.contains(decision.desired()), decision);
            for (Lever lever : Lever.values()) {
                holds(tier.policy.levers().contains(lever) || decision.desired().get(lever) == Tier.BASE.get(lever), decision);
            }
            holds(decision.applies() != decision.desired().equals(decision.current()), decision);
            holds(!decision.numbers().containsValue(Double.NaN), decision);
        }
    }

    private static void theBaselineIsInForceInNi2ButForTheLaddersWayDown(Tier tier) {
        int level = 0;
        for (Decision decision : tier.decisions) {
            if (decision.state() == State.NI2) {
                boolean waiting = decision.reason().contains("not visible yet")
                        || decision.scenario() == Scenario.NOT_JUDGED;
                holds(tier.policy.ladder().othersAtBaseline(decision.desired()) || waiting, decision);
                holds(decision.desired().get(Lever.MITIGATION) <= level || decision.action() == Action.STEP_UP, decision);
            }
            level = decision.desired().get(Lever.MITIGATION);
        }
    }

    private static void theConfigurationIsMitigatedInI2OrTheDecisionSaysWhyNot(Tier tier) {
        Set<Scenario> reasons = EnumSet.of(Scenario.BELOW_TARGET, Scenario.COOLING_DOWN, Scenario.BUDGET_SPENT,
                Scenario.NOTHING_LEFT, Scenario.WARMING_UP, Scenario.NOT_JUDGED, Scenario.STARVATION);
        for (Decision decision : tier.decisions) {
            if (decision.state() == State.I2 && decision.desired().equals(Tier.BASE)) {
                holds(reasons.contains(decision.scenario()), decision);
            }
        }
    }

    private static void coolDownAndBudgetHold(Life life) {
        Tier tier = life.tier();
        List<Long> actions = new ArrayList<>();
        for (int i = 0; i < SECONDS; i++) {
            Decision decision = tier.decisions.get(i);
            long now = life.clock().get(i);
            if (!decision.applies()) {
                continue;
            }
            if (AWAY.contains(decision.action()) && !actions.isEmpty() && !takesBackWhatUsersHavePaidFor(decision)) {
                assertThat(now - actions.get(actions.size() - 1))
                        .isGreaterThanOrEqualTo(tier.policy.coolDown().toMillis());
            }
            actions.add(now);
            assertThat(actions.stream().filter(time -> now - time < 3_600_000).count())
                    .as("%s", decision).isLessThanOrEqualTo(tier.policy.actionsPerHour());
        }
    }

    /** A level down that costs users what they are to pay at most is taken back at once, and nothing else is. */
    private static boolean takesBackWhatUsersHavePaidFor(Decision decision) {
        double slow = decision.numbers().getOrDefault("probe.slow_time", 0.0);
        double requests = decision.numbers().getOrDefault("probe.slow_requests", 0.0)
                + decision.numbers().getOrDefault(Metric.REQUESTS.column(), 0.0);
        return slow > 0 && (slow + 1 > Probing.USUAL.time().toSeconds() || requests > Probing.USUAL.requests());
    }

    private static void noStepIsLongerThanItsNumbersAskFor(Tier tier) {
        for (Decision decision : tier.decisions) {
            if (AWAY.contains(decision.action())) {
                int from = decision.current().get(Lever.MITIGATION);
                int asked = decision.numbers().getOrDefault("step.level", 1.0).intValue();
                assertThat(decision.desired().get(Lever.MITIGATION)).as("%s", decision)
                        .isLessThanOrEqualTo(from == 0 ? Math.max(1, asked) : from == 1 ? 3 : from + 1);
            }
        }
    }

    private static void noDirectRestoreUnlessTheBaselineIsKnownToCarryTheDemand(Tier tier) {
        for (Decision decision : tier.decisions) {
            if (decision.scenario() == Scenario.DIRECT_RESTORE) {
                assertThat(decision.state()).as("%s", decision).isEqualTo(State.NI2);
                assertThat(decision.desired()).isEqualTo(Tier.BASE);
                double usual = Math.min(decision.numbers().get("step.cpu_left"),
                        decision.numbers().getOrDefault("median.cpu_util", 0.0));
                assertThat(decision.numbers().get("step.cpu_needed")).as("%s", decision)
                        .isLessThanOrEqualTo(Math.max(usual, decision.numbers().get("step.cpu_limit")));
                assertThat(decision.numbers().get("step.cpu_per_operation"))
                        .isEqualTo(decision.numbers().get("median.load_per_operation"));
            }
        }
    }

    private static void noActionStarvesUsers(Tier tier) {
        for (Decision decision : tier.decisions) {
            double users = decision.numbers().getOrDefault(Metric.CONNECTED_USERS.column(), Double.NaN);
            double think = decision.numbers().getOrDefault(Metric.THINK_TIME.column(), Double.NaN);
            boolean fewer = decision.desired().get(Lever.MAX_REQUEST_WORKERS) < Tier.BASE.get(Lever.MAX_REQUEST_WORKERS)
                    && !(decision.desired().get(Lever.MAX_REQUEST_WORKERS) >= users);
            if (fewer && decision.action() == Action.MITIGATE) {
                assertThat(decision.desired().get(Lever.KEEP_ALIVE_TIMEOUT) / 1000.0).as("%s", decision).isLessThanOrEqualTo(think);
            }
        }
    }

    private static void decisionsAreTheSameTwiceAndAfterAReadingOfTheState(long seed, Life first) {
        ControlJson json = new ControlJson();
        Tier second = new Tier(policy(seed));
        RandomWeather weather = new RandomWeather(seed);
        for (int i = 0; i < SECONDS_WITH_READING; i++) {
            weather.blow(second);
            second.state = json.readState("state.json", json.write(second.state));
        }
        assertThat(second.decisions.stream().map(json::write)).isEqualTo(
                first.tier().decisions.stream().limit(SECONDS_WITH_READING).map(json::write).toList());
        assertThat(second.state).isEqualTo(first.early());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneWrongLabelInASteadySequenceNeverReconfigures(long seed) {
        Random random = new Random(seed);
        List<UnaryOperator<Sample.Builder>> steady = List.of(Tier::quiet, Tier::noisy, Tier::hidden,
                Tier.blind(Tier::quiet), Tier.blind(Tier::noisy));
        UnaryOperator<Sample.Builder> right = steady.get(random.nextInt(steady.size()));
        UnaryOperator<Sample.Builder> wrong = steady.get(random.nextInt(steady.size()));
        Tier tier = Tier.settled();
        tier.feed(200, right);
        int before = tier.actions().size();
        tier.feed(wrong);
        tier.feed(20 + random.nextInt(100), right);
        assertThat(tier.actions()).hasSize(before);
    }
}
