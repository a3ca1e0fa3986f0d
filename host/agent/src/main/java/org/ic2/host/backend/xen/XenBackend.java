// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Xen, from its Dom0: weight and cap of Credit1 and Credit2, their time slice and rate limit, the hard affinity of virtual CPUs,
 * and memory by the balloon, as far as the guest's driver goes. A guest is its UUID and its domain's number: started anew it has another number.
 */
public final class XenBackend implements Backend {
    private static final Duration BALLOON = Duration.ofNanos(XenCommands.BALLOON_NANOS);
    private static final long MIB = 1024 * 1024;
    private static final int DOM0 = 0;
    private static final Set<GuestMetric> TRACED = Set.of(GuestMetric.CPU_WAIT, GuestMetric.CPU_THROTTLED,
            GuestMetric.CPU_SWITCHES, GuestMetric.CPU_WAKEUPS);

    private record Known(Xenstore.Stored stored, double seconds) {
    }

    private final XenCommands commands;
    private final XenUse use;
    private final XenKnobs knobs;
    private final LongSupplier nanos;
    private final Map<Integer, Known> known = new HashMap<>();
    private long last;
    private boolean read;

    public XenBackend(Host host) {
        this(host, System::nanoTime);
    }

    XenBackend(Host host, LongSupplier nanos) {
        this.nanos = nanos;
        commands = new XenCommands(host, nanos);
        knobs = new XenKnobs(commands);
        use = new XenUse(host);
    }

    @Override
    public Capabilities capabilities() throws IOException, InterruptedException {
        String info = commands.info();
        return XenAbilities.of(commands.pools(), commands.schedules(), commands.vcpus(),
                (int) XenCommands.info(info, "nr_cpus"), (int) XenCommands.info(info, "total_memory"));
    }

    @Override
    public List<Guest> guests() throws IOException, InterruptedException {
        List<Guest> guests = new ArrayList<>();
        Map<Integer, Known> present = new HashMap<>();
        List<XlDomains.Domain> domains = commands.domains();
        Map<Integer, Xenstore.Stored> fresh = commands.xenstore().stored(domains.stream().filter(domain -> domain.id() != DOM0
                && !domain.dying() && !isKnown(domain)).map(XlDomains.Domain::id).toList());
        for (XlDomains.Domain domain : domains) {
            if (domain.id() == DOM0) {
                guests.add(new Guest("0", "dom0", domain.name(), domain.vcpus(), 0, domain.mib() * MIB, GuestClass.HOST,
                        Double.NaN, Double.NaN));
            } else if (!domain.dying()) {
                Xenstore.Stored stored = isKnown(domain) ? known.get(domain.id()).stored() : fresh.get(domain.id());
                present.put(domain.id(), new Known(stored, domain.seconds()));
                guests.add(new Guest(Integer.toString(domain.id()), uuid(stored, domain.id()), domain.name(), domain.vcpus(), 0,
                        stored.mostKib() * 1024, GuestClass.NLS, Double.NaN, Double.NaN));
            }
        }
        known.clear();
        known.putAll(present);
        return guests;
    }

    /** One whose time went back is another. */
    private boolean isKnown(XlDomains.Domain domain) {
        return known.containsKey(domain.id()) && domain.seconds() >= known.get(domain.id()).seconds();
    }

    private static String uuid(Xenstore.Stored stored, int id) {
        return stored.uuid() + "/" + id;
    }

    @Override
    public List<Pool> pools() throws IOException, InterruptedException {
        return commands.pools();
    }

    @Override
    public boolean has(Target.OfPool pool) throws IOException, InterruptedException {
        return knobs.has(pool);
    }

    /** Of those that were listed last: who is found under Credit1 is not sought under Credit2. */
    @Override
    public Map<String, String> membership() throws IOException, InterruptedException {
        if (known.isEmpty()) {
            guests();
        }
        Set<String> ids = known.keySet().stream().map(id -> Integer.toString(id)).collect(Collectors.toSet());
        ids.add(Integer.toString(DOM0));
        return knobs.pools(ids);
    }

    @Override
    public long memory() throws IOException, InterruptedException {
        return Math.round(commands.info("total_memory")) * MIB;
    }

    /** Takes the 4 s of a trace longer if what is wanted needs one. */
    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        long at = nanos.getAsLong();
        Duration interval = read ? Duration.ofNanos(at - last) : Duration.ZERO;
        last = at;
        read = true;
        use.update();
        List<Guest> guests = guests();
        Map<Integer, Integer> mib = new HashMap<>();
        commands.domains().forEach(domain -> mib.put(domain.id(), domain.mib()));
        Map<Integer, Xenalyze.Times> traced = wanted.stream().anyMatch(TRACED::contains) ? commands.trace() : null;
        if (wanted.contains(GuestMetric.MEM_USED)) {
            commands.xenstore().renew(known.keySet());     // who moves memory goes by what was asked for, too
        }
        Map<Integer, Integer> caps = traced == null ? Map.of() : knobs.caps(mib.keySet());
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        for (Guest guest : guests) {
            int id = Integer.parseInt(guest.id());
            Readings<GuestMetric> readings = use.of(guest.name(), new Readings<>(GuestMetric.class));
            readings = wanted.contains(GuestMetric.MEM_USED) && id != DOM0 ? told(readings, id) : readings;
            readings = mib.containsKey(id) ? readings.with(GuestMetric.MEM_ALLOC, mib.get(id) * (double) MIB) : readings;
            byUuid.put(guest.uuid(), traced == null ? readings : traced(readings, traced.get(id), caps.getOrDefault(id, 0) > 0));
        }
        return new HostSample(now, interval, guests, byUuid, host(guests, byUuid));
    }

    @Override
    public Set<GuestMetric> lookedOn() {
        return TRACED;
    }

    private Readings<GuestMetric> told(Readings<GuestMetric> readings, int id) throws IOException, InterruptedException {
        OptionalLong kib = commands.xenstore().told(id);
        return kib.isPresent() ? readings.with(GuestMetric.MEM_USED, kib.getAsLong() * 1024.0) : readings.without(
                GuestMetric.MEM_USED, "its own agent writes no data/meminfo_total and data/meminfo_free (KiB) into xenstore");
    }

    static Readings<GuestMetric> traced(Readings<GuestMetric> readings, Xenalyze.Times times, boolean capped) {
        if (times == null) {
            // it neither ran nor wanted to
            return readings.with(GuestMetric.CPU_WAIT, 0).with(GuestMetric.CPU_SWITCHES, 0).with(GuestMetric.CPU_WAKEUPS, 0)
                    .without(GuestMetric.CPU_THROTTLED, "no event of it in the trace");
        }
        return readings.with(GuestMetric.CPU_WAIT, times.runnable()).with(GuestMetric.CPU_SWITCHES, times.runs())
                .with(GuestMetric.CPU_WAKEUPS, times.wakeups())
                .with(GuestMetric.CPU_THROTTLED, capped ? times.offline() : 0);
    }

    private Readings<HostMetric> host(List<Guest> guests, Map<String, Readings<GuestMetric>> byUuid)
            throws IOException, InterruptedException {
        String info = commands.info();
        double cpus = XenCommands.info(info, "nr_cpus");
        List<Guest> vms = guests.stream().filter(guest -> guest.guestClass() != GuestClass.HOST).toList();
        double run = guests.stream().mapToDouble(guest -> byUuid.get(guest.uuid()).get(GuestMetric.CPU_RUN)).sum();
        double net = vms.stream().mapToDouble(guest -> byUuid.get(guest.uuid()).get(GuestMetric.NET_BYTES)).sum();
        return new Readings<>(HostMetric.class).with(HostMetric.CPU_UTIL, run / cpus).with(HostMetric.NET_RATE, net * 8 / 1e6)
                .with(HostMetric.VCPU_RATIO, vms.stream().mapToInt(Guest::vcpus).sum() / cpus)
                .with(HostMetric.VM_COUNT, vms.size()).with(HostMetric.MEM_FREE, XenCommands.info(info, "free_memory") * MIB);
    }

    @Override
    public int get(GuestKnob knob) throws IOException, InterruptedException {
        return knobs.get(knob);
    }

    @Override
    public boolean has(GuestKnob knob) {
        return !knob.kind().ofGroups();
    }

    @Override
    public String exact(GuestKnob knob) throws IOException, InterruptedException {
        return knobs.exact(knob);
    }

    /** The command that asks for something. */
    private interface Asking {
        List<String> command() throws IOException, InterruptedException;
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        move(Map.of(knob, Integer.toString(value)), () -> knobs.command(knob, value));
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        move(Map.of(knob, exact), () -> knobs.back(knob, exact));
    }

    @Override
    public Object company(GuestKnob knob) {
        return XenKnobs.company(knob);
    }

    @Override
    public void setTogether(Map<GuestKnob, String> exact) throws IOException, InterruptedException {
        move(exact, () -> knobs.together(exact));
    }

    private void move(Map<GuestKnob, String> values, Asking how) throws IOException, InterruptedException {
        List<String> command;
        try {
            command = how.command();
            Optional<Target.OfGuest> whose = values.keySet().iterator().next().target().whose();
            if (whose.isPresent()) {
                require(whose.get());
            }
        } catch (IOException e) {
            String what = values.entrySet().stream().map(one -> one.getKey().label() + " to " + one.getValue()).sorted()
                    .collect(Collectors.joining(" and "));
            throw new NotDoneException("cannot set " + what + ": " + e.getMessage(), e);
        }
        commands.change(command);
    }

    /** Numbers of domains are used again, at some time. */
    private void require(Target.OfGuest guest) throws IOException, InterruptedException {
        int id = Integer.parseInt(guest.id());
        if (id != DOM0 && !uuid(commands.xenstore().known(id), id).equals(guest.uuid())) {
            throw new NotDoneException("domain " + id + " is another guest now");
        }
    }

    @Override
    public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws IOException, InterruptedException {
        return knobs.objections(wanted);
    }

    /** What its own agent says that it uses without what it could give back, and an eighth. */
    @Override
    public OptionalLong indispensable(Target.OfGuest guest) throws IOException, InterruptedException {
        OptionalLong kib = commands.xenstore().bound(Integer.parseInt(guest.id()));
        return kib.isPresent() ? OptionalLong.of(kib.getAsLong() * 1024 / 8 * 9) : kib;
    }

    /** The target in xenstore, which {@code xl mem-set} writes, whoever runs it. */
    @Override
    public OptionalInt asked(GuestKnob knob, Duration age) throws IOException, InterruptedException {
        return knob.kind() == KnobKind.MEMORY ? commands.xenstore().asked(Integer.parseInt(knob.target().whose().orElseThrow().id()), age)
                : OptionalInt.empty();
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
        use.close();
    }
}
