// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.LongestAway;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.runtime.knob.Bounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** For every cause, however it comes and goes: the baseline is back in the stated time, and no level down costs more than its price. */
@Execution(ExecutionMode.CONCURRENT)
class RestoreBoundTest {
    private static final double TARGET = 0.2;
    private static final double[] RELIEFS = {1, 0.9, 0.9, 0.5, 0.45, 0.4, 0.35};

    /** What a tier of one CPU suffers from. */
    private enum Trouble {
        NONE, NEIGHBOUR, UNSEEN_NEIGHBOUR, SURGE, CRAWLERS, DEARER_PAGES, SLOW_DEPENDENCY
    }

    /** A tier that answers as a queue does: the more of the CPU that is left is needed, the later. */
    private static final class Plant {
        private final Tier tier;
        private final boolean steal;
        private Trouble trouble = Trouble.NONE;

        Plant(Policy policy, boolean steal) {
            tier = new Tier(policy);
            this.steal = steal;
            second(120);
        }

        void second(int times) {
            for (int i = 0; i < times; i++) {
                tier.feed(this::measured);
            }
        }

        void trouble(Trouble next, int seconds) {
            trouble = next;
            second(seconds);
        }

        private Sample.Builder measured(Sample.Builder sample) {
            boolean neighbour = trouble == Trouble.NEIGHBOUR || trouble == Trouble.UNSEEN_NEIGHBOUR;
            boolean more = trouble == Trouble.SURGE || trouble == Trouble.CRAWLERS;
            double asked = more ? 200 : 115;
            double cost = trouble == Trouble.DEARER_PAGES ? 0.0105 : 0.0052;
            double left = neighbour ? 0.5 : 0.99;
            double need = asked * cost * RELIEFS[tier.level()];
            boolean over = need >= 0.95 * left;
            boolean waits = trouble == Trouble.SLOW_DEPENDENCY && tier.level() < 3;
            double served = over ? asked * left / need : asked;
            double used = Math.min(need, left);
            return Tier.quiet(sample).set(Metric.THROUGHPUT, served).set(Metric.REQUESTS, served)
                    .set(Metric.RESPONSE_TIME, waits ? 1.5 : over ? 2 : 0.015 / (1 - need / left)).set(Metric.CPU_UTIL, used + (neighbour ? 0.5 : 0.01))
                    .set(Metric.STEAL, !steal || trouble == Trouble.UNSEEN_NEIGHBOUR ? Double.NaN : neighbour ? 0.5 : 0.01)
                    .set(Metric.ACCEPT_QUEUE, over ? 100 : 0).set(Metric.ACCEPT_QUEUE_WAIT, over ? 0.5 : 0)
                    .set(Metric.BUSY_WORKERS, waits ? 100 : 5).set(Metric.IDLE_WORKERS, waits ? 500 : 600).set(Metric.NEW_ADDRESSES, 0.1)
                    .set(Metric.NO_COOKIE, 0.2).set(Metric.LISTED_CRAWLERS, trouble == Trouble.CRAWLERS ? 0.5 : 0.01)
                    .set(Metric.PAGES_PER_ADDRESS, 1.5).set(Metric.PAGE_SPREAD, 0.3);
        }

        /** Seconds until the baseline is in force, with nothing to suffer from. */
        long untilBaseline(long longest) {
            trouble = Trouble.NONE;
            long seconds = 0;
            while (!tier.running.equals(Tier.BASE) && seconds <= longest + 60) {
                second(1);
                seconds++;
            }
            return seconds;
        }
    }

    static List<Long> seeds() {
        return new Random(20260601).longs(60).boxed().toList();
    }

    private static Policy.Builder policy(int highest) {
        Bounds bounds = new Bounds(Tier.BOUNDS.lowest(), Tier.BOUNDS.highest().with(Lever.MITIGATION, highest));
        return Policy.builder(Tier.BASE, bounds, ByHand.detector(), Shipped.rules()).targetResponseTime(TARGET).levers(Set.of(Lever.MITIGATION))
                .actionsPerHour(1000).acts(EnumSet.of(Cause.NEIGHBOUR, Cause.CRAWLERS, Cause.SURGE, Cause.DEARER_PAGES, Cause.SLOW_DEPENDENCY));
    }

    private static Policy policy(Random random) {
        Duration longest = Duration.ofMinutes(List.of(1, 5, 32).get(random.nextInt(3)));
        Probing probing = new Probing(Duration.ofSeconds(List.of(2, 5, 10, 30).get(random.nextInt(4))),
                List.of(200L, 3000L, 1_000_000L).get(random.nextInt(3)), longest);
        return policy(1 + random.nextInt(6)).coolDown(Duration.ofSeconds(List.of(0, 3, 10, 20).get(random.nextInt(4)))).probing(probing)
                .ladderStep(random.nextBoolean() ? LadderStep.COMPUTED : LadderStep.ONE).build();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theBoundAndThePriceHoldForEveryCause(long seed) {
        Random random = new Random(seed);
        Plant plant = new Plant(policy(random), random.nextBoolean());
        boolean flaps = random.nextBoolean();
        for (int episode = 0; episode < 12; episode++) {
            Trouble trouble = Trouble.values()[random.nextInt(Trouble.values().length)];
            for (int i = 0; i < (flaps ? 5 : 1); i++) {
                plant.trouble(trouble, 20 + random.nextInt(flaps ? 60 : 600));
                plant.trouble(Trouble.NONE, 1 + random.nextInt(flaps ? 60 : 300));
            }
        }
        plant.trouble(Trouble.values()[1 + random.nextInt(Trouble.values().length - 1)], 60);
        long bound = LongestAway.of(plant.tier.policy).toSeconds();
        assertThat(plant.untilBaseline(bound)).isLessThanOrEqualTo(bound);
        assertThat(plant.tier.actions()).as("something was done").isNotEmpty();
        noLevelDownCostsMoreThanItsPrice(plant.tier);
    }

    /** What is paid from a level down to the next action or the end of its window, the interval in which it is taken back apart. */
    private static void noLevelDownCostsMoreThanItsPrice(Tier tier) {
        Probing price = tier.policy.probing();
        for (int i = 0; i < tier.decisions.size(); i++) {
            if (tier.decisions.get(i).action() != Action.STEP_DOWN) {
                continue;
            }
            double slow = 0;
            double requests = 0;
            double most = 0;
            long window = tier.policy.relapseWindow() / 1000;
            for (int next = i + 1; next < Math.min(tier.decisions.size(), i + window); next++) {
                Decision decision = tier.decisions.get(next);
                if (decision.numbers().getOrDefault("response_time", 0.0) > TARGET) {
                    slow++;
                    requests += decision.numbers().get("requests");
                    most = Math.max(most, decision.numbers().get("requests"));
                }
                if (decision.applies()) {
                    break;
                }
            }
            assertThat(slow).as("%s", tier.decisions.get(i)).isLessThanOrEqualTo(price.time().toSeconds() + 1);
            assertThat(requests).as("%s", tier.decisions.get(i)).isLessThanOrEqualTo(Math.max(price.requests(), 2 * most));
        }
    }

    /** One episode, of which nothing was tried before: the shorter bound holds, for each cause with and without steal. */
    @Test
    void theUsualBoundHoldsWhereNoTryHasFailed() {
        for (Trouble trouble : Trouble.values()) {
            for (boolean steal : List.of(true, false)) {
                Plant plant = new Plant(policy(4).build(), steal);
                plant.trouble(trouble, 90);
                assertThat(plant.tier.running.equals(Tier.BASE)).as("%s", trouble).isEqualTo(trouble == Trouble.NONE);
                Policy policy = plant.tier.policy;
                boolean failed = plant.tier.state.backoff().relapses() > 0;
                long bound = (failed ? LongestAway.of(policy) : LongestAway.usual(policy)).toSeconds();
                assertThat(failed && steal && EnumSet.of(Trouble.NEIGHBOUR, Trouble.SURGE, Trouble.CRAWLERS).contains(trouble)).as("%s: no try fails where steal and the demand tell", trouble).isFalse();
                assertThat(plant.untilBaseline(bound)).as("%s, steal %s", trouble, steal).isLessThanOrEqualTo(bound);
            }
        }
    }

    /** The demand seems to need the level for ever, and the model that says so is out of date: it is tried, and the baseline is back. */
    @Test
    void aLevelThatIsHeldForAReckonedDemandIsTried() {
        Probing probing = new Probing(Duration.ofSeconds(10), 3000, Duration.ofMinutes(5));
        Plant plant = new Plant(policy(4).probing(probing).build(), true);
        plant.trouble(Trouble.SURGE, 60);
        assertThat(plant.tier.level()).isGreaterThanOrEqualTo(3);
        List<Integer> levels = new ArrayList<>();
        long bound = LongestAway.of(plant.tier.policy).toSeconds();
        // as many requests as in the surge, each for a third of the CPU: what the median of the quiet does not know
        for (int second = 0; second < bound && !plant.tier.running.equals(Tier.BASE); second++) {
            plant.tier.feed(sample -> Tier.quiet(sample).set(Metric.THROUGHPUT, 200).set(Metric.REQUESTS, 200).set(Metric.CPU_UTIL, 0.3)
                    .set(Metric.STEAL, 0));
            levels.add(plant.tier.level());
        }
        assertThat(levels.subList(0, 200)).as("not before the longest hold").allMatch(level -> level >= 3);
        assertThat(plant.tier.running).isEqualTo(Tier.BASE);
    }

    /** The same while the demand does need it: each try is taken back at its price, and the next one comes no sooner than the longest hold. */
    @Test
    void aLevelThatIsNeededIsTriedOnceALongestHold() {
        Probing probing = new Probing(Duration.ofSeconds(3), 3000, Duration.ofMinutes(5));
        Plant plant = new Plant(policy(4).probing(probing).build(), true);
        plant.trouble(Trouble.SURGE, 3600);
        List<Decision> tries = plant.tier.decisions.stream().filter(decision -> decision.action() == Action.STEP_DOWN).toList();
        assertThat(tries).hasSizeBetween(8, 12);
        assertThat(tries.get(0).reason()).contains("users have not waited for 30", "so it is tried whether the level is still needed");
        assertThat(plant.tier.decisions).filteredOn(decision -> decision.numbers().getOrDefault("response_time", 0.0) > TARGET)
                .as("seconds in which users waited").hasSizeLessThanOrEqualTo(5 + tries.size() * 4);
        noLevelDownCostsMoreThanItsPrice(plant.tier);
        assertThat(plant.tier.decisions).noneMatch(decision -> decision.scenario() == Scenario.BUDGET_SPENT);
    }
}
