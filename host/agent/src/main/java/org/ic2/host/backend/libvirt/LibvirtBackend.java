// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
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
import org.ic2.host.backend.cgroup.GroupFigures;
import org.ic2.host.backend.libvirt.Machines.Machine;
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
import org.ic2.runtime.sensor.CounterRates;

/**
 * libvirt's domains as guests, by their names. All is moved by virsh, so that libvirt knows of it and no second monitor is needed, nor
 * a write behind systemd's back. Memory is the balloon. What libvirt does not count, the domain's control group does.
 */
public final class LibvirtBackend implements Backend {
    private static final Duration BALLOON = Duration.ofSeconds(10);
    private static final Duration OLDEST = Duration.ofSeconds(30);
    private static final double MIB = 1 << 20;
    private static final double KIB = 1024;
    /** A guest does not tell which of its file pages it asks for again. */
    private static final double CACHES_IN_USE = 0.5;
    private static final double NEEDED_BY_USED = 1.125;
    private static final int MOST_WEIGHT = 65_535;
    private static final int MOST_WEIGHT_2 = 25_600;
    private static final int STEP_2 = 64;

    private final LongSupplier nanos;
    private final CounterRates rates = new CounterRates();
    private final LinuxFigures linux;
    private final GroupFigures groups;
    private final Machines machines;
    private final LibvirtKnobs knobs;
    private long last;
    private boolean read;

    public LibvirtBackend(Host host) {
        this(host, System::nanoTime);
    }

    LibvirtBackend(Host host, LongSupplier nanos) {
        this.nanos = nanos;
        linux = new LinuxFigures(host);
        groups = new GroupFigures(host, rates, nanos);
        Virsh virsh = new Virsh(host);
        machines = new Machines(host, virsh, groups, nanos);
        knobs = new LibvirtKnobs(host, virsh, machines, nanos);
    }

    @Override
    public Capabilities capabilities() throws IOException, InterruptedException {
        List<Machine> running = machines.running();
        Map<KnobKind, Range> ranges = new EnumMap<>(KnobKind.class);
        Map<GuestMetric, Source> metrics = new EnumMap<>(GuestMetric.class);
        List<String> notes = new ArrayList<>();
        Optional<Machine> first = running.stream().filter(machine -> !machine.group().isEmpty()).findFirst();
        if (running.isEmpty() || first.isPresent()) {
            boolean shares = first.isEmpty() || first.get().shares();
            ranges.put(KnobKind.WEIGHT, shares ? new Range(1, MOST_WEIGHT, 1) : new Range(STEP_2, MOST_WEIGHT_2, STEP_2));
            ranges.put(KnobKind.CAP, new Range(10, 1000 * linux.cpus().size(), 1));
        } else {
            notes.add("no weight and no cap: libvirt gives its domains no control groups of the cpu controller (cgroup_controllers in qemu.conf)");
        }
        if (first.isPresent()) {
            metrics.putAll(groups.sources(first.get().group()));
        }
        ranges.put(KnobKind.MEMORY, new Range(1, (int) (memory() / MIB), 1));
        int last = Collections.max(linux.cpus());
        ranges.put(KnobKind.AFFINITY, new Range(0, last, 1));
        if (last < CpuSets.MOST) {
            ranges.put(KnobKind.CPUSET, new Range(1, (int) ((1L << last + 1) - 1), 1));
        } else {
            notes.add("no cpuset: this host has a CPU " + last + ", and a set is a mask of CPUs 0 to " + (CpuSets.MOST - 1));
        }
        metrics.put(GuestMetric.MEM_ALLOC, new Source("domstats balloon.current", false));
        metrics.put(GuestMetric.MEM_USED, new Source("domstats balloon.current less usable, plus half of disk_caches", false));
        metrics.put(GuestMetric.MEM_MAJFLT, new Source("domstats balloon.major_fault", false));
        refused().forEach((whom, why) -> notes.add(whom + " is left alone: " + why));
        notes.add("mem.used and mem.majflt are what guests report, where the memballoon of the domain has <stats period='2'/>");
        return new Capabilities(ranges, metrics, notes);
    }

    @Override
    public List<Guest> guests() throws IOException, InterruptedException {
        return machines.running().stream().map(Machine::guest).toList();
    }

    @Override
    public Map<String, String> refused() {
        return machines.refused();
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
        List<Guest> guests = new ArrayList<>();
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        for (Machine machine : machines.running()) {
            guests.add(machine.guest());
            byUuid.put(machine.uuid(), memory(machine, now, cpu(machine, wanted)));
        }
        return new HostSample(now, interval, guests, groups.done(guests, byUuid, wanted), linux.metrics(rates, guests));
    }

    /** One that ends meanwhile costs its own figures. */
    private Readings<GuestMetric> cpu(Machine machine, Set<GuestMetric> wanted) throws InterruptedException {
        String why = "libvirt keeps it in no control group of its own";
        try {
            if (!machine.group().isEmpty()) {
                return groups.read(machine.guest(), wanted);
            }
        } catch (IOException e) {
            why = e.getMessage();
        }
        return without(new Readings<>(GuestMetric.class), GroupFigures.OF_MACHINE, why);
    }

    private static Readings<GuestMetric> without(Readings<GuestMetric> readings, List<GuestMetric> metrics, String why) {
        Readings<GuestMetric> less = readings;
        for (GuestMetric metric : metrics) {
            less = less.without(metric, why);
        }
        return less;
    }

    private Readings<GuestMetric> memory(Machine machine, Instant now, Readings<GuestMetric> readings) throws InterruptedException {
        List<GuestMetric> told = List.of(GuestMetric.MEM_USED, GuestMetric.MEM_MAJFLT);
        Map<String, Double> balloon;
        try {
            balloon = knobs.balloon(machine);
        } catch (IOException e) {
            return without(readings.without(GuestMetric.MEM_ALLOC, e.getMessage()), told, e.getMessage());
        }
        double current = balloon.getOrDefault("balloon.current", Double.NaN) * KIB;
        Readings<GuestMetric> more = readings.with(GuestMetric.MEM_ALLOC, current);
        double update = balloon.getOrDefault("balloon.last-update", 0.0);
        double age = now.getEpochSecond() - update;
        if (age > OLDEST.toSeconds()) {
            return without(more, told, update == 0 ? "the guest has never reported: its memballoon needs <stats period='2'/>, and the guest a driver"
                    : "the guest has not reported for " + Math.round(age) + " s");
        }
        return more.with(GuestMetric.MEM_USED, used(balloon, CACHES_IN_USE))
                .with(GuestMetric.MEM_MAJFLT, rates.rate(machine.uuid() + ":majflt", balloon.getOrDefault("balloon.major_fault", Double.NaN)));
    }

    private static double used(Map<String, Double> balloon, double caches) {
        return Math.max(0, balloon.getOrDefault("balloon.current", Double.NaN) - balloon.getOrDefault("balloon.usable", Double.NaN)
                + caches * balloon.getOrDefault("balloon.disk_caches", 0.0)) * KIB;
    }

    @Override
    public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws InterruptedException {
        return Vetoes.each(wanted, (knob, value) -> {
            if (!knob.kind().namesCpus()) {
                return Optional.empty();
            }
            List<Integer> offline = new ArrayList<>(knob.kind() == KnobKind.AFFINITY ? List.of(value) : CpuSets.cpus(value));
            offline.removeAll(linux.cpus());
            return offline.isEmpty() ? Optional.empty() : Optional.of(knob.label() + ": CPU " + CpuSets.format(offline) + " is not online ("
                    + CpuSets.format(linux.cpus()) + " are)");
        });
    }

    @Override
    public int get(GuestKnob knob) throws IOException, InterruptedException {
        return knobs.get(knob, linux.cpus());
    }

    @Override
    public String exact(GuestKnob knob) throws IOException, InterruptedException {
        return knobs.exact(knob);
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        knobs.set(knob, value);
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        knobs.putBack(knob, exact);
    }

    /** What the guest uses and an eighth: a balloon that takes more has it kill its own. */
    @Override
    public OptionalLong indispensable(Target.OfGuest guest) throws IOException, InterruptedException {
        Machine machine = machines.of(guest);
        boolean told = Double.isFinite(memory(machine, Instant.now(), new Readings<>(GuestMetric.class)).get(GuestMetric.MEM_USED));
        return told ? OptionalLong.of(Math.round(used(knobs.balloon(machine), 0) * NEEDED_BY_USED)) : OptionalLong.empty();
    }

    /** A domain that was saved goes on with what was set of it; one that is started anew has what its definition says. */
    @Override
    public boolean continues(Target.OfGuest now, Target.OfGuest earlier) {
        return !now.uuid().equals(earlier.uuid()) && domain(now).equals(domain(earlier));
    }

    @Override
    public Optional<String> asleep(Target.OfGuest earlier) throws IOException, InterruptedException {
        return machines.saved().contains(domain(earlier)) ? Optional.of("domain " + earlier.name() + " is saved to the disk with it, and"
                + " goes on with it when it is started: start it and restore then, or remove what was saved (virsh managedsave-remove)")
                : Optional.empty();
    }

    private static String domain(Target.OfGuest guest) {
        return guest.uuid().replaceFirst("@.*", "");
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
        groups.close();
    }
}
