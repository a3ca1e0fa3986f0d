// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every sequence of samples: 100 seeds of 2000 seconds. */
class RandomSequencesTest {
    private static final int SECONDS = 2000;
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
                .acting(random.nextInt(4) > 0).build();
    }

    private static Tier run(long seed, int seconds) {
        Tier tier = new Tier(policy(seed));
        RandomWeather weather = new RandomWeather(seed);
        for (int i = 0; i < seconds; i++) {
            weather.blow(tier);
        }
        return tier;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void valuesStayWithinTheirBoundsAndOnlyAllowedLeversMove(long seed) {
        Tier tier = run(seed, SECONDS);
        for (Decision decision : tier.decisions) {
            assertThat(Tier.BOUNDS.contains(decision.desired())).as("%s", decision).isTrue();
            for (Lever lever : Lever.values()) {
                if (!tier.policy.levers().contains(lever)) {
                    assertThat(decision.desired().get(lever)).isEqualTo(Tier.BASE.get(lever));
                }
            }
            assertThat(decision.applies()).isEqualTo(!decision.desired().equals(decision.current()));
            assertThat(decision.numbers().values()).noneMatch(value -> value.isNaN());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theBaselineIsInForceInNi2ButForTheLaddersWayDown(long seed) {
        Tier tier = run(seed, SECONDS);
        int rung = 0;
        for (Decision decision : tier.decisions) {
            if (decision.state() == State.NI2) {
                boolean waiting = decision.reason().contains("not visible yet")
                        || decision.scenario() == Scenario.NOT_JUDGED;
                assertThat(tier.policy.ladder().othersAtBaseline(decision.desired()) || waiting).as("%s", decision).isTrue();
                assertThat(decision.desired().get(Lever.MITIGATION) <= rung || decision.action() == Action.STEP_UP)
                        .as("%s", decision).isTrue();
            }
            rung = decision.desired().get(Lever.MITIGATION);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theConfigurationIsMitigatedInI2OrTheDecisionSaysWhyNot(long seed) {
        Set<Scenario> reasons = EnumSet.of(Scenario.BELOW_TARGET, Scenario.COOLING_DOWN, Scenario.BUDGET_SPENT,
                Scenario.NOTHING_LEFT, Scenario.WARMING_UP, Scenario.NOT_JUDGED, Scenario.STARVATION);
        for (Decision decision : run(seed, SECONDS).decisions) {
            if (decision.state() == State.I2 && decision.desired().equals(Tier.BASE)) {
                assertThat(reasons).as("%s", decision).contains(decision.scenario());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void coolDownAndBudgetHold(long seed) {
        Tier tier = new Tier(policy(seed));
        RandomWeather weather = new RandomWeather(seed);
        List<Long> actions = new ArrayList<>();
        for (int i = 0; i < 3 * SECONDS; i++) {
            weather.blow(tier);
            Decision decision = tier.decisions.get(i);
            long now = tier.state.now();
            if (!decision.applies()) {
                continue;
            }
            if (AWAY.contains(decision.action()) && !actions.isEmpty()) {
                assertThat(now - actions.get(actions.size() - 1))
                        .isGreaterThanOrEqualTo(tier.policy.coolDown().toMillis());
            }
            actions.add(now);
            assertThat(actions.stream().filter(time -> now - time < 3_600_000).count())
                    .as("%s", decision).isLessThanOrEqualTo(tier.policy.actionsPerHour());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noActionStarvesUsers(long seed) {
        for (Decision decision : run(seed, SECONDS).decisions) {
            double users = decision.numbers().getOrDefault(Metric.CONNECTED_USERS.column(), Double.NaN);
            double think = decision.numbers().getOrDefault(Metric.THINK_TIME.column(), Double.NaN);
            boolean fewer = decision.desired().get(Lever.MAX_REQUEST_WORKERS) < Tier.BASE.get(Lever.MAX_REQUEST_WORKERS)
                    && !(decision.desired().get(Lever.MAX_REQUEST_WORKERS) >= users);
            if (fewer && decision.action() == Action.MITIGATE) {
                assertThat(decision.desired().get(Lever.KEEP_ALIVE_TIMEOUT) / 1000.0).as("%s", decision).isLessThanOrEqualTo(think);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void decisionsAreTheSameTwiceAndAfterAReadingOfTheState(long seed) {
        ControlJson json = new ControlJson();
        Tier first = run(seed, 500);
        Tier second = new Tier(policy(seed));
        RandomWeather weather = new RandomWeather(seed);
        for (int i = 0; i < 500; i++) {
            weather.blow(second);
            second.state = json.readState("state.json", json.write(second.state));
        }
        assertThat(second.decisions.stream().map(json::write)).isEqualTo(first.decisions.stream().map(json::write)
                .toList());
        assertThat(second.state).isEqualTo(first.state);
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
