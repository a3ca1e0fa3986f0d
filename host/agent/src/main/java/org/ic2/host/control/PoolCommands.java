// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.ic2.host.control.CorePlanner.Place;
import org.ic2.host.control.CorePlanner.Plan;
import org.ic2.host.control.CorePlanner.Use;
import org.ic2.host.model.Guest;
import org.ic2.host.model.Pool;

/**
 * A plan as commands for Xen's cpupools that a person may run. In a pool of their own guests are not pinned, so that Credit1 goes by
 * their weights. The program itself moves no guest between pools: once that brought Xen 4.17.7 down (host/docs/study.md).
 */
final class PoolCommands {
    /** What begins a line for a person. */
    static final String BY_HAND = "by hand: ";

    private static final String SAFE = "[A-Za-z0-9_.-]+";

    private final Pool pool;
    private final Deque<Integer> free;
    private final List<String> lines = new ArrayList<>();

    private PoolCommands(Pool pool) {
        this.pool = pool;
        free = new ArrayDeque<>(pool.cpus().stream().sorted(Comparator.reverseOrder()).toList());
    }

    /**
     * The commands, in an order that works: a CPU is free before a pool gets it, and a pool has its CPUs before its guests come.
     *
     * @param plan    which virtual CPUs belong together
     * @param pool    in which all guests are
     * @param tenants the guests of the plan
     */
    static List<String> lines(Plan plan, Pool pool, Collection<Guest> tenants) {
        if (!pool.name().matches(SAFE) || tenants.stream().anyMatch(guest -> !guest.id().matches(SAFE))) {
            return List.of("expected plain names of pool and guests for commands, got " + pool.name());
        }
        PoolCommands commands = new PoolCommands(pool);
        List<Guest> alone = tenants.stream().filter(guest -> all(plan, guest, Use.DEDICATED)).toList();
        List<Guest> memory = tenants.stream().filter(guest -> all(plan, guest, Use.MEMORY)).toList();
        commands.make("ic2-ls", alone, alone.stream().mapToInt(Guest::vcpus).sum());
        commands.make("ic2-mem", memory, plan.cores(Use.MEMORY).size());
        if (commands.lines.isEmpty()) {
            return List.of(BY_HAND + "nothing: no guest needs a pool of its own");
        }
        List<String> all = new ArrayList<>(List.of(BY_HAND + "on a host that you can do without for a moment; the new pools have " + pool.name()
                + "'s scheduler, as a guest that came back from a Credit2 pool once brought Xen 4.17.7 down"));
        commands.lines.forEach(line -> all.add(BY_HAND + line));
        all.add(BY_HAND + "weights and caps again, of each guest that has moved: Xen gives it weight 256 and no cap in its new pool");
        return all;
    }

    private static boolean all(Plan plan, Guest guest, Use use) {
        List<Place> places = plan.places().stream().filter(place -> place.vcpu().guest().equals(guest.uuid())).toList();
        return !places.isEmpty() && places.stream().allMatch(place -> place.use() == use);
    }

    /** The highest CPUs go: the host's own domain starts on the lowest, and its pool keeps one at least. */
    private void make(String name, List<Guest> guests, int cpus) {
        if (guests.isEmpty() || free.size() <= cpus) {
            return;
        }
        for (int i = 0; i < cpus; i++) {
            int cpu = free.poll();
            lines.add("xl cpupool-cpu-remove " + pool.name() + " " + cpu);
            lines.add(i == 0 ? "xl cpupool-create 'name=\"" + name + "\"' 'sched=\"" + pool.scheduler() + "\"' 'cpus=[\"" + cpu + "\"]'"
                    : "xl cpupool-cpu-add " + name + " " + cpu);
        }
        guests.forEach(guest -> lines.add("xl cpupool-migrate " + guest.id() + " " + name));
    }
}
