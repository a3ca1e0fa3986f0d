// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.ic2.host.control.CorePlanner.Plan;
import org.ic2.host.control.CorePlanner.Use;
import org.ic2.host.lab.sim.MemoryUse;
import org.ic2.host.lab.study.MemoryHost.Watched;

/**
 * Workload-aware placement on one host (figure 8): a cache of two virtual CPUs, six guests that use memory much and six that hardly
 * do, on eight cores; nobody pinned, and each where the plan has it.
 */
public final class LocalPlacement implements Simulation {
    private static final double SECONDS = 2;
    /** Of the throughput that there is without a plan. */
    private static final double LOAD = 0.8;

    @Override
    public String name() {
        return "local-placement";
    }

    @Override
    public String about() {
        return "workload-aware placement, figure 8: throughput and latency of a cache beside twelve guests, pinned by the plan or not";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        Map<String, MemoryUse> work = MemoryHost.mix(true, 6, 6);
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            Plan plan = MemoryHost.plan(work);
            for (Use use : Use.values()) {
                findings.add(new Finding(name(), seed, "plan", "cores " + use.name().toLowerCase(java.util.Locale.ROOT), plan.cores(use).size(), ""));
            }
            Watched free = new MemoryHost(work, false, seed).saturated().watch(SECONDS);
            Watched pinned = new MemoryHost(work, true, seed).saturated().watch(SECONDS);
            double rate = LOAD * free.throughput();
            Watched calmFree = new MemoryHost(work, false, seed).loaded(rate).watch(SECONDS);
            Watched calmPinned = new MemoryHost(work, true, seed).loaded(rate).watch(SECONDS);
            show(findings, seed, "nobody pinned", free, calmFree);
            show(findings, seed, "by the plan", pinned, calmPinned);
            findings.add(new Finding(name(), seed, "by the plan / nobody pinned", "throughput", pinned.throughput() / free.throughput(), ""));
            findings.add(change(seed, "mean latency", calmFree.mean(), calmPinned.mean()));
            findings.add(change(seed, "95th percentile", calmFree.tail(), calmPinned.tail()));
            progress.accept("seed " + seed);
        }
        return findings;
    }

    private Finding change(long seed, String measure, double before, double after) {
        return new Finding(name(), seed, "by the plan / nobody pinned", measure + ", change", 100 * (after / before - 1), "%");
    }

    private void show(List<Finding> findings, long seed, String arm, Watched full, Watched calm) {
        findings.add(new Finding(name(), seed, arm, "greatest throughput", full.throughput(), "1/s"));
        findings.add(new Finding(name(), seed, arm, "mean latency at " + Math.round(100 * LOAD) + " % of nobody pinned's", 1000 * calm.mean(), "ms"));
        findings.add(new Finding(name(), seed, arm, "95th percentile there", 1000 * calm.tail(), "ms"));
        findings.add(new Finding(name(), seed, arm, "memory intensity of the host", full.intensity(), "of one lbm alone"));
    }
}
