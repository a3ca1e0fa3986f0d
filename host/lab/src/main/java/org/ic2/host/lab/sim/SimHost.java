// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.host.model.Target;

/** A simulated machine in the words of a host: guests, pools, knobs and samples. Time passes in {@link #sample} only. */
public final class SimHost {
    private static final long MIB = 1L << 20;
    private static final String NO_TIME = "no time has passed";

    private final SimMachine machine;
    private final long memory;
    private final Map<SimGuest, DoubleSupplier> used = new HashMap<>();
    private final Map<SimGuest, GuestCounts> counted = new HashMap<>();
    private final Map<SimGuest, Integer> answered = new HashMap<>();
    private final Map<SimGuest, Double> refused = new HashMap<>();
    private Optional<MemoryBus> bus = Optional.empty();

    /**
     * @param memory of the whole host, bytes
     * @throws IllegalArgumentException if its guests have more already
     */
    public SimHost(SimMachine machine, long memory) {
        this.machine = machine;
        this.memory = memory;
        if (free() < 0) {
            throw new IllegalArgumentException("expected at least the memory that the guests have at first, "
                    + (memory - free()) / MIB + " MiB, got " + memory / MIB + " MiB");
        }
    }

    /** How much memory a guest uses, bytes; nothing is known of the others. */
    public void uses(SimGuest guest, DoubleSupplier bytes) {
        used.put(guest, bytes);
    }

    /** What the cores share below their caches: from now on there are memory intensities. */
    public void shares(MemoryBus between) {
        bus = Optional.of(between);
    }

    /** True if it has memory intensities. */
    public boolean hasIntensity() {
        return bus.isPresent();
    }

    /** Memory of the whole host, bytes. */
    public long memory() {
        return memory;
    }

    /** Memory that no guest has, bytes. */
    public long free() {
        return memory - machine.guests().stream().mapToLong(SimGuest::memory).sum();
    }

    /** Its guests; Dom0 is of class HOST, all others NLS. */
    public List<Guest> guests() {
        List<SimGuest> all = machine.guests();
        return IntStream.range(0, all.size()).mapToObj(i -> guest(i, all.get(i))).toList();
    }

    private static Guest guest(int id, SimGuest guest) {
        GuestPlan plan = guest.plan();
        return new Guest(Integer.toString(id), uuid(guest), plan.name(), plan.vcpus(), plan.memoryMin(), plan.memoryMax(),
                plan.host() ? GuestClass.HOST : GuestClass.NLS, Double.NaN, Double.NaN);
    }

    private static String uuid(SimGuest guest) {
        return UUID.nameUUIDFromBytes(guest.name().getBytes(StandardCharsets.UTF_8)).toString();
    }

    /** Its pools; physical CPUs are numbered over all of them. */
    public List<Pool> pools() {
        List<Pool> pools = new ArrayList<>();
        int first = 0;
        for (SimPool pool : machine.pools()) {
            pools.add(new Pool(pool.name(), pool.scheduler(), IntStream.range(first, first + pool.size()).boxed().toList()));
            first += pool.size();
        }
        return pools;
    }

    /** In which pool each guest lives, by the guest's id. */
    public Map<String, String> membership() {
        List<SimGuest> all = machine.guests();
        Map<String, String> pools = new HashMap<>();
        IntStream.range(0, all.size()).forEach(i -> pools.put(Integer.toString(i), all.get(i).pool().name()));
        return pools;
    }

    /** Guests whose weight their scheduler ignores, in words: Credit1 deals credits for all CPUs of a pool, pinned or not. */
    public List<String> notes() {
        return machine.guests().stream()
                .filter(guest -> (!guest.plan().pins().isEmpty() && guest.plan().pins().size() < guest.pool().size()
                        || guest.pool().size() > 1 && guest.vcpus().stream().anyMatch(one -> one.pin >= 0))
                        && guest.pool().scheduler().equals(SchedulerKind.CREDIT.key()))
                .map(guest -> guest.name() + " is pinned to part of " + guest.pool().name()
                        + ": Credit1 deals credits for all of its CPUs, so that weights may do nothing there").toList();
    }

    /** Lets time pass and says what happened in it; without any there are no rates. */
    public HostSample sample(Instant time, Duration interval) {
        machine.run(interval.toNanos());
        double seconds = interval.toNanos() / 1e9;
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        double run = 0;
        double bytes = 0;
        for (SimGuest guest : machine.guests()) {
            GuestCounts counts = guest.counts();
            GuestCounts delta = counts.since(counted.getOrDefault(guest, GuestCounts.NONE));
            counted.put(guest, counts);
            byUuid.put(uuid(guest), levels(guest, seconds > 0 ? rates(guest, delta, seconds) : none()));
            run += delta.run();
            bytes += delta.netBytes();
        }
        return new HostSample(time, interval, guests(), byUuid, host(run, bytes, seconds));
    }

    private static Readings<GuestMetric> none() {
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        for (GuestMetric metric : GuestMetric.values()) {
            readings = readings.without(metric, NO_TIME);
        }
        return readings;
    }

    private Readings<GuestMetric> rates(SimGuest guest, GuestCounts delta, double seconds) {
        int before = answered.getOrDefault(guest, 0);
        int requests = guest.requests().count();
        answered.put(guest, requests);
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class)
                .with(GuestMetric.CPU_RUN, delta.run() / seconds)
                .with(GuestMetric.CPU_WAIT, delta.waited() / seconds)
                .with(GuestMetric.CPU_THROTTLED, delta.parked() / seconds)
                .with(GuestMetric.CPU_SWITCHES, delta.switches() / seconds)
                .with(GuestMetric.CPU_WAKEUPS, delta.wakeups() / seconds)
                .with(GuestMetric.NET_BYTES, delta.netBytes() / seconds)
                .with(GuestMetric.MEM_MAJFLT, delta.majflt() / seconds)
                .with(GuestMetric.MEM_PRESSURE, Math.min(1, delta.stalled() / seconds))
                .with(GuestMetric.APP_REQUESTS, requests - before);
        readings = bus.isPresent() ? readings.with(GuestMetric.MEM_INTENSITY, intensity(guest, bus.get().counted(guest).refused(), seconds))
                : readings.without(GuestMetric.MEM_INTENSITY, "no guest of the scenario has a memory-use");
        return requests > before ? readings.with(GuestMetric.APP_RT, guest.requests().mean(before))
                : readings.without(GuestMetric.APP_RT, "no request was answered");
    }

    /** Requests that were refused, in those of lbm alone. */
    private double intensity(SimGuest guest, double now, double seconds) {
        Double before = refused.put(guest, now);
        return (now - (before == null ? 0 : before)) / seconds / MemoryBus.full();
    }

    private Readings<GuestMetric> levels(SimGuest guest, Readings<GuestMetric> rates) {
        Readings<GuestMetric> readings = rates.with(GuestMetric.MEM_ALLOC, guest.memory())
                .without(GuestMetric.NET_SOFTIRQ, "not simulated");
        DoubleSupplier bytes = used.get(guest);
        return bytes != null ? readings.with(GuestMetric.MEM_USED, bytes.getAsDouble())
                : readings.without(GuestMetric.MEM_USED, "its work in the simulator has no memory");
    }

    private Readings<HostMetric> host(double run, double bytes, double seconds) {
        double cpus = machine.pools().stream().mapToInt(SimPool::size).sum();
        List<SimGuest> tenants = machine.guests().stream().filter(guest -> !guest.plan().host()).toList();
        Readings<HostMetric> readings = new Readings<>(HostMetric.class)
                .with(HostMetric.VCPU_RATIO, tenants.stream().mapToInt(guest -> guest.vcpus().size()).sum() / cpus)
                .with(HostMetric.VM_COUNT, tenants.size())
                .with(HostMetric.MEM_FREE, free());
        return seconds > 0
                ? readings.with(HostMetric.CPU_UTIL, run / seconds / cpus).with(HostMetric.NET_RATE, bytes * 8e-6 / seconds)
                : readings.without(HostMetric.CPU_UTIL, NO_TIME).without(HostMetric.NET_RATE, NO_TIME);
    }

    /**
     * The value in force, in the knob's unit.
     *
     * @throws IllegalArgumentException if there is no such guest, pool or knob
     */
    public int get(GuestKnob knob) {
        return switch (knob.kind()) {
            case WEIGHT -> guest(knob).weight();
            case CAP -> guest(knob).cap();
            case MEMORY -> (int) (guest(knob).memory() / MIB);
            case TSLICE -> sliced(knob).settings().tsliceMillis();
            case RATELIMIT -> pool(knob).settings().ratelimitMicros();
            case AFFINITY -> affinity(knob);
            default -> throw new IllegalArgumentException(knob.label() + ": not simulated");
        };
    }

    private int affinity(GuestKnob knob) {
        VirtualCpu vcpu = vcpu(knob);
        int first = firstCpu(vcpu.guest().pool());
        List<Integer> pins = vcpu.guest().plan().pins();
        return vcpu.pin >= 0 ? first + vcpu.pin
                : pins.isEmpty() ? CpuSets.ALL : CpuSets.affinity(pins.stream().map(cpu -> first + cpu).toList());
    }

    private void pin(GuestKnob knob, int value) {
        VirtualCpu vcpu = vcpu(knob);
        SimPool pool = vcpu.guest().pool();
        int cpu = value - firstCpu(pool);
        if (value >= 0 && (cpu < 0 || cpu >= pool.size())) {
            throw new IllegalArgumentException(knob.label() + ": expected a CPU of " + pool.name() + ", " + firstCpu(pool) + " to "
                    + (firstCpu(pool) + pool.size() - 1) + ", got " + value);
        }
        int before = vcpu.pin;
        SimPins.pin(vcpu, value < 0 ? -1 : cpu);
        if (value < 0 && affinity(knob) != value) {
            SimPins.pin(vcpu, before);
            throw new IllegalArgumentException(knob.label() + ": expected a CPU, or " + affinity(knob) + " as at first, got " + value);
        }
    }

    /** Physical CPUs are numbered over all pools. */
    private int firstCpu(SimPool pool) {
        return machine.pools().stream().takeWhile(other -> other != pool).mapToInt(SimPool::size).sum();
    }

    private VirtualCpu vcpu(GuestKnob knob) {
        SimGuest guest = guest(knob);
        int number = ((Target.OfVcpu) knob.target()).number();
        if (number >= guest.vcpus().size()) {
            throw new IllegalArgumentException(knob.label() + ": no such virtual CPU");
        }
        return guest.vcpus().get(number);
    }

    /**
     * Sets a knob.
     *
     * @throws IllegalArgumentException if there is no such guest, pool or knob, or it cannot have this value: nothing is done
     */
    public void set(GuestKnob knob, int value) {
        switch (knob.kind()) {
            case WEIGHT -> guest(knob).weight(value);
            case CAP -> guest(knob).cap(value);
            case MEMORY -> memory(guest(knob), value * MIB);
            case TSLICE -> sliced(knob).set(new SchedulerSettings(value, pool(knob).settings().ratelimitMicros()));
            case RATELIMIT -> pool(knob).set(new SchedulerSettings(pool(knob).settings().tsliceMillis(), value));
            case AFFINITY -> pin(knob, value);
            default -> throw new IllegalArgumentException(knob.label() + ": not simulated");
        }
    }

    private void memory(SimGuest guest, long bytes) {
        if (bytes - guest.memory() > free()) {
            throw new IllegalArgumentException(guest.name() + ": memory: expected at most " + (guest.memory() + free()) / MIB
                    + " MiB, which is all that is free, got " + bytes / MIB);
        }
        guest.memory(bytes);
    }

    private SimGuest guest(GuestKnob knob) {
        return machine.guests().stream().filter(guest -> uuid(guest).equals(knob.target().whose().map(Target.OfGuest::uuid).orElse(""))).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(knob.label() + ": no such guest"));
    }

    private SimPool pool(GuestKnob knob) {
        return machine.pools().stream().filter(pool -> pool.name().equals(knob.target().name())).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(knob.label() + ": no such pool"));
    }

    private SimPool sliced(GuestKnob knob) {
        SimPool pool = pool(knob);
        if (!pool.scheduler().equals(SchedulerKind.CREDIT.key())) {
            throw new IllegalArgumentException(knob.label() + ": Credit2 has no time slice");
        }
        return pool;
    }
}
