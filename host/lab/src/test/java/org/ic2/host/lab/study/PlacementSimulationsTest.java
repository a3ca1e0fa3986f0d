// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.ic2.host.lab.study.MemoryHost.Watched;
import org.junit.jupiter.api.Test;

/** Workload-aware placement in the simulator: the directions of its figures, which are properties of our memory model. */
class PlacementSimulationsTest {

    private static double value(List<Finding> findings, String arm, String measure) {
        return findings.stream().filter(one -> one.arm().equals(arm) && one.measure().equals(measure))
                .mapToDouble(Finding::value).findFirst().orElseThrow(() -> new AssertionError("no " + arm + ": " + measure));
    }

    @Test
    void thePlanOfThePapersCaseGivesTheCacheThroughputAndLatency() {
        List<Finding> findings = new LocalPlacement().run(List.of(1L), line -> { });

        assertThat(value(findings, "plan", "cores dedicated")).isEqualTo(2);
        assertThat(value(findings, "plan", "cores memory")).isEqualTo(3);
        assertThat(value(findings, "plan", "cores shared")).isEqualTo(3);
        assertThat(value(findings, "by the plan / nobody pinned", "throughput")).isGreaterThan(1.3);
        assertThat(value(findings, "by the plan / nobody pinned", "mean latency, change")).isLessThan(-50);
    }

    @Test
    void theCacheGoesToTheHostOfTheLowestMemoryIntensityAndGains() {
        List<Finding> findings = new GlobalPlacement().run(List.of(1L), line -> { });

        assertThat(value(findings, "the planner", "lowest host chosen of 4")).isEqualTo(4);
        assertThat(findings).filteredOn(one -> one.arm().equals("chosen host, by the plan")).extracting(Finding::value)
                .allMatch(ratio -> ratio > 1.5);
    }

    /** On the seed of the first five on which it is not enough that the cache moves. */
    @Test
    void theMoreMayMigrateTheLessTimeTheCacheIsInViolation() {
        List<Finding> findings = new DynamicPlacement().run(List.of(4L), line -> { });

        double none = value(findings, "nobody migrates", "time in violation");
        double alone = value(findings, "the cache alone", "time in violation");
        double all = value(findings, "the cache, then others", "time in violation");
        assertThat(all).isLessThan(alone);
        assertThat(alone).isLessThan(none);
        assertThat(value(findings, "nobody migrates", "migrations")).isZero();
    }

    @Test
    void refusedRequestsFollowTheSlowdownAndCacheMissesDoNot() {
        List<Finding> findings = new MemoryMetrics().run(List.of(1L), line -> { });

        assertThat(value(findings, "over one alone's", "r of slowdown with refused requests")).isGreaterThan(0.9);
        assertThat(value(findings, "over one alone's", "r of slowdown with cache misses")).isLessThan(0.5);
        assertThat(value(findings, "as counted", "r of slowdown with cache misses")).isLessThan(0.5);
        assertThat(value(findings, "sjeng", "slowdown of eight")).isCloseTo(1, within(0.02));
    }

    @Test
    void aGuestAloneIsNotSlowedDownAndWorkIsDoneMoreSlowlyWhereMemoryIsContendedFor() {
        Watched alone = new MemoryHost(MemoryHost.mix(false, 1, 0), false, 1).watch(0.2);
        Watched many = new MemoryHost(MemoryHost.mix(false, 8, 0), false, 1).watch(0.2);

        assertThat(alone.counted().get("lbm0").slowdown()).isLessThan(1.05);
        assertThat(many.counted().get("lbm0").slowdown()).isGreaterThan(1.5);
        assertThat(many.intensity("lbm0")).isGreaterThan(alone.intensity("lbm0"));
        // what is counted of the requests of a saturated cache of two cores is what its slowdown leaves of them
        Watched cache = new MemoryHost(MemoryHost.mix(true, 6, 0), true, 1).saturated().watch(1);
        assertThat(cache.throughput()).isCloseTo(2 / MemoryHost.REQUEST / cache.counted().get(MemoryHost.CACHE).slowdown(),
                within(0.05 * cache.throughput()));
    }
}
