// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ic2.training.run.Change;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;

class PlansTest {
    private static final Duration PHASE = Duration.ofSeconds(60);

    /** Seconds for which each rung is set between two moments of a run. */
    private static Map<String, Long> seconds(RunPlan plan, long from, long to) {
        Map<String, Long> seconds = new TreeMap<>();
        for (long second = from; second < to; second++) {
            String rung = null;
            for (Change change : plan.changes()) {
                if (change.at().toSeconds() <= second) {
                    rung = ((Change.SetValues) change).values().get("MITIGATION");
                }
            }
            seconds.merge(rung, 1L, Long::sum);
        }
        return seconds;
    }

    @Test
    void everyRungHasTheSameShareOfWhatIsLabelledOnBothSides() {
        List<RunPlan> plans = new Plans(10, 1, PHASE, PHASE).ladder("k", 5, Plans.TRAINING, Duration.ofSeconds(15));
        assertThat(plans).hasSize(5).allSatisfy(plan -> {
            assertThat(seconds(plan, 15, 60)).as("quiet").isEqualTo(Map.of("0", 9L, "1", 9L, "2", 9L, "3", 9L, "4", 9L));
            assertThat(seconds(plan, 75, 120)).as("loud").isEqualTo(Map.of("0", 9L, "1", 9L, "2", 9L, "3", 9L, "4", 9L));
        });
        assertThat(plans).extracting(plan -> plan.changes().get(0)).as("another first rung in each run").doesNotHaveDuplicates()
                .hasSize(5);
    }

    @Test
    void aSettlingLongerThanThePhaseLeavesHalfOfIt() {
        RunPlan plan = new Plans(10, 1, PHASE, PHASE).ladder("k", 1, Plans.TRAINING, Duration.ofMinutes(5)).get(0);
        assertThat(seconds(plan, 30, 60)).hasSize(5).containsValue(6L);
    }
}
