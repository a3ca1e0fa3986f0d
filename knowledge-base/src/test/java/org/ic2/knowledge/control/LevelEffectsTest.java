// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a level leaves of an operation's CPU is learned from its stays beside a neighbour. */
class LevelEffectsTest {
    private final ControlJson json = new ControlJson();

    private static Policy.Builder policy() {
        return Tier.policy().ladderStep(LadderStep.COMPUTED).levers(Set.of(Lever.MITIGATION));
    }

    /** A tier whose levels leave this of an operation, beside a neighbour who takes 0.45 of the CPU. */
    private static UnaryOperator<Sample.Builder> levels(Tier tier, double... shares) {
        return sample -> {
            double own = 0.55 / 87 * shares[tier.level()];
            double served = Math.min(115, 0.55 / own);
            return Tier.noisy(sample).set(Metric.THROUGHPUT, served).set(Metric.REQUESTS, served)
                    .set(Metric.CPU_UTIL, served * own + 0.45).set(Metric.RESPONSE_TIME, served < 115 ? 0.45 : 0.1);
        };
    }

    private static LevelEffects.Effect at(Tier tier, int level) {
        return tier.state.reliefs().at(level, tier.policy);
    }

    @Test
    void aStayOnALevelIsComparedWithTheSecondsBeforeIt() {
        Tier tier = Tier.settled(policy().build());
        assertThat(at(tier, 3)).isEqualTo(new LevelEffects.Effect(0.5, 0));
        UnaryOperator<Sample.Builder> episode = levels(tier, 1, 0.95, 0.9, 0.7, 0.3);
        tier.until(Action.MITIGATE, 5, episode);
        tier.feed(1 + 6, episode);
        assertThat(at(tier, 3).stays()).as("the first seconds still serve what has waited").isZero();
        tier.feed(1, episode);
        assertThat(at(tier, 3).stays()).isEqualTo(1);
        assertThat(at(tier, 3).share()).isCloseTo(0.7, within(1e-9));
        tier.feed(60, episode);
        assertThat(at(tier, 3).stays()).as("once a stay").isEqualTo(1);
        assertThat(at(tier, 4).stays()).as("never seen").isZero();
    }

    /** Quiet: 100 pages of 5 ms and 1000 files a second. Beside the neighbour users wait for pages, and ask for fewer files. */
    private static Sample.Builder site(Sample.Builder sample, double pages, double files, double stored, double used) {
        Metric.MIX.forEach(metric -> sample.set(metric, 0));
        return sample.set(Metric.MIX_HOME, pages).set(Metric.MIX_FILES, files).set(Metric.MIX_STORED, stored)
                .set(Metric.THROUGHPUT, pages + files + stored).set(Metric.REQUESTS, pages + files + stored).set(Metric.CPU_USED, used);
    }

    @Test
    void withAKnownMixAnOperationIsOneOfTheUsualMix() {
        Tier tier = new Tier(policy().build());
        Random random = new Random(3);
        tier.feed(150, sample -> {
            double pages = 90 + random.nextInt(21);
            double files = 900 + random.nextInt(201);
            return site(Tier.quiet(sample), pages, files, 0, pages * 0.005 + files * 0.00005);
        });
        Decision step = tier.until(Action.MITIGATE, 5, sample -> site(Tier.noisy(sample), 80, 100, 0, 1.2 * (80 * 0.005 + 100 * 0.00005)));
        assertThat(step.numbers().get("step.cpu_per_operation")).as("0.5 ms in the quiet, and a fifth dearer; of one now it is 2.7 ms")
                .isCloseTo(0.0006, within(0.00003));
        int level = tier.level();
        tier.feed(9, sample -> site(Tier.noisy(sample), 40, 1000, 60, 1.2 * (40 * 0.005 + 1000 * 0.00005)));
        assertThat(at(tier, level).stays()).isEqualTo(1);
        assertThat(at(tier, level).share()).as("of 100 pages 40 were built").isCloseTo(250.0 / 550, within(0.03));
    }

    @Test
    void theNextEpisodeStartsAtTheLevelThatWasLearned() {
        Tier tier = Tier.settled(policy().build());
        UnaryOperator<Sample.Builder> episode = levels(tier, 1, 0.95, 0.9, 0.8, 0.3);
        tier.feed(60, episode);
        assertThat(tier.actions()).extracting(decision -> decision.desired().get(Lever.MITIGATION))
                .as("0.5 was assumed of level 3, 0.8 was seen, so a correction was needed").containsExactly(3, 4);
        tier.feed(200, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        Decision second = tier.until(Action.MITIGATE, 5, episode);
        assertThat(second.desired().get(Lever.MITIGATION)).isEqualTo(4);
        assertThat(second.evidence()).anyMatch(line -> line.contains("learned in 1 stay)"));
        assertThat(second.numbers()).containsEntry("step.learned_in", 1.0);
    }

    @Test
    void ofTheStaysTheMedianCountsAndOnlyTheLatest() {
        Tier tier = Tier.settled(policy().targetResponseTime(0.05).build());
        for (int episode = 0; episode < 40; episode++) {
            double third = episode == 20 ? 0.05 : 0.4;
            UnaryOperator<Sample.Builder> conditions = levels(tier, 1, 0.95, 0.9, third, 0.3);
            tier.until(Action.MITIGATE, 3000, conditions);
            tier.feed(9, conditions);
            tier.feed(400, Tier::quiet);
        }
        assertThat(at(tier, 3).stays()).isEqualTo(9);
        assertThat(at(tier, 3).share()).isCloseTo(0.4, within(1e-9));
        assertThat(json.write(tier.state).length()).as("bounded").isLessThan(40_000);
    }

    @Test
    void learnedCostsSurviveARestartAndOtherLevelNumbers() {
        Tier tier = Tier.settled(policy().build());
        tier.feed(30, levels(tier, 1, 0.95, 0.9, 0.4, 0.3));
        ControllerState back = json.readState("state.json", json.write(tier.state)).restarted(Tier.BASE);
        assertThat(back.reliefs().learned()).isEqualTo(tier.state.reliefs().learned());
        assertThat(back.reliefs().beside().size()).as("what was under way is given up").isZero();
        Ladder one = Ladder.empty(Tier.BASE, Tier.BOUNDS, Set.of(Lever.MITIGATION))
                .plus(Settings.of(Lever.MITIGATION, 3));
        assertThat(back.reliefs().at(1, policy().ladder(one).build()).stays()).isEqualTo(1);
    }

    @Test
    void nothingIsLearnedWhereNothingIsAppliedOrRequestsFail() {
        Tier advised = Tier.settled(policy().acting(false).build());
        advised.applying = false;
        advised.feed(60, levels(advised, 1, 1, 1, 1, 1));
        assertThat(advised.actions()).isNotEmpty();
        assertThat(advised.state.reliefs().learned()).isEmpty();
        Tier failing = Tier.settled(policy().build());
        UnaryOperator<Sample.Builder> episode = levels(failing, 1, 0.95, 0.9, 0.4, 0.3);
        failing.feed(60, sample -> episode.apply(sample).set(Metric.ERROR_RATE, 40));
        assertThat(failing.state.reliefs().learned()).isEmpty();
    }

    static List<Long> seeds() {
        return new Random(20261123).longs(50).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whateverComesItStaysSmallAndPossible(long seed) {
        Random random = new Random(seed);
        Tier tier = new Tier(policy().coolDown(Duration.ofSeconds(1 + random.nextInt(10))).build());
        RandomWeather weather = new RandomWeather(seed);
        for (int i = 0; i < 3000; i++) {
            weather.blow(tier);
            LevelEffects reliefs = tier.state.reliefs();
            assertThat(reliefs.learned().size()).isLessThanOrEqualTo(4);
            assertThat(reliefs.learned().values()).allSatisfy(stays -> {
                assertThat(stays.size()).isBetween(1, 9);
                assertThat(stays.median()).isBetween(0.0, 4.0);
            });
            assertThat(reliefs.beside().size()).isLessThanOrEqualTo(5);
            assertThat(reliefs.here().size()).isLessThanOrEqualTo(7);
        }
    }
}
