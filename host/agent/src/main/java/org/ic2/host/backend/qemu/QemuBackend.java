// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.Capabilities.Source;
import org.ic2.host.backend.LinuxFigures;
import org.ic2.host.backend.Vetoes;
import org.ic2.host.backend.ThreadTimes;
import org.ic2.host.backend.cgroup.CgroupBackend;
import org.ic2.host.backend.cgroup.GroupFigures;
import org.ic2.host.backend.qemu.QemuMachines.Running;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.sensor.CounterRates;

/**
 * QEMU's machines as guests, one for each QMP socket in a directory. Memory is the balloon. Weight and cap are those of the
 * control group that holds the machine's virtual CPUs, where a parent of such groups is named. Virtual CPUs are pinned thread by thread.
 */
public final class QemuBackend implements Backend {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration BALLOON = Duration.ofSeconds(10);
    private static final long MIB = 1024 * 1024;
    private static final double NEEDED_BY_USED = 1.125;
    private static final List<GuestMetric> OF_GROUP = GroupFigures.OF_MACHINE;

    private final QemuMachines machines;
    private final QemuPins pins;
    private final Optional<CgroupBackend> groups;
    private final LongSupplier nanos;
    private final LinuxFigures linux;
    private final ThreadTimes times;
    private final CounterRates rates = new CounterRates();
    /** Kills of groups that were in no whole sample yet. */
    private final Map<String, Double> kills = new HashMap<>();
    private long last;
    private boolean read;

    /**
     * @param directory of the QMP sockets, whose names end in .qmp, .sock or .monitor
     * @param groups    the control groups among whose guests these machines are, if CPU time is to be ruled or counted by them
     */
    public QemuBackend(Host host, String directory, Optional<CgroupBackend> groups) {
        this(host, directory, groups, System::nanoTime, PATIENCE);
    }

    QemuBackend(Host host, String directory, Optional<CgroupBackend> groups, LongSupplier nanos, Duration patience) {
        machines = new QemuMachines(host, directory, patience);
        pins = new QemuPins(host, machines);
        this.groups = groups;
        this.nanos = nanos;
        linux = new LinuxFigures(host);
        times = new ThreadTimes(host);
    }

    @Override
    public Capabilities capabilities() throws IOException, InterruptedException {
        Map<KnobKind, Range> knobs = new EnumMap<>(KnobKind.class);
        Map<GuestMetric, Source> metrics = new EnumMap<>(GuestMetric.class);
        List<String> notes = new ArrayList<>();
        if (groups.isPresent()) {
            Capabilities cpu = groups.get().capabilities();
            knobs.putAll(cpu.knobs());
            OF_GROUP.stream().filter(cpu.metrics()::containsKey).forEach(metric -> metrics.put(metric, cpu.metrics().get(metric)));
            notes.addAll(cpu.notes());
        } else {
            metrics.put(GuestMetric.CPU_RUN, new Source("schedstat of its vCPUs' threads", false));
            metrics.put(GuestMetric.CPU_WAIT, new Source("schedstat of its vCPUs' threads", false));
            metrics.put(GuestMetric.CPU_SWITCHES, new Source("schedstat of its vCPUs' threads", false));
            notes.add("no control groups are named: weight and cap cannot be moved");
        }
        knobs.remove(KnobKind.CPUSET);
        knobs.put(KnobKind.AFFINITY, new Range(0, Collections.max(linux.cpus()), 1));
        knobs.put(KnobKind.MEMORY, new Range(1, (int) (memory() / MIB), 1));
        metrics.put(GuestMetric.MEM_ALLOC, new Source("query-balloon", false));
        metrics.put(GuestMetric.MEM_USED, new Source("query-balloon less the guest's stat-available-memory, plus half its stat-disk-caches", false));
        metrics.put(GuestMetric.MEM_MAJFLT, new Source("the guest's stat-major-faults", false));
        notes.add("mem.used and mem.majflt are what guests report; their provider asks them to (libvirt: stats period of"
                + " memballoon; else guest-stats-polling-interval of the balloon device)");
        return new Capabilities(knobs, metrics, notes);
    }

    @Override
    public List<Guest> guests() throws IOException, InterruptedException {
        return machines.running().stream().map(Running::guest).toList();
    }

    @Override
    public List<Pool> pools() throws IOException, InterruptedException {
        return List.of(linux.pool());
    }

    @Override
    public long memory() throws IOException, InterruptedException {
        return linux.memory();
    }

    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        long at = nanos.getAsLong();
        Duration interval = read ? Duration.ofNanos(at - last) : Duration.ZERO;
        rates.begin(at);
        last = at;
        read = true;
        Optional<HostSample> ofGroups = groups.isPresent() ? Optional.of(groups.get().read(now, wanted)) : Optional.empty();
        ofGroups.ifPresent(sample -> sample.guests().stream().filter(group -> sample.get(group, GuestMetric.MEM_OOM_KILLS) > 0)
                .forEach(group -> kills.merge(group.uuid(), sample.get(group, GuestMetric.MEM_OOM_KILLS), Double::sum)));
        List<Running> running = machines.running();
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        for (Running each : running) {
            Readings<GuestMetric> cpu = ofGroups.isPresent() ? grouped(each, ofGroups.get()) : threaded(each, wanted);
            byUuid.put(each.guest().uuid(), memory(each.guest(), now, cpu));
        }
        List<Guest> guests = running.stream().map(Running::guest).toList();
        HostSample whole = new HostSample(now, interval, guests, byUuid, linux.metrics(rates, guests));
        kills.clear();
        return whole;
    }

    /** A monitor that does not answer costs its own guest's figures, not the others'. */
    private Readings<GuestMetric> memory(Guest guest, Instant now, Readings<GuestMetric> cpu) throws InterruptedException {
        try {
            return machines.ask(guest.id(), qemu -> qemu.memory(guest.uuid(), rates, now, QemuGuest.CACHES_IN_USE, cpu));
        } catch (IOException e) {
            String why = e.getMessage();
            return cpu.without(GuestMetric.MEM_ALLOC, why).without(GuestMetric.MEM_USED, why)
                    .without(GuestMetric.MEM_MAJFLT, why);
        }
    }

    private Readings<GuestMetric> threaded(Running each, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        boolean wakeups = wanted.contains(GuestMetric.CPU_WAKEUPS);
        ThreadTimes.Rates of = times.rates(rates, each.threads(), wakeups);
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class).with(GuestMetric.CPU_RUN, of.run())
                .with(GuestMetric.CPU_WAIT, of.waiting()).with(GuestMetric.CPU_SWITCHES, of.switches())
                .without(GuestMetric.CPU_THROTTLED, "no control groups are named");
        return wakeups ? readings.with(GuestMetric.CPU_WAKEUPS, of.wakeups()) : readings;
    }

    private Readings<GuestMetric> grouped(Running each, HostSample sample) throws IOException, InterruptedException {
        Readings<GuestMetric> readings = new Readings<>(GuestMetric.class);
        Optional<Guest> group = groups.orElseThrow().holding(each.threads().get(0));
        for (GuestMetric metric : OF_GROUP) {
            Readings<GuestMetric> of = group.map(guest -> sample.byUuid().get(guest.uuid())).orElse(null);
            readings = of == null ? readings.without(metric, "its control group is not among the named ones")
                    : Double.isNaN(of.get(metric)) ? readings.without(metric, of.why(metric))
                    : readings.with(metric, of.get(metric));
        }
        Optional<Double> killed = group.map(guest -> kills.get(guest.uuid()));
        return killed.isPresent() ? readings.with(GuestMetric.MEM_OOM_KILLS, killed.get()) : readings;
    }

    @Override
    public boolean has(GuestKnob knob) {
        return knob.kind() != KnobKind.CPUSET && !knob.kind().ofResctrl();
    }

    @Override
    public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws InterruptedException {
        return Vetoes.each(wanted, (knob, value) ->
                knob.kind() == KnobKind.AFFINITY ? QemuPins.objection(knob, value, linux.cpus()) : Optional.empty());
    }

    @Override
    public int get(GuestKnob knob) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return CpuSets.affinity(pins.cpus(knob), linux.cpus());
        }
        Target.OfGuest target = target(knob);
        if (knob.kind() != KnobKind.MEMORY) {
            return cpuGroups(knob).get(ofGroup(knob, target));
        }
        return (int) Math.round(balloon(target) / (double) MIB);
    }

    @Override
    public String exact(GuestKnob knob) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return CpuSets.format(pins.cpus(knob));
        }
        Target.OfGuest target = target(knob);
        return knob.kind() == KnobKind.MEMORY ? Long.toString(balloon(target))
                : cpuGroups(knob).exact(ofGroup(knob, target));
    }

    private long balloon(Target.OfGuest target) throws IOException, InterruptedException {
        return machines.ask(target.id(), qemu -> {
            machines.require(target, qemu);
            return qemu.memory();
        });
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            pins.pin(knob, Integer.toString(value));
        } else if (knob.kind() != KnobKind.MEMORY) {
            cpuGroups(knob).set(reached(knob, target(knob)), value);
        } else {
            move(target(knob), value == 0 ? Long.MAX_VALUE : value * MIB);
        }
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            pins.pin(knob, exact);
        } else if (knob.kind() != KnobKind.MEMORY) {
            cpuGroups(knob).putBack(reached(knob, target(knob)), exact);
        } else if (exact.matches("\\d{1,18}")) {
            move(target(knob), Long.parseLong(exact));
        } else {
            throw new NotDoneException("memory of " + knob.target().name() + ": expected bytes, got \"" + exact + "\"");
        }
    }

    /** What is more than the machine was started with is all of that. */
    private void move(Target.OfGuest target, long bytes) throws IOException, InterruptedException {
        boolean[] sent = new boolean[1];
        try {
            machines.ask(target.id(), qemu -> {
                machines.require(target, qemu);
                long most = qemu.bootMemory();
                sent[0] = true;
                qemu.balloon(Math.min(bytes, most));
                return null;
            });
        } catch (NotDoneException e) {
            throw e;
        } catch (IOException e) {
            throw sent[0] ? e : new NotDoneException("memory of " + target.name() + " was not asked for: " + e.getMessage(), e);
        }
    }

    private static Target.OfGuest target(GuestKnob knob) throws IOException {
        if (knob.target() instanceof Target.OfGuest guest) {
            return guest;
        }
        throw new NotDoneException("QEMU has no " + knob.kind().key());
    }

    private CgroupBackend cpuGroups(GuestKnob knob) throws IOException {
        return groups.orElseThrow(() -> new NotDoneException("cannot move " + knob.label()
                + ": no control groups are named (backend: groups)"));
    }

    private GuestKnob reached(GuestKnob knob, Target.OfGuest target) throws IOException, InterruptedException {
        try {
            return ofGroup(knob, target);
        } catch (IOException e) {
            throw new NotDoneException("cannot move " + knob.label() + ": " + e.getMessage(), e);
        }
    }

    /** The same knob of the control group that holds the machine. */
    private GuestKnob ofGroup(GuestKnob knob, Target.OfGuest target) throws IOException, InterruptedException {
        int thread = machines.ask(target.id(), qemu -> {
            machines.require(target, qemu);
            return qemu.threads().get(0);
        });
        return GuestKnob.of(knob.kind(), cpuGroups(knob).holding(thread).orElseThrow(() ->
                new IOException("the control group of " + target.name() + " is not among the named ones")));
    }

    /** What the guest uses and an eighth: a balloon that takes more has it kill its own. */
    @Override
    public OptionalLong indispensable(Target.OfGuest target) throws IOException, InterruptedException {
        double used = machines.ask(target.id(), qemu -> {
            machines.require(target, qemu);
            return qemu.memory("", new CounterRates(), Instant.now(), 0, new Readings<>(GuestMetric.class)).get(GuestMetric.MEM_USED);
        });
        return Double.isNaN(used) ? OptionalLong.empty() : OptionalLong.of(Math.round(used * NEEDED_BY_USED));
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return kind == KnobKind.MEMORY ? BALLOON : Duration.ZERO;
    }

    @Override
    public boolean gradual(KnobKind kind) {
        return kind == KnobKind.MEMORY;
    }

    @Override
    public void close() {
        groups.ifPresent(CgroupBackend::close);     // each conversation is closed at its end
    }
}
