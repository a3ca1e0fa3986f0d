// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.LinuxFigures;
import org.ic2.host.backend.Vetoes;
import org.ic2.host.model.GroupName;
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
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.CounterRates;

/**
 * Control groups as guests: the children of one group. Weight, cap, memory and set of CPUs are moved by the files of version 1 or
 * 2, whichever the group has; the virtual CPUs of a machine in a group are pinned one by one, and its group gets no limit of memory.
 * A guest's identity is its directory's number: a group made anew under an old name has another.
 */
public final class CgroupBackend implements Backend {
    private static final Duration MEMORY_PATIENCE = Duration.ofSeconds(5);
    private static final double MEBIBYTE = 1 << 20;
    private static final List<KnobKind> KINDS = List.of(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY, KnobKind.CPUSET,
            KnobKind.MEMORY_LOW, KnobKind.IO_WEIGHT, KnobKind.IO_MAX);

    private final Host host;
    private final String parent;
    private final LongSupplier nanos;
    private final GroupTree tree;
    private final LinuxFigures linux;
    private final SystemdUnits units;
    private final GroupMoves moves;
    private final CounterRates rates = new CounterRates();
    private final GroupMetrics metrics;
    private final GroupPins pins;
    private final Softirqs softirqs;
    private long last;
    private boolean read;

    /**
     * @param groups the name of the group whose children are the guests, such as {@code machine.slice}
     */
    public CgroupBackend(Host host, String groups) {
        this(host, groups, System::nanoTime, MEMORY_PATIENCE, true);
    }

    /** Groups that hold what somebody else names, who cannot tell which run of a unit goes on: systemd is told nothing. */
    public static CgroupBackend ofMachines(Host host, String groups) {
        return new CgroupBackend(host, groups, System::nanoTime, MEMORY_PATIENCE, false);
    }

    CgroupBackend(Host host, String groups, LongSupplier nanos, Duration memoryPatience) {
        this(host, groups, nanos, memoryPatience, true);
    }

    private CgroupBackend(Host host, String groups, LongSupplier nanos, Duration memoryPatience, boolean told) {
        this.host = host;
        this.parent = GroupName.plain(groups);
        this.nanos = nanos;
        tree = new GroupTree(host, parent, nanos);
        linux = new LinuxFigures(host);
        units = new SystemdUnits(host, told);
        moves = new GroupMoves(host, tree, new SlowWrites(host, memoryPatience), units);
        metrics = new GroupMetrics(host, rates);
        pins = new GroupPins(host, tree);
        softirqs = new Softirqs(host, nanos);
    }

    /** Whether there is the group whose children are the guests. */
    public boolean isThere() throws InterruptedException {
        return tree.directory().isPresent();
    }

    @Override
    public Capabilities capabilities() throws IOException, InterruptedException {
        tree.directory().orElseThrow(() -> new IOException("no control group " + parent + " below " + CgroupFiles.ROOT
                + " with the cpu or memory controller: expected the one whose children are the guests (does a guest run?)"));
        List<Guest> guests = guests();
        // without a guest the parent's own files are the best that can be known
        GroupFiles files = guests.isEmpty() ? new GroupFiles(host, parent) : tree.files(guests.get(0));
        Map<KnobKind, Capabilities.Range> knobs = new EnumMap<>(KnobKind.class);
        List<String> notes = new ArrayList<>();
        for (KnobKind kind : KINDS) {
            try {
                GroupFile file = GroupKnobs.file(files, kind);
                if (kind == KnobKind.IO_MAX) {
                    GroupDisks.disks(host);
                }
                knobs.put(kind, kind == KnobKind.CPUSET ? GroupPins.masks(linux.cpus())
                        : GroupKnobs.range(file, linux.cpus().size(), linux.memory(), units.look()));
            } catch (IOException e) {
                notes.add("no " + kind.key() + ": " + e.getMessage());
            }
        }
        knobs.put(KnobKind.AFFINITY, GroupPins.numbers(linux.cpus()));
        GroupFiles parents = new GroupFiles(host, parent);
        if (parents.has(GroupFile.LOW) && parents.read(GroupFile.LOW).equals("0")) {
            notes.add("memory.low of " + parent + " is 0, and guests in it are protected up to that alone: give it what its guests are to have"
                    + " together (systemctl set-property " + parent + " MemoryLow=...)");
        }
        if (knobs.containsKey(KnobKind.CAP)) {
            notes.add("cpu.throttled is exact for one thread on a CPU; of more the kernel counts the queue once, so that it is"
                    + " a bound, and cpu.wait with it");
        }
        Map<GuestMetric, Capabilities.Source> metrics = GroupMetrics.sources(files);
        softirqs.lacking().ifPresentOrElse(why -> notes.add("no net.softirq: " + why),
                () -> metrics.put(GuestMetric.NET_SOFTIRQ, new Capabilities.Source(Softirqs.SOURCE, true)));
        return new Capabilities(knobs, metrics, notes);
    }

    @Override
    public List<Guest> guests() throws IOException, InterruptedException {
        units.look();
        return tree.guests(linux.cpus().size(), linux.memory());
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
        for (Guest guest : guests()) {
            try {
                byUuid.put(guest.uuid(), metrics.read(guest.uuid(), tree.files(guest), wanted));
                guests.add(guest);
            } catch (IOException e) {
                if (tree.identity(guest.id()).filter(guest.uuid()::equals).isPresent()) {
                    throw e;
                }   // else it has gone meanwhile
            }
        }
        HostSample sample = new HostSample(now, interval, guests,
                wanted.contains(GuestMetric.NET_SOFTIRQ) ? softirqs.added(guests, byUuid) : byUuid, linux.metrics(rates, guests));
        metrics.memory().done(byUuid.keySet());
        return sample;
    }

    /** The guest whose group, or one below it, holds a thread. */
    public Optional<Guest> holding(int thread) throws IOException, InterruptedException {
        List<Guest> guests = guests();
        String text = host.read("/proc/" + thread + "/cgroup");
        return guests.stream().filter(guest -> text.lines().anyMatch(line -> {
            String path = line.substring(line.indexOf(':', line.indexOf(':') + 1) + 1);
            return path.equals("/" + guest.id()) || path.startsWith("/" + guest.id() + "/");
        })).findFirst();
    }

    @Override
    public boolean has(GuestKnob knob) {
        return pins.has(knob) && (knob.kind() != KnobKind.MEMORY || tree.kept(knob.target()).isEmpty());
    }

    @Override
    public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws InterruptedException {
        return Vetoes.each(wanted, (knob, value) ->
                knob.kind().namesCpus() ? pins.objection(knob, value, linux.cpus())
                        : knob.kind() == KnobKind.MEMORY ? againstMemory(knob, value) : Optional.empty());
    }

    @Override
    public int get(GuestKnob knob) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return pins.get(knob, linux.cpus());
        }
        GroupFiles files = files(knob, false);
        GroupFile file = GroupKnobs.file(files, knob.kind());
        return GroupKnobs.value(files, file, files.readOnce(file));
    }

    @Override
    public String exact(GuestKnob knob) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return pins.exact(knob);
        }
        GroupFiles files = files(knob, false);
        GroupFile file = GroupKnobs.file(files, knob.kind());
        return units.marked(knob.target().whose().orElseThrow(), knob.kind(), file, GroupKnobs.exact(files, file));
    }

    /** @throws NotDoneException also when the group is gone, or another has its name */
    @Override
    public void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            pins.set(knob, Integer.toString(value));
            return;
        }
        if (knob.kind() == KnobKind.MEMORY && value != 0) {
            refuseMachine(knob, Integer.toString(value));
            tree.limit(knob.target().whose().orElseThrow(), true);
        }
        moves.set(knob, value);
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            pins.set(knob, exact);
            return;
        }
        if (knob.kind() == KnobKind.MEMORY && takes(knob, SystemdUnits.unmarked(exact))) {
            refuseMachine(knob, exact);
        }
        moves.putBack(knob, exact);
        if (knob.kind() == KnobKind.MEMORY) {
            tree.limit(knob.target().whose().orElseThrow(), false);
        }
    }

    /** A machine has no limit; what a guest was seen to need may not be taken without swap for it: the kernel would kill it. */
    private Optional<String> againstMemory(GuestKnob knob, int value) throws IOException, InterruptedException {
        Optional<String> machine = tree.kept(knob.target()).map(why -> knob.label() + ": " + why);
        if (machine.isPresent()) {
            return machine;
        }
        Target.OfGuest guest = knob.target().whose().orElseThrow();
        OptionalDouble peak = metrics.memory().peak(guest.uuid(), tree.files(guest, false));
        long least = Math.round(peak.orElse(0) * GroupMemory.MARGIN / MEBIBYTE);
        int now = get(knob);
        return value != 0 && value < least && (now == 0 || value < now) ? Optional.of(knob.label() + ": it was seen to need "
                + Math.round(peak.getAsDouble() / MEBIBYTE) + " MiB, for which there is no swap: below " + least + " MiB it might be killed") : Optional.empty();
    }

    /** A machine may have started in the group since it was looked at, so it is looked at before each write. */
    private void refuseMachine(GuestKnob knob, String value) throws NotDoneException, InterruptedException {
        Target.OfGuest guest = knob.target().whose().orElseThrow();
        Optional<String> why = GroupMachine.of(host, new GroupFiles(host, guest.id()));
        if (why.isPresent()) {
            tree.keep(guest, why.get());
            throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + why.get());
        }
    }

    /** Whether a limit would be lower than the one in force; what gives more back is restored whoever lives there by now. */
    private boolean takes(GuestKnob knob, String exact) throws NotDoneException, InterruptedException {
        try {
            GroupFiles files = files(knob, true);
            GroupFile file = GroupKnobs.file(files, knob.kind());
            int baseline = GroupKnobs.value(files, file, exact);
            int now = GroupKnobs.value(files, file, files.read(file));
            return baseline != 0 && (now == 0 || baseline < now);
        } catch (IOException e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + exact + ": " + e.getMessage(), e);
        }
    }

    /** A unit of systemd begins with what that was told of its run before. */
    @Override
    public boolean continues(Target.OfGuest now, Target.OfGuest earlier) {
        return !now.uuid().equals(earlier.uuid()) && now.id().equals(earlier.id()) && units.mayBe(now.id());
    }

    @Override
    public void ended(GuestKnob knob, String exact) throws IOException, InterruptedException {
        Target.OfGuest guest = knob.target().whose().orElseThrow();
        if (tree.identity(guest.id()).isEmpty()) {
            units.ended(guest.id(), knob.kind(), exact);
        }
    }

    /** What of its memory has no file behind it: the kernel cannot drop it, and may have no swap to put it in. */
    @Override
    public OptionalLong indispensable(Target.OfGuest guest) throws IOException, InterruptedException {
        return GroupMemory.indispensable(tree.files(guest, false));
    }

    private GroupFiles files(GuestKnob knob, boolean toWrite) throws IOException, InterruptedException {
        return tree.files(knob.target().whose().orElseThrow(), toWrite);
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return Duration.ZERO;   // a write returns when it is done, or says that it is not
    }

    @Override
    public void close() {
        softirqs.close();
    }
}
