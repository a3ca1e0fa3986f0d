// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Terms;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** The shipped rules: the paper's Table 3 and Algorithm 1. */
class KnowledgeBaseTest {
    private static final Settings BASE = Lever.settings(650, 5000, 50, 0);
    private static final Bounds BOUNDS =
            new Bounds(Lever.settings(300, 5000, 10, 0), Lever.settings(900, 30_000, 400, 4));
    private static final Set<Lever> PAPER =
            EnumSet.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.PHP_MAX_CHILDREN);
    private static final Medians NORMAL = new Medians(Map.of(Metric.LOAD_PER_OPERATION, 0.005,
            Metric.RESPONSE_TIME, 0.05, Metric.THROUGHPUT, 100.0, Metric.STEAL, 0.01, Metric.MEMORY_LATENCY, 100.0,
            Metric.CPI, 1.5, Metric.PAGE_FAULTS, 1.0), 100);

    private final KnowledgeBase knowledge = Shipped.rules();

    /** RT 1.05 s, LPO 0.00625: 20 % of it is the neighbour's. */
    private static Sample.Builder slow() {
        return Sample.at(Instant.EPOCH).set(Metric.RESPONSE_TIME, 1.05).set(Metric.THROUGHPUT, 80)
                .set(Metric.CPU_UTIL, 0.5);
    }

    private Plan plan(Sample.Builder sample) {
        return knowledge.plan(BASE, BOUNDS, PAPER, new Features(sample.build(), NORMAL));
    }

    @Test
    void theWallIsALeverOfTwoCausesAndItsLevelANumber() {
        String text = Shipped.text("rules.yaml");
        Map<Cause, CauseLevers> causes = RulesYaml.read("rules.yaml", text).causes();
        assertThat(causes.get(Cause.CRAWLERS).does()).isEqualTo("levels 2 to 4, the wall after level 2");
        assertThat(causes.get(Cause.SLOW_DEPENDENCY).does()).isEqualTo("levels 3 to 4, the wall after level 3");
        assertThat(causes.get(Cause.SURGE).wall()).as("nobody is turned away").isNegative();
        CauseLevers alone = RulesYaml.read("x", text.replace("    levels: [2, 4]", "    levels: []").replace("wall: 2", "wall: 0")).causes().get(Cause.CRAWLERS);
        assertThat(alone.any()).isTrue();
        assertThat(alone.does()).isEqualTo("the wall first");
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", text.replace("wall: 2", "wall: 5"))).isInstanceOf(FormatException.class)
                .hasMessageMatching("rules.yaml:\\d+: causes.crawlers.wall: expected the level .*, 0 to 4, the last of levels, got 5");
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", text, Terms.shipped(), 2)).isInstanceOf(FormatException.class)
                .hasMessageMatching("rules.yaml:\\d+: causes.slow-dependency.wall: expected the level .*, 0 to 2, the ladder's last, got 3");
        for (String wrong : List.of("-1", "100", "up", "2.5", "[2]", "")) {
            assertThatThrownBy(() -> RulesYaml.read("x", text.replace("wall: 2", "wall: " + wrong))).as(wrong)
                    .isInstanceOf(FormatException.class).hasMessageContaining("wall");
        }
    }

    @Test
    void interferenceWithoutCountersIsRow3AndAlgorithm1() {
        Plan plan = plan(slow());
        assertThat(plan.rules()).containsExactly("llc-miss-rate");
        assertThat(plan.evidence()).anyMatch(line -> line.contains("interference without counters"));
        // MXC: 650 x (0.00625 - 0.005) / 0.00625 = 130; KAT: 3 x (1.05 - 0.05) = 3 s; PHP: 400
        assertThat(plan.values()).isEqualTo(Lever.settings(520, 8000, 400, 0));
        assertThat(plan.numbers()).containsEntry("algorithm.mxc.base", 650.0)
                .hasEntrySatisfying("algorithm.mxc.delta", delta -> assertThat(delta).isBetween(-130.01, -129.99))
                .containsEntry("algorithm.mxc.bounded", 520.0)
                .hasEntrySatisfying("algorithm.kat.delta", delta -> assertThat(delta).isBetween(2.999, 3.001))
                .containsEntry("algorithm.php.bounded", 400.0);
    }

    @Test
    void row3ByItsCounters() {
        for (Sample.Builder sample : List.of(slow().set(Metric.CMR, 0.15), slow().set(Metric.CPI, 2.1),
                slow().set(Metric.MEMORY_LATENCY, 150))) {
            assertThat(plan(sample).rules()).containsExactly("llc-miss-rate");
            assertThat(plan(sample).evidence()).singleElement().asString().startsWith("llc-miss-rate: ");
        }
    }

    @Test
    void row2BySteal() {
        Plan plan = plan(slow().set(Metric.STEAL, 0.4));
        assertThat(plan.rules()).containsExactly("virtual-physical-cpu-ratio");
        assertThat(plan.values()).isEqualTo(Lever.settings(520, 8000, 50, 0));
        assertThat(plan.evidence()).containsExactly("virtual-physical-cpu-ratio: steal_excess 0.39 > 0.05");
    }

    @Test
    void row1ByMoreWorkAndIdleMemory() {
        Plan plan = plan(slow().set(Metric.THROUGHPUT, 140).set(Metric.CPU_UTIL, 0.7).set(Metric.MEMORY_IDLE, 0.5));
        assertThat(plan.rules()).containsExactly("increased-workload");
        assertThat(plan.values()).isEqualTo(Lever.settings(900, 5000, 400, 0));
    }

    @Test
    void row4ByTheHostsMemory() {
        Plan plan = plan(slow().set(Metric.HOST_MEMORY_PRESSURE, 0.2));
        assertThat(plan.rules()).containsExactly("host-memory-contention");
        assertThat(plan.values()).isEqualTo(Lever.settings(520, 5000, 25, 0));
    }

    @Test
    void row5ByPageFaultsWithLittleActiveMemory() {
        Plan plan = plan(slow().set(Metric.PAGE_FAULTS, 300).set(Metric.MEMORY_ACTIVE, 0.2));
        assertThat(plan.rules()).containsExactly("page-faults");
        assertThat(plan.values()).isEqualTo(BASE.with(Lever.PHP_MAX_CHILDREN, 25));
        assertThat(plan(slow().set(Metric.PAGE_FAULTS, 300)).rules())
                .as("active memory is not known to be low").containsExactly("llc-miss-rate");
    }

    @Test
    void theFirstRowDecidesWhereTwoConflict() {
        Plan plan = plan(slow().set(Metric.PAGE_FAULTS, 300).set(Metric.MEMORY_ACTIVE, 0.2).set(Metric.CMR, 0.2)
                .set(Metric.STEAL, 0.4));
        assertThat(plan.rules()).containsExactly("page-faults", "llc-miss-rate", "virtual-physical-cpu-ratio");
        assertThat(plan.values()).isEqualTo(Lever.settings(520, 8000, 25, 0));
        assertThat(plan.evidence()).contains("llc-miss-rate: php-max-children overruled by page-faults",
                "virtual-physical-cpu-ratio: max-request-workers overruled by llc-miss-rate");
    }

    @Test
    void everyValueIsBounded() {
        Plan plan = plan(slow().set(Metric.RESPONSE_TIME, 60).set(Metric.CPU_UTIL, 1).set(Metric.THROUGHPUT, 1));
        assertThat(plan.values()).isEqualTo(Lever.settings(300, 30_000, 400, 0));
    }

    @Test
    void aLoadPerOperationBelowNormalMovesNothingTheOtherWay() {
        Plan plan = plan(slow().set(Metric.CPU_UTIL, 0.1).set(Metric.RESPONSE_TIME, 0.01));
        assertThat(plan.values().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(650);
        assertThat(plan.values().get(Lever.KEEP_ALIVE_TIMEOUT)).isEqualTo(5000);
    }

    @Test
    void aMissingNumberLeavesTheLeverAndSaysSo() {
        Plan plan = plan(Sample.at(Instant.EPOCH).set(Metric.RESPONSE_TIME, 1.05));
        assertThat(plan.values()).isEqualTo(Lever.settings(650, 8000, 400, 0));
        assertThat(plan.evidence()).anyMatch(line -> line.startsWith("max-request-workers stays"));
    }

    @Test
    void onlyAllowedLeversMove() {
        Plan plan = knowledge.plan(BASE, BOUNDS, EnumSet.of(Lever.KEEP_ALIVE_TIMEOUT),
                new Features(slow().build(), NORMAL));
        assertThat(plan.values()).isEqualTo(BASE.with(Lever.KEEP_ALIVE_TIMEOUT, 8000));
    }

    @Test
    void aConstantOnTheWrongSideOfTheBaselineMovesNothing() {
        Settings large = Lever.settings(650, 5000, 400, 0);
        Bounds wide = new Bounds(Lever.settings(300, 5000, 10, 0), Lever.settings(900, 30_000, 800, 4));
        Move up = new Move(Lever.PHP_MAX_CHILDREN, Direction.UP, new UpdateFunction.Constant(300));
        assertThat(up.target(large.get(Lever.PHP_MAX_CHILDREN), new Features(slow().build(), NORMAL))).isEqualTo(400);
        assertThat(wide.clamp(Lever.PHP_MAX_CHILDREN, 400)).isEqualTo(400);
    }

    @Test
    void allFiveRowsAreThereWithReasons() {
        assertThat(knowledge.rules()).extracting(rule -> rule.row().orElseThrow()).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
        assertThat(knowledge.rules()).allSatisfy(rule -> assertThat(rule.reason()).hasSizeGreaterThan(20));
        assertThat(knowledge.toText()).contains("llc-miss-rate (row 3)", "max-request-workers down by base x (LPO",
                "keep-alive-timeout up by 3 x (RT - RT_ni)", "php-max-children up to 400");
    }
}
