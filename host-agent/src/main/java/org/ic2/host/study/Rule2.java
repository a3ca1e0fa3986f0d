// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.study;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.ic2.host.sim.Burner;
import org.ic2.host.sim.DutyCycle;
import org.ic2.host.sim.GuestCounts;
import org.ic2.host.sim.GuestPlan;
import org.ic2.host.sim.SchedulerKind;
import org.ic2.host.sim.SchedulerSettings;
import org.ic2.host.sim.SimGuest;
import org.ic2.host.sim.SimMachine;
import org.ic2.host.sim.SimPool;
import org.ic2.host.sim.SwitchCosts;

/**
 * What a cap of 100 % does to a guest of small weight on one CPU that is not full (iTune, rule 2): with 30 % taken by another,
 * it should get the other 70.
 */
final class Rule2 implements Simulation {
    private static final int SECONDS = 30;

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
                    findings.addAll(arm(seed, kind, weight, 0));
                    findings.addAll(arm(seed, kind, weight, 1000));
                }
            }
        }
        return findings;
    }

    private List<Finding> arm(long seed, SchedulerKind kind, int weight, int cap) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-G", kind, 1, SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        machine.guest(GuestPlan.of("ls").weight(weight), pool, i -> new DutyCycle(machine.random(), 0.3, 0.01));
        SimGuest burner = machine.guest(GuestPlan.of("nls").cap(cap), pool, i -> new Burner());
        machine.run(SECONDS * 1_000_000_000L);
        GuestCounts counts = burner.counts();
        String arm = kind.key() + " " + weight + ":256, cap " + cap / 10 + " %";
        return List.of(new Finding(name(), seed, arm, "burner runs", 100 * counts.run() / SECONDS, "%"),
                new Finding(name(), seed, arm, "burner waits", 100 * counts.waited() / SECONDS, "%"),
                new Finding(name(), seed, arm, "burner is parked", 100 * counts.parked() / SECONDS, "%"));
    }
}
