// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;

/** The settings of which there are recorded figures of Xen 4.17, with guests that use all CPU that they get. */
public final class RecordedXen implements Simulation {
    private static final int SECONDS = 30;

    /**
     * A setting and what Xen made of it.
     *
     * @param name    of the setting
     * @param kind    of the scheduler
     * @param cpus    of the pool
     * @param pins    where the guests are pinned; empty = nowhere
     * @param weights of the guests
     * @param caps    of the guests, thousandths of a CPU; 0 = none
     * @param shares  that Xen gave them, % of a CPU; empty where a trace was taken
     * @param meanRun mean length of a run, ms; NaN where none was taken
     * @param sample  the recording's name
     */
    public record Setting(String name, SchedulerKind kind, int cpus, List<Integer> pins, List<Integer> weights,
            List<Integer> caps, List<Double> shares, double meanRun, String sample) {
    }

    /** The settings. */
    public static List<Setting> settings() {
        List<Integer> none = List.of(0, 0, 0);
        List<Integer> equal = List.of(256, 256, 256);
        List<Integer> doubling = List.of(256, 512, 1024);
        return List.of(
                new Setting("credit, pinned to 1 of 2 CPUs, 1:2:4", SchedulerKind.CREDIT, 2, List.of(1), doubling, none,
                        List.of(32.3, 34.0, 33.8), Double.NaN, "14-xentop-weights-1-2-4"),
                new Setting("credit, 1 CPU, 1:2:4", SchedulerKind.CREDIT, 1, List.of(), doubling, none,
                        List.of(14.6, 28.9, 56.6), Double.NaN, "32-xentop-credit1-pool-weights-1-2-4"),
                new Setting("credit, 1 CPU, 1:1:3, cap 10 % on the second", SchedulerKind.CREDIT, 1, List.of(),
                        List.of(256, 256, 768), List.of(0, 100, 0), List.of(25.4, 10.0, 64.6), Double.NaN,
                        "33-xentop-credit1-pool-w1-3-cap10-g2"),
                new Setting("credit, 1 CPU, equal", SchedulerKind.CREDIT, 1, List.of(), equal, none,
                        List.of(), 33.2, "36-trace-credit1-equal-xenalyze"),
                new Setting("credit2, 1 CPU, 1:2:4", SchedulerKind.CREDIT2, 1, List.of(), doubling, none,
                        List.of(14.6, 28.5, 56.9), Double.NaN, "40-xentop-credit2-weights-1-2-4"),
                new Setting("credit2, 1 CPU, equal", SchedulerKind.CREDIT2, 1, List.of(), equal, none,
                        List.of(), 1.46, "43-trace-credit2-equal-xenalyze"));
    }

    /** The same and two more, recorded on a machine whose clock counts instructions: Xen without the unrest of its own host. */
    static List<Setting> exact() {
        List<Integer> none = List.of(0, 0, 0);
        List<Integer> equal = List.of(256, 256, 256);
        List<Integer> doubling = List.of(256, 512, 1024);
        List<Integer> third = List.of(0, 0, 250);
        return List.of(
                new Setting("exact: credit, pinned to 1 of 2 CPUs, 1:2:4", SchedulerKind.CREDIT, 2, List.of(1), doubling, none,
                        List.of(33.4, 33.35, 33.3), Double.NaN, "exact/14-xentop-weights-1-2-4"),
                new Setting("exact: credit, the same, cap 25 % on the third", SchedulerKind.CREDIT, 2, List.of(1), doubling,
                        third, List.of(37.4, 37.55, 25.05), Double.NaN, "exact/16-xentop-cap25-on-g3"),
                new Setting("exact: credit, 1 CPU, 1:2:4", SchedulerKind.CREDIT, 1, List.of(), doubling, none,
                        List.of(14.2, 28.8, 57.1), Double.NaN, "exact/32-xentop-credit1-pool-weights-1-2-4"),
                new Setting("exact: credit, 1 CPU, 1:1:3, cap 10 % on the second", SchedulerKind.CREDIT, 1, List.of(),
                        List.of(256, 256, 768), List.of(0, 100, 0), List.of(23.8, 10.0, 66.2), Double.NaN,
                        "exact/33-xentop-credit1-pool-w1-3-cap10-g2"),
                new Setting("exact: credit, 1 CPU, equal", SchedulerKind.CREDIT, 1, List.of(), equal, none,
                        List.of(), 29.71, "exact/36-credit1-equal-xenalyze"),
                new Setting("exact: credit2, 1 CPU, 1:2:4", SchedulerKind.CREDIT2, 1, List.of(), doubling, none,
                        List.of(14.3, 28.6, 57.1), Double.NaN, "exact/40-xentop-credit2-weights-1-2-4"),
                new Setting("exact: credit2, the same, cap 25 % on the third", SchedulerKind.CREDIT2, 1, List.of(), doubling,
                        third, List.of(25.0, 50.0, 25.0), Double.NaN, "exact/41-xentop-credit2-cap25-g3"),
                new Setting("exact: credit2, 1 CPU, equal", SchedulerKind.CREDIT2, 1, List.of(), equal, none,
                        List.of(), 1.0, "exact/43-credit2-equal-xenalyze"));
    }

    /** What the simulator made of a setting: shares of a CPU in %, and the mean run in ms. */
    public record Simulated(List<Double> shares, double meanRun) {
    }

    /** Simulates a setting. */
    public static Simulated simulate(Setting setting, long seed) {
        SimMachine machine = new SimMachine(seed);
        SimPool pool = machine.pool("Pool-G", setting.kind(), setting.cpus(), SchedulerSettings.DEFAULT, SwitchCosts.BARE);
        List<SimGuest> guests = IntStream.range(0, setting.weights().size())
                .mapToObj(i -> GuestPlan.of("g" + (i + 1)).weight(setting.weights().get(i)).cap(setting.caps().get(i))
                        .pinned(setting.pins().toArray(Integer[]::new)))
                .map(plan -> machine.guest(plan, pool, cpu -> new Burner())).toList();
        machine.run(SECONDS * 1_000_000_000L);
        double run = guests.stream().mapToDouble(guest -> guest.counts().run()).sum();
        long runs = guests.stream().mapToLong(guest -> guest.counts().switches()).sum();
        return new Simulated(guests.stream().map(guest -> 100 * guest.counts().run() / SECONDS).toList(), 1000 * run / runs);
    }

    @Override
    public String name() {
        return "recorded-xen";
    }

    @Override
    public String about() {
        return "the simulator beside figures recorded from Xen 4.17: shares by weight, cap and pinning, mean run";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        List<Setting> all = new ArrayList<>(settings());
        all.addAll(exact());
        for (Setting setting : all) {
            for (long seed : seeds) {
                Simulated simulated = simulate(setting, seed);
                for (int i = 0; i < setting.shares().size(); i++) {
                    String guest = "g" + (i + 1);
                    findings.add(new Finding(name(), seed, setting.name(), guest + " in Xen", setting.shares().get(i), "%"));
                    findings.add(new Finding(name(), seed, setting.name(), guest, simulated.shares().get(i), "%"));
                }
                if (!Double.isNaN(setting.meanRun())) {
                    findings.add(new Finding(name(), seed, setting.name(), "mean run in Xen", setting.meanRun(), "ms"));
                    findings.add(new Finding(name(), seed, setting.name(), "mean run", simulated.meanRun(), "ms"));
                }
            }
        }
        return findings;
    }
}
