// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
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
import org.ic2.runtime.host.NotDoneException;

/** A host in memory that obeys, refuses, ignores, does not answer or ends this process, as the test says. */
public final class FakeBackend implements Backend {

    /** What it does with an order. */
    public enum Manner { OBEYS, REFUSES, IGNORES, SILENT, DIES_BEFORE, DIES_AFTER }

    /** Stands for the end of this process. */
    public static final class KilledError extends Error {
        private static final long serialVersionUID = 1;
    }

    public static final long MIB = 1 << 20;

    public final List<Guest> guests = new ArrayList<>();
    public final List<Pool> pools = new ArrayList<>(List.of(new Pool("pool", "credit", List.of(0, 1))));
    /** In which of several pools guests live, by their ids. */
    public final Map<String, String> homes = new LinkedHashMap<>();
    public final Map<String, Integer> values = new LinkedHashMap<>();
    /** Who is handled otherwise, by name. */
    public final Map<String, Manner> manners = new LinkedHashMap<>();
    public final List<String> orders = new ArrayList<>();
    public final Map<KnobKind, Capabilities.Range> ranges = new EnumMap<>(Map.of(
            KnobKind.WEIGHT, new Capabilities.Range(1, 65_535, 1), KnobKind.CAP, new Capabilities.Range(10, 8000, 10),
            KnobKind.MEMORY, new Capabilities.Range(16, 65_536, 1), KnobKind.TSLICE, new Capabilities.Range(1, 1000, 1),
            KnobKind.RATELIMIT, new Capabilities.Range(0, 500_000, 100)));
    public Manner manner = Manner.OBEYS;
    /** Of these kinds no guest has a knob. */
    public final Set<KnobKind> lacking = EnumSet.noneOf(KnobKind.class);
    /** Knobs of these kinds stay as they are, whatever is asked for. */
    public final Set<KnobKind> deaf = EnumSet.noneOf(KnobKind.class);
    /** Orders for knobs of these kinds are refused, and with them all that is in them. */
    public final Set<KnobKind> refused = EnumSet.noneOf(KnobKind.class);
    /** So many orders that come next have no answer. */
    public int unanswered;
    /** Who runs and is no guest, and why. */
    public final Map<String, String> refusedGuests = new LinkedHashMap<>();
    public boolean unreadable;
    public boolean poolsUnreadable;
    public boolean gradual;
    /** True if one order takes weight and cap of a guest. */
    public boolean paired;
    /** What guests cannot live without, by name, MiB. */
    public final Map<String, Integer> indispensable = new LinkedHashMap<>();
    /** Below this no guest's memory comes, whatever is asked for, MiB. */
    public int balloonEnds;
    public double memoryFree = 1024 * MIB;
    /** What is measured of each guest besides half a CPU in use. */
    public final Map<GuestMetric, Double> measured = new EnumMap<>(GuestMetric.class);
    /** What is measured of the host besides its free memory. */
    public final Map<HostMetric, Double> hostMeasured = new EnumMap<>(HostMetric.class);
    public Optional<String> objection = Optional.empty();
    /** Knobs of which kinds it is about. */
    public final Set<KnobKind> objectedTo = EnumSet.allOf(KnobKind.class);
    /** What it was asked about, together each time. */
    public final List<Map<GuestKnob, Integer>> asked = new ArrayList<>();
    /** What somebody else does after the next look at what may be had against a value, which comes before the order. */
    public Runnable beforeOrder = () -> { };
    /** Hears of each look at a value. */
    public Consumer<GuestKnob> looks = knob -> { };
    /** What somebody else does right after the next order. */
    public Runnable afterOrder = () -> { };

    /** A guest with these values of weight, cap and memory. */
    public Guest start(String name, String id, GuestClass guestClass, int weight, int cap, int memory) {
        return start(name, id, name + "-" + id, guestClass, weight, cap, memory);
    }

    /** The same with a uuid of its own. */
    public Guest start(String name, String id, String uuid, GuestClass guestClass, int weight, int cap, int memory) {
        Guest guest = new Guest(id, uuid, name, 1, 64 * MIB, 1024 * MIB, guestClass, Double.NaN, Double.NaN);
        guests.add(guest);
        values.put(key(KnobKind.WEIGHT, guest.uuid()), weight);
        values.put(key(KnobKind.CAP, guest.uuid()), cap);
        values.put(key(KnobKind.MEMORY, guest.uuid()), memory);
        return guest;
    }

    public FakeBackend() {
        values.put(key(KnobKind.TSLICE, "pool pool"), 30);
        values.put(key(KnobKind.RATELIMIT, "pool pool"), 1000);
    }

    private static String key(KnobKind kind, String identity) {
        return kind.key() + " " + identity;
    }

    private static String key(GuestKnob knob) {
        return key(knob.kind(), knob.target().identity());
    }

    public int value(KnobKind kind, Guest guest) {
        return values.get(key(kind, guest.uuid()));
    }

    public void setByOthers(KnobKind kind, Guest guest, int value) {
        values.put(key(kind, guest.uuid()), value);
    }

    public void end(Guest guest) {
        guests.remove(guest);
        for (KnobKind kind : KnobKind.values()) {
            values.remove(key(kind, guest.uuid()));
        }
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(ranges, Map.of(GuestMetric.CPU_RUN, new Capabilities.Source("memory", false)), List.of());
    }

    @Override
    public List<Guest> guests() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();     // as a channel does
        }
        if (unreadable) {
            throw new IOException("no answer");
        }
        return List.copyOf(guests);
    }

    @Override
    public Map<String, String> refused() {
        return Map.copyOf(refusedGuests);
    }

    @Override
    public List<Pool> pools() throws IOException {
        if (poolsUnreadable) {
            throw new IOException("no pools");
        }
        return List.copyOf(pools);
    }

    @Override
    public Map<String, String> membership() throws IOException, InterruptedException {
        return pools.size() == 1 ? Backend.super.membership() : homes;
    }

    @Override
    public long memory() {
        return 4096 * MIB;
    }

    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException {
        Map<String, Readings<GuestMetric>> readings = new LinkedHashMap<>();
        guests().forEach(guest -> {
            Readings<GuestMetric> of = new Readings<>(GuestMetric.class).with(GuestMetric.CPU_RUN, 0.5);
            for (Map.Entry<GuestMetric, Double> one : measured.entrySet()) {
                of = of.with(one.getKey(), one.getValue());
            }
            readings.put(guest.uuid(), of);
        });
        Readings<HostMetric> host = new Readings<>(HostMetric.class).with(HostMetric.MEM_FREE, memoryFree);
        for (Map.Entry<HostMetric, Double> one : hostMeasured.entrySet()) {
            host = host.with(one.getKey(), one.getValue());
        }
        return new HostSample(now, Duration.ofSeconds(3), guests, readings, host);
    }

    @Override
    public boolean has(GuestKnob knob) {
        return !lacking.contains(knob.kind());
    }

    @Override
    public int get(GuestKnob knob) throws IOException {
        looks.accept(knob);
        Integer value = values.get(key(knob));
        if (value == null || unreadable) {
            throw new IOException(knob.label() + ": no such guest");
        }
        return value;
    }

    @Override
    public void set(GuestKnob knob, int value) throws IOException {
        order(Map.of(knob, Integer.toString(value)));
    }

    @Override
    public String exact(GuestKnob knob) throws IOException {
        return "exactly " + get(knob);
    }

    @Override
    public void putBack(GuestKnob knob, String exact) throws IOException {
        order(Map.of(knob, exact));
    }

    @Override
    public Object company(GuestKnob knob) {
        return paired && (knob.kind() == KnobKind.WEIGHT || knob.kind() == KnobKind.CAP) ? knob.target() : knob;
    }

    @Override
    public void setTogether(Map<GuestKnob, String> exact) throws IOException {
        order(exact);
    }

    private void order(Map<GuestKnob, String> words) throws IOException {
        orders.add(words.entrySet().stream().map(one -> one.getKey().label() + " = " + one.getValue())
                .collect(Collectors.joining(" and ")));
        for (GuestKnob knob : words.keySet()) {
            if (!values.containsKey(key(knob))) {
                throw new NotDoneException(knob.label() + ": no such guest");
            }
        }
        if (words.keySet().stream().anyMatch(knob -> refused.contains(knob.kind()))) {
            throw new NotDoneException("status 1: not this one");
        }
        if (unanswered > 0) {
            unanswered--;
            throw new IOException("no answer within 5 s");
        }
        switch (manners.getOrDefault(words.keySet().iterator().next().target().name(), manner)) {
            case OBEYS -> obey(words);
            case REFUSES -> throw new NotDoneException("status 1: not with me");
            case SILENT -> throw new IOException("no answer within 5 s");
            case DIES_BEFORE -> throw new KilledError();
            case DIES_AFTER -> {
                obey(words);
                throw new KilledError();
            }
            case IGNORES -> { }
        }
        Runnable now = afterOrder;
        afterOrder = () -> { };
        now.run();
    }

    private void obey(Map<GuestKnob, String> words) {
        words.forEach((knob, exact) -> {
            if (deaf.contains(knob.kind())) {
                return;
            }
            int value = Integer.parseInt(exact.replace("exactly ", ""));
            values.put(key(knob), knob.kind() == KnobKind.MEMORY ? Math.max(value, balloonEnds) : value);
        });
    }

    @Override
    public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) {
        Runnable now = beforeOrder;
        beforeOrder = () -> { };
        now.run();
        asked.add(Map.copyOf(wanted));
        return objection.isEmpty() ? Map.of() : wanted.keySet().stream().filter(knob -> objectedTo.contains(knob.kind()))
                .collect(Collectors.toMap(knob -> knob, knob -> objection.get()));
    }

    @Override
    public OptionalLong indispensable(Target.OfGuest guest) throws IOException {
        return indispensable.containsKey(guest.name()) ? OptionalLong.of(indispensable.get(guest.name()) * MIB) : OptionalLong.empty();
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return Duration.ZERO;
    }

    @Override
    public boolean gradual(KnobKind kind) {
        return gradual;
    }

    @Override
    public void close() {
        // holds nothing
    }
}
