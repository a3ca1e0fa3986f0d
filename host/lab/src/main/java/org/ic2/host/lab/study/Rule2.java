// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.DutyCycle;
import org.ic2.host.lab.sim.GuestCounts;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;

/**
 * What a cap of 100 % does to a guest of small weight on one CPU that is not full (iTune, rule 2): with 30 % taken by another,
 * it should get the other 70. How much it loses depends on how often a tick finds the other one running, as only then is that
 * one dealt credits: one that computes at random times is found all the time; one that computes every 10.16 ms, as the recorded
 * guest did, is found in some beats of the two clocks and not in others.
 */
final class Rule2 implements Simulation {
    private static final int SECONDS = 30;
    /** What xentop showed of the burner in Xen 4.17, % of the CPU: weight of the other, without and with the cap. */
    private static final Map<Integer, double[]> RECORDED = Map.of(256, new double[] {73.3, 65.2}, 1024, new double[] {72.0, 64.9},
            43_008, new double[] {69.4, 61.2});

    @Override
    public String name() {
        return "rule2";
    }

    @Override
    public String about() {
        return "iTune's rule 2: a cap of one CPU on a guest of small weight, beside an idle CPU (Credit1 and Credit2)";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            for (SchedulerKind kind : SchedulerKind.values()) {
                for (int weight : new int[] {256, 1024, 43_008}) {
                    for (boolean regular : new boolean[] {false, true}) {
                        findings.addAll(arm(seed, kind, weight, regular, 0));
                        findings.addAll(arm(seed, kind, weight, regular, 1000));
                    }
                }
            }
        }
        return findings;
    }

    private List<Finding> arm(long seed, SchedulerKind kind, int weight, boolean regular, int cap) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-G", kind, 1, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        SimGuest burner = machine.guest(GuestPlan.of("nls").cap(cap), pool, i -> new Burner());
        machine.run(machine.random().nextInt(20_000_000));
        GuestCounts before = burner.counts();
        machine.guest(GuestPlan.of("ls").weight(weight), pool,
                i -> new DutyCycle(machine.random(), regular ? 0.31 : 0.3, regular ? 0.01016 : 0.01, regular ? 0.02 : 0.5));
        machine.run(SECONDS * 1_000_000_000L);
        GuestCounts counts = burner.counts().since(before);
        String arm = kind.key() + " " + weight + ":256, " + (regular ? "regular" : "random") + ", cap " + cap / 10 + " %";
        List<Finding> findings = new ArrayList<>();
        if (kind == SchedulerKind.CREDIT && regular) {
            findings.add(new Finding(name(), seed, arm, "burner runs in Xen", RECORDED.get(weight)[cap == 0 ? 0 : 1], "%"));
        }
        findings.addAll(List.of(new Finding(name(), seed, arm, "burner runs", 100 * counts.run() / SECONDS, "%"),
                new Finding(name(), seed, arm, "burner waits", 100 * counts.waited() / SECONDS, "%"),
                new Finding(name(), seed, arm, "burner is parked", 100 * counts.parked() / SECONDS, "%")));
        return findings;
    }
}
