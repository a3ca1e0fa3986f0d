// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;

class PlansTest {
    private static final Duration PHASE = Duration.ofSeconds(60);

    /** Seconds for which each level is set between two moments of a run. */
    private static Map<String, Long> seconds(RunPlan plan, long from, long to) {
        Map<String, Long> seconds = new TreeMap<>();
        for (long second = from; second < to; second++) {
            String level = null;
            for (Change change : plan.changes()) {
                if (change.at().toSeconds() <= second) {
                    level = ((Change.SetValues) change).values().get("MITIGATION");
                }
            }
            seconds.merge(level, 1L, Long::sum);
        }
        return seconds;
    }

    @Test
    void everyLevelHasTheSameShareOfWhatIsLabelledOnBothSides() {
        List<RunPlan> plans = new Plans(10, 1, PHASE, PHASE).ladder("k", 7, Plans.TRAINING, "same-core", Duration.ofSeconds(11));
        Map<String, Long> each = Map.of("0", 7L, "1", 7L, "2", 7L, "3", 7L, "4", 7L, "5", 7L, "6", 7L);
        assertThat(plans).hasSize(7).allSatisfy(plan -> {
            assertThat(seconds(plan, 11, 60)).as("quiet").isEqualTo(each);
            assertThat(seconds(plan, 71, 120)).as("loud").isEqualTo(each);
        });
        assertThat(plans).extracting(plan -> plan.changes().get(0)).as("another first level in each run").doesNotHaveDuplicates()
                .hasSize(7);
    }

    @Test
    void aSettlingLongerThanThePhaseLeavesHalfOfIt() {
        RunPlan plan = new Plans(10, 1, PHASE, PHASE).ladder("k", 1, Plans.TRAINING, "same-core", Duration.ofMinutes(5)).get(0);
        assertThat(seconds(plan, 30, 60)).hasSize(7).containsValue(4L);
    }

    private static List<RunPlan> alternating(Plans.Cycles cycles, Duration total) {
        return new Plans(10, 1, Duration.ofSeconds(20), PHASE).alternating("k", total, cycles, List.of("dcopy --size 20MB"),
                List.of("same-core"), AgentArm.observer());
    }

    @Test
    void aLongerQuietBeforeTheFirstComingIsNotRepeated() {
        RunPlan plan = alternating(new Plans.Cycles(3, Duration.ofSeconds(150), PHASE), Duration.ofMinutes(1)).get(0);
        assertThat(plan.neighbours().get(0).schedule()).isEqualTo("150000ms off, 20000ms on, 60000ms off, 20000ms on, "
                + "60000ms off, 20000ms on");
        assertThat(plan.length()).isEqualTo(Duration.ofSeconds(150 + 20 + 60 + 20 + 60 + 20 + 60));
    }

    @Test
    void byDefaultItRestsAlwaysForTheSameTimeAndRunsFillTheTotal() {
        List<RunPlan> plans = alternating(new Plans.Cycles(2, PHASE, Duration.ZERO), Duration.ofMinutes(10));
        assertThat(plans).hasSizeBetween(3, 4).allSatisfy(plan -> {
            assertThat(plan.neighbours().get(0).schedule()).isEqualTo("60000ms off, 20000ms on");
            assertThat(plan.length()).isEqualTo(Duration.ofSeconds(160));
        });
    }

    @Test
    void halfOfTheUsersAskForOtherThingsInTheMiddle() {
        RunPlan plan = new Plans(11, 1, PHASE, PHASE).mix(Duration.ofSeconds(90), AgentArm.observer());
        assertThat(plan.users()).isEqualTo(5);
        assertThat(plan.neighbours()).isEmpty();
        Duration third = Duration.ofSeconds(30);
        assertThat(plan.changes()).containsExactly(new Change.Surge(Duration.ZERO, 5, third), new Change.Crowd(third, 5, third, true),
                new Change.Surge(Duration.ofSeconds(60), 5, third));
        assertThat(plan.named("apart-60-mix-1")).satisfies(named -> assertThat(named.id()).isEqualTo("apart-60-mix-1"))
                .satisfies(named -> assertThat(named.facts()).isEqualTo(plan.facts()));
    }

    @Test
    void interferenceThatStaysComesOnceAfterTimeToLearn() {
        Plans plans = new Plans(10, 1, PHASE, PHASE);
        assertThat(plans.steady(Duration.ofMinutes(10), "llcprobe --size 32MiB", "same-core", AgentArm.observer()).neighbours().get(0)
                .schedule()).isEqualTo("40000ms off, 600000ms on");
        assertThat(plans.steady(Duration.ofMinutes(1), "llcprobe --size 32MiB", "same-core", AgentArm.observer()).neighbours().get(0)
                .schedule()).isEqualTo("15000ms off, 60000ms on");
    }

    @Test
    void noCyclesAndNoQuietAreRefused() {
        assertThatThrownBy(() -> new Plans.Cycles(0, PHASE, PHASE)).hasMessageContaining("--cycles").hasMessageContaining("got 0");
        assertThatThrownBy(() -> new Plans.Cycles(1, Duration.ZERO, PHASE)).hasMessageContaining("--quiet-first");
    }
}
