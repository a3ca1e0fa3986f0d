// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.MemoryBus;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.sim.SchedulerSettings;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.SwitchCosts;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * A scenario file, read strictly: the host's memory, its pools, Dom0 and the guests with their work. The
 * resource example.yaml has every key.
 */
public final class ScenarioFile {
    private static final int MOST_GUESTS = 500;

    private final SimMachine machine;
    private final Map<String, SimPool> pools = new LinkedHashMap<>();
    private final List<GuestFile> guests = new ArrayList<>();

    private ScenarioFile(YamlMap file, OptionalLong seed) throws ConfigException {
        int own = file.integer("seed", 1);
        machine = new SimMachine(seed.orElse(own));
        SwitchCosts costs = SwitchCosts.of(atLeast(file, "refill-us", file.integer("refill-us", 0), 0),
                atLeast(file, "migration-us", file.integer("migration-us", 0), 0));
        YamlMap pool = file.map("pools");
        for (String name : pool.names()) {
            pools.put(name, pool(name, pool.map(name), costs));
        }
        if (pools.isEmpty()) {
            throw file.error("pools", "expected at least one pool, such as Pool-0: {cpus: 4}");
        }
    }

    /**
     * The host that a file describes, at the beginning of its time.
     *
     * @param name for errors
     * @throws ConfigException naming line and key of what is wrong
     */
    public static SimHost read(String name, String text) throws ConfigException {
        return read(name, text, OptionalLong.empty());
    }

    /** The same with a seed in place of its own. */
    public static SimHost read(String name, String text, long seed) throws ConfigException {
        return read(name, text, OptionalLong.of(seed));
    }

    private static SimHost read(String name, String text, OptionalLong seed) throws ConfigException {
        YamlMap file = YamlMap.parse(name, text);
        file.only(List.of("seed", "memory", "refill-us", "migration-us", "pools", "dom0", "guests"));
        ScenarioFile scenario = new ScenarioFile(file, seed);
        Dom0Io io = scenario.dom0(file.mapOrEmpty("dom0"));
        YamlMap guests = file.map("guests");
        for (String guest : guests.names()) {
            scenario.guests(guest, guests, io);
        }
        return scenario.host(file);
    }

    private SimHost host(YamlMap file) throws ConfigException {
        long memory = file.size("memory");
        try {
            SimHost host = new SimHost(machine, memory);
            guests.forEach(guest -> guest.tell(host));
            if (guests.stream().anyMatch(GuestFile::usesMemory)) {
                MemoryBus bus = new MemoryBus(machine);
                guests.forEach(guest -> guest.tell(bus));
                host.shares(bus);
            }
            return host;
        } catch (IllegalArgumentException e) {
            throw file.error("memory", e.getMessage());
        }
    }

    private SimPool pool(String name, YamlMap map, SwitchCosts costs) throws ConfigException {
        map.only(List.of("scheduler", "cpus", "tslice", "ratelimit"));
        SchedulerKind kind = SchedulerKind.of(map.oneOf("scheduler", "credit", "credit", "credit2")).orElseThrow();
        if (kind == SchedulerKind.CREDIT2 && map.has("tslice")) {
            throw map.error("tslice", "Credit2 has no time slice; leave the key out");
        }
        int cpus = atLeast(map, "cpus", map.integer("cpus"), 1);
        if (cpus > 1024) {
            throw map.error("cpus", "expected at most 1024, got " + cpus);
        }
        try {
            SchedulerSettings settings = new SchedulerSettings(map.integer("tslice", 30), map.integer("ratelimit", 1000));
            return machine.pool(name, kind, cpus, settings, costs);
        } catch (IllegalArgumentException e) {
            throw map.error(map.has("tslice") ? "tslice" : "ratelimit", e.getMessage());
        }
    }

    private Dom0Io dom0(YamlMap map) throws ConfigException {
        map.only(List.of("vcpus", "weight", "memory", "pool", "transfer-us"));
        int transfer = atLeast(map, "transfer-us", map.integer("transfer-us", 40), 1);
        long memory = map.has("memory") ? map.size("memory") : 512L << 20;
        ServiceQueue queue = new ServiceQueue(machine);
        try {
            GuestPlan plan = GuestPlan.dom0().vcpus(map.integer("vcpus", 1)).weight(map.integer("weight", 256))
                    .memory(memory, memory, memory);
            machine.guest(plan, pool(map), index -> queue);
        } catch (IllegalArgumentException e) {
            throw map.error(map.has("vcpus") ? "vcpus" : "weight", e.getMessage());
        }
        return new Dom0Io(queue, transfer * 1000L, 0);
    }

    private SimPool pool(YamlMap map) throws ConfigException {
        String name = map.has("pool") ? map.text("pool") : pools.keySet().iterator().next();
        SimPool pool = pools.get(name);
        if (pool == null) {
            throw map.error("pool", "expected one of " + String.join(", ", pools.keySet()) + ", got \"" + name + "\"");
        }
        return pool;
    }

    private void guests(String name, YamlMap all, Dom0Io io) throws ConfigException {
        YamlMap map = all.map(name);
        int count = atLeast(map, "count", map.integer("count", 1), 1);
        if (guests.size() + count > MOST_GUESTS) {
            throw all.error(name, "expected at most " + MOST_GUESTS + " guests together, got " + (guests.size() + count));
        }
        for (int i = 1; i <= count; i++) {
            String one = count == 1 ? name : name + i;
            if (machine.guests().stream().anyMatch(guest -> guest.name().equals(one))) {
                throw all.error(name, "expected a name of its own, got a second " + one);
            }
            guests.add(new GuestFile(map, machine, pool(map), io, one));
        }
    }

    static int atLeast(YamlMap map, String key, int value, int least) throws ConfigException {
        if (value < least) {
            throw map.error(key, "expected at least " + least + ", got " + value);
        }
        return value;
    }
}
