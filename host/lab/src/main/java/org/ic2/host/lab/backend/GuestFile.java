// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import org.ic2.host.lab.sim.Burner;
import org.ic2.host.lab.sim.Dom0Io;
import org.ic2.host.lab.sim.DutyCycle;
import org.ic2.host.lab.sim.GuestPlan;
import org.ic2.host.lab.sim.MemAccess;
import org.ic2.host.lab.sim.MemoryBus;
import org.ic2.host.lab.sim.MemoryModel;
import org.ic2.host.lab.sim.MemoryUse;
import org.ic2.host.lab.sim.NextAction;
import org.ic2.host.lab.sim.ParallelProgram;
import org.ic2.host.lab.sim.ServiceQueue;
import org.ic2.host.lab.sim.SimGuest;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.sim.SimMachine;
import org.ic2.host.lab.sim.SimPool;
import org.ic2.host.lab.sim.Users;
import org.ic2.host.lab.sim.Workload;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Sizes;
import org.ic2.runtime.yaml.YamlMap;

/** A guest of a scenario file, with its work. */
final class GuestFile {
    private static final List<String> KEYS = List.of("count", "vcpus", "weight", "cap", "pins", "pool", "memory", "memory-min",
            "memory-max", "memory-use", "work");
    private static final Map<String, MemoryUse> USES = Map.of("lbm", MemoryUse.LBM, "gems", MemoryUse.GEMS, "zeusmp", MemoryUse.ZEUSMP,
            "sjeng", MemoryUse.SJENG, "cache", MemoryUse.CACHE);

    private final SimMachine machine;
    private final SimPool pool;
    private final Dom0Io io;
    private final GuestPlan plan;
    private final SimGuest guest;
    private final Optional<MemoryUse> use;
    private Optional<MemAccess> memory = Optional.empty();

    GuestFile(YamlMap map, SimMachine machine, SimPool pool, Dom0Io io, String name) throws ConfigException {
        map.only(KEYS);
        this.machine = machine;
        this.pool = pool;
        this.io = io;
        plan = plan(map, name);
        use = map.optionalParsed("memory-use", text -> Optional.ofNullable(USES.get(text)).orElseThrow(() ->
                new IllegalArgumentException("expected one of " + String.join(", ", new TreeSet<>(USES.keySet())) + ", got \"" + text + "\"")));
        guest = work(map.map("work"));
    }

    /** True if something is said of what it asks of what the cores share. */
    boolean usesMemory() {
        return use.isPresent();
    }

    /** Tells the memory what it asks for. */
    void tell(MemoryBus bus) {
        use.ifPresent(of -> bus.uses(guest, of));
    }

    /** Tells the host what it cannot see by itself. */
    void tell(SimHost host) {
        memory.ifPresent(access -> host.uses(guest, access::used));
    }

    private GuestPlan plan(YamlMap map, String name) throws ConfigException {
        GuestPlan usual = GuestPlan.of(name);
        long atFirst = map.has("memory") ? map.size("memory") : usual.memory();
        long least = map.has("memory-min") ? map.size("memory-min") : Math.min(atFirst, usual.memoryMin());
        long most = map.has("memory-max") ? map.size("memory-max") : atFirst;
        List<Integer> pins = new ArrayList<>();
        for (String pin : map.has("pins") ? map.textOrTexts("pins") : List.<String>of()) {
            if (!pin.matches("\\d{1,4}") || Integer.parseInt(pin) >= pool.size()) {
                throw map.error("pins", "expected CPUs 0 to " + (pool.size() - 1) + " of " + pool.name() + ", got \"" + pin
                        + "\"");
            }
            pins.add(Integer.parseInt(pin));
        }
        double cap = map.has("cap") ? map.number("cap") : 0;
        if (!(cap >= 0) || cap > 0 && cap < 0.01) {
            throw map.error("cap", "expected CPUs, 0.01 or more, or 0 for none, got " + cap);
        }
        int vcpus = ScenarioFile.atLeast(map, "vcpus", map.integer("vcpus", 1), 1);
        try {
            int thousandths = (int) Math.round(Math.min(cap, 1000) * 1000);
            return new GuestPlan(name, false, vcpus, map.integer("weight", 256), thousandths, pins, atFirst, least, most);
        } catch (IllegalArgumentException e) {
            throw map.error("memory", e.getMessage());
        }
    }

    private SimGuest work(YamlMap map) throws ConfigException {
        String type = map.oneOf("type", "", "idle", "burner", "duty", "server", "memaccess", "barrier");
        return switch (type) {
            case "idle" -> plain(map, List.of("type"), index -> cpu -> NextAction.END);
            case "burner" -> plain(map, List.of("type"), index -> new Burner());
            case "duty" -> duty(map);
            case "server" -> server(map);
            case "memaccess" -> memAccess(map);
            default -> barrier(map);
        };
    }

    private SimGuest plain(YamlMap map, List<String> keys, IntFunction<Workload> work) throws ConfigException {
        map.only(keys);
        return machine.guest(plan, pool, work);
    }

    private SimGuest duty(YamlMap map) throws ConfigException {
        map.only(List.of("type", "duty", "period"));
        double duty = map.number("duty");
        if (!(duty >= 0 && duty <= 1)) {
            throw map.error("duty", "expected 0 to 1, got " + duty);
        }
        double period = seconds(map, "period", Duration.ofMillis(20));
        return machine.guest(plan, pool, index -> new DutyCycle(machine.random(), duty, period));
    }

    private SimGuest server(YamlMap map) throws ConfigException {
        map.only(List.of("type", "users", "think", "cpu-ms", "request", "response"));
        int users = ScenarioFile.atLeast(map, "users", map.integer("users"), 1);
        if (users > 100_000) {
            throw map.error("users", "expected at most 100000, got " + users);
        }
        ServiceQueue queue = new ServiceQueue(machine);
        double think = seconds(map, "think", Duration.ofMillis(500));
        double cpu = positive(map, "cpu-ms") / 1000;
        int request = bytes(map, "request");
        int response = bytes(map, "response");
        SimGuest server = machine.guest(plan, pool, index -> queue);
        new Users(machine, machine.random(), server, queue, io, think, cpu, request, response).start(users);
        return server;
    }

    private static int bytes(YamlMap map, String key) throws ConfigException {
        long size = map.has(key) ? map.size(key) : 1024;
        if (size > 1 << 30) {
            throw map.error(key, "expected at most 1GiB, got " + Sizes.format(size));
        }
        return (int) size;
    }

    private SimGuest memAccess(YamlMap map) throws ConfigException {
        map.only(List.of("type", "heap", "rate", "every", "cpu-ms"));
        double every = seconds(map, "every", Duration.ofMinutes(1));
        double[] heap = values(map, "heap", Sizes::parse);
        double[] rate = values(map, "rate", GuestFile::number);
        double most = 0;
        for (double one : rate) {
            if (!(one >= 0 && one <= 100_000)) {
                throw map.error("rate", "expected requests a second, 0 to 100000, got " + one);
            }
            most = Math.max(most, one);
        }
        double cpu = positive(map, "cpu-ms") / 1000;
        ServiceQueue queue = new ServiceQueue(machine);
        SimGuest server = machine.guest(plan, pool, index -> queue);
        MemAccess access = new MemAccess(machine, server, queue, MemoryModel.PAPER, steps(heap, every), cpu);
        access.start(steps(rate, every), most);
        memory = Optional.of(access);
        return server;
    }

    private SimGuest barrier(YamlMap map) throws ConfigException {
        map.only(List.of("type", "wait", "grain"));
        double grain = seconds(map, "grain", Duration.ofMillis(10));
        ParallelProgram.Waits waits = switch (map.oneOf("wait", "spin", "spin", "block", "none")) {
            case "spin" -> ParallelProgram.Waits.SPINNING;
            case "block" -> ParallelProgram.Waits.BLOCKED;
            default -> ParallelProgram.Waits.NEVER;
        };
        ParallelProgram kernel = ParallelProgram.withBarriers(machine, waits, plan.vcpus(), grain, Integer.MAX_VALUE);
        return machine.guest(plan, pool, index -> kernel.rank());
    }

    /** A value for each stretch of time, over and over. */
    private static DoubleUnaryOperator steps(double[] values, double every) {
        return time -> values[(int) ((long) (time / every) % values.length)];
    }

    private static double[] values(YamlMap map, String key, ToDoubleFunction<String> parser) throws ConfigException {
        List<String> texts = map.textOrTexts(key);
        double[] values = new double[texts.size()];
        for (int i = 0; i < values.length; i++) {
            try {
                values[i] = parser.applyAsDouble(texts.get(i));
            } catch (IllegalArgumentException e) {
                throw map.error(key, e.getMessage());
            }
        }
        if (values.length == 0) {
            throw map.error(key, "expected at least one value");
        }
        return values;
    }

    private static double number(String text) {
        if (!text.matches("\\d{1,6}(\\.\\d{1,6})?")) {
            throw new IllegalArgumentException("expected a number, 0 or more, got \"" + text + "\"");
        }
        return Double.parseDouble(text);
    }

    private static double positive(YamlMap map, String key) throws ConfigException {
        double value = map.number(key);
        if (!(value > 0 && value <= 1e6)) {
            throw map.error(key, "expected more than 0 and at most 1000000, got " + value);
        }
        return value;
    }

    private static double seconds(YamlMap map, String key, Duration otherwise) throws ConfigException {
        Duration value = map.duration(key, otherwise);
        if (value.isZero()) {
            throw map.error(key, "expected more than 0s");
        }
        return value.toNanos() / 1e9;
    }
}
