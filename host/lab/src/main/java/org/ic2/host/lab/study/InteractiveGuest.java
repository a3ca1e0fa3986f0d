// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
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
 * A guest that computes 2 of 10 ms beside two that always do, on one CPU: what time slice, weight and scheduler do to its
 * waiting, beside traces of 4 s from Xen 4.17. There the guest's own timers woke it more often, and the recording's machine
 * was not exact: directions can be compared, levels cannot.
 */
public final class InteractiveGuest implements Simulation {
    private static final int SECONDS = 40;

    /**
     * A setting.
     *
     * @param recorded waiting of the guest in Xen, % of the time
     * @param sample   the recording's name
     */
    public record Setup(String name, SchedulerKind kind, SchedulerSettings settings, int weight, double recorded, String sample) {
    }

    /** The recorded settings; the first is the default. */
    public static List<Setup> setups() {
        return List.of(
                new Setup("credit, default", SchedulerKind.CREDIT, SchedulerSettings.DEFAULT, 256, 21.4,
                        "70-c1-ts30-equal-xenalyze"),
                new Setup("credit, time slice 5 ms", SchedulerKind.CREDIT, new SchedulerSettings(5, 1000), 256, 3.3,
                        "71-c1-ts5-equal-xenalyze"),
                new Setup("credit, Table 3: 34 ms, 1.6 ms, weight 43008", SchedulerKind.CREDIT, new SchedulerSettings(34, 1600),
                        43_008, 5.2, "72-c1-ts34-w43008-xenalyze"),
                new Setup("credit2, default", SchedulerKind.CREDIT2, SchedulerSettings.DEFAULT, 256, 40.2,
                        "73-c2-equal-xenalyze"));
    }

    /** What happens to the guest in 40 s. */
    public static GuestCounts simulate(Setup setup, long seed) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-G", setup.kind(), 1, setup.settings(), SwitchCosts.BARE);
        machine.guest(GuestPlan.of("g1"), pool, cpu -> new Burner());
        machine.guest(GuestPlan.of("g2"), pool, cpu -> new Burner());
        SimGuest guest = machine.guest(GuestPlan.of("g4").weight(setup.weight()), pool,
                cpu -> new DutyCycle(machine.random(), 0.2, 0.01));
        machine.run(SECONDS * 1_000_000_000L);
        return guest.counts();
    }

    @Override
    public String name() {
        return "interactive";
    }

    @Override
    public String about() {
        return "waiting of an interactive guest beside burners, by time slice, weight and scheduler, and in traces of Xen 4.17";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (Setup setup : setups()) {
            for (long seed : seeds) {
                GuestCounts counts = simulate(setup, seed);
                findings.add(new Finding(name(), seed, setup.name(), "waits in Xen", setup.recorded(), "%"));
                findings.add(new Finding(name(), seed, setup.name(), "waits", 100 * counts.waited() / SECONDS, "%"));
                findings.add(new Finding(name(), seed, setup.name(), "runs", 100 * counts.run() / SECONDS, "%"));
            }
        }
        return findings;
    }
}
