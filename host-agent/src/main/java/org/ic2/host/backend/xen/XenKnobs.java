// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.NotDoneException;

/** The values of Xen's knobs, and the commands that ask for others. */
final class XenKnobs {
    /** A cap is thousandths of a CPU here and per cent for xl. */
    private static final int THOUSANDTHS = 10;
    /** In the order in which they are asked; who is found in the first needs no second command. */
    private static final List<String> SCHEDULERS = List.of(XenCommands.CREDIT, XenCommands.CREDIT2);

    /** A domain under the scheduler of its pool. */
    private record Scheduled(String scheduler, XlSchedule.OfPool pool, XlSchedule.Domain domain) {
    }

    private final XenCommands commands;
    private final XenPins pins;

    XenKnobs(XenCommands commands) {
        this.commands = commands;
        pins = new XenPins(commands);
    }

    int get(GuestKnob knob) throws IOException, InterruptedException {
        return switch (knob.kind()) {
            case WEIGHT -> scheduled(knob).domain().weight();
            case CAP -> scheduled(knob).domain().cap() * THOUSANDTHS;
            case MEMORY -> memory(id(knob));
            case TSLICE -> slice(pool(knob));
            case RATELIMIT -> pool(knob).ratelimit();
            case AFFINITY -> pins.get(knob);
            case CPUSET -> throw new IOException("Xen has no " + knob.kind().key());
        };
    }

    private int memory(int id) throws IOException, InterruptedException {
        return commands.domains().stream().filter(domain -> domain.id() == id).findFirst()
                .orElseThrow(() -> new IOException("xl list: there is no domain " + id)).mib();
    }

    private static int slice(XlSchedule.OfPool pool) throws IOException {
        return pool.tslice().orElseThrow(() -> new IOException("pool " + pool.name() + " has no time slice: Credit2 knows none"));
    }

    private static int id(GuestKnob knob) {
        return Integer.parseInt(knob.target().whose().orElseThrow().id());
    }

    private Scheduled scheduled(GuestKnob knob) throws IOException, InterruptedException {
        int id = id(knob);
        for (String scheduler : SCHEDULERS) {
            for (XlSchedule.OfPool pool : commands.schedule(scheduler)) {
                for (XlSchedule.Domain domain : pool.domains()) {
                    if (domain.id() == id) {
                        return new Scheduled(scheduler, pool, domain);
                    }
                }
            }
        }
        throw new IOException("neither xl sched-credit nor xl sched-credit2 lists domain " + id
                + ": it is gone, or its pool has another scheduler");
    }

    private XlSchedule.OfPool pool(GuestKnob knob) throws IOException, InterruptedException {
        return paragraph(((Target.OfPool) knob.target()).name()).getValue();
    }

    private Map.Entry<String, XlSchedule.OfPool> paragraph(String name) throws IOException, InterruptedException {
        for (String scheduler : SCHEDULERS) {
            for (XlSchedule.OfPool pool : commands.schedule(scheduler)) {
                if (pool.name().equals(name)) {
                    return Map.entry(scheduler, pool);
                }
            }
        }
        throw new IOException("neither xl sched-credit nor xl sched-credit2 lists pool " + name
                + ": it is gone, or has another scheduler");
    }

    /** Caps of these domains by number, per cent of a CPU; none of a domain in a pool of another scheduler. */
    Map<Integer, Integer> caps(Set<Integer> ids) throws IOException, InterruptedException {
        Map<Integer, Integer> caps = new HashMap<>();
        for (String scheduler : SCHEDULERS) {
            if (caps.keySet().containsAll(ids)) {
                break;
            }
            commands.schedule(scheduler).forEach(pool -> pool.domains().forEach(domain -> caps.put(domain.id(), domain.cap())));
        }
        return caps;
    }

    String exact(GuestKnob knob) throws IOException, InterruptedException {
        return knob.kind() == KnobKind.AFFINITY ? pins.exact(knob) : Integer.toString(get(knob));
    }

    /** The command that asks for what {@link #exact} said. */
    List<String> back(GuestKnob knob, String exact) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return XenPins.command(knob, exact);
        }
        try {
            return command(knob, Integer.parseInt(exact));
        } catch (NumberFormatException e) {
            throw new NotDoneException(knob.label() + ": expected a number to put back, got \"" + exact + "\"", e);
        }
    }

    /** The pools of all domains, by number; a pool of another scheduler lists none. */
    Map<String, String> pools() throws IOException, InterruptedException {
        Map<String, String> pools = new HashMap<>();
        commands.schedules().values().forEach(all -> all.forEach(pool ->
                pool.domains().forEach(domain -> pools.put(Integer.toString(domain.id()), pool.name()))));
        return pools;
    }

    /** The command that asks for a value. */
    List<String> command(GuestKnob knob, int value) throws IOException, InterruptedException {
        return switch (knob.kind()) {
            case WEIGHT -> List.of("xl", "sched-" + scheduled(knob).scheduler(), "-d", Integer.toString(id(knob)), "-w",
                    Integer.toString(value));
            case CAP -> List.of("xl", "sched-" + scheduled(knob).scheduler(), "-d", Integer.toString(id(knob)), "-c",
                    Integer.toString(percent(value)));
            case MEMORY -> List.of("xl", "mem-set", Integer.toString(id(knob)), Integer.toString(value));
            case TSLICE -> ofPool(knob, value, pool(knob).ratelimit());
            case RATELIMIT -> ofPool(knob, pool(knob).tslice().orElse(0), value);
            case AFFINITY -> XenPins.command(knob, Integer.toString(value));
            case CPUSET -> throw new NotDoneException("Xen has no " + knob.kind().key());
        };
    }

    /** For xl a cap of 0 is none: what is more than none is one per cent at least. */
    private static int percent(int value) {
        return value == 0 ? 0 : Math.max(1, Math.round(value / (float) THOUSANDTHS));
    }

    /** Both parameters, of which xl takes no rate limit above the time slice. */
    private List<String> ofPool(GuestKnob knob, int tslice, int ratelimit) throws IOException, InterruptedException {
        Map.Entry<String, XlSchedule.OfPool> pool = paragraph(((Target.OfPool) knob.target()).name());
        String scheduler = "sched-" + pool.getKey();
        String name = pool.getValue().name();
        if (pool.getKey().equals(XenCommands.CREDIT2)) {
            if (knob.kind() == KnobKind.TSLICE) {
                slice(pool.getValue());
            }
            return List.of("xl", scheduler, "-s", "-p", name, "-r", Integer.toString(ratelimit));
        }
        if (ratelimit > tslice * 1000L) {
            throw new NotDoneException("Xen takes no rate limit (" + ratelimit + " us) above the time slice (" + tslice + " ms): "
                    + (knob.kind() == KnobKind.TSLICE ? "lower the rate limit first" : "raise the time slice first"));
        }
        return List.of("xl", scheduler, "-s", "-p", name, "-t", Integer.toString(tslice), "-r", Integer.toString(ratelimit));
    }

    /** Of a weight or a cap under Credit1. What is not needed to tell is not asked for: a command takes its time. */
    Optional<String> objection(GuestKnob knob, int value) throws IOException, InterruptedException {
        if (knob.kind() == KnobKind.AFFINITY) {
            return XenPins.objection(knob, value, scheduled(knob).pool().name(), commands.pools());
        }
        if (knob.kind() != KnobKind.WEIGHT && knob.kind() != KnobKind.CAP) {
            return Optional.empty();
        }
        Scheduled now = scheduled(knob);
        if (!now.scheduler().equals(XenCommands.CREDIT)) {
            return Optional.empty();
        }
        XlSchedule.Domain domain = now.domain();
        XlSchedule.Domain changed = knob.kind() == KnobKind.WEIGHT
                ? new XlSchedule.Domain(domain.name(), domain.id(), value, domain.cap())
                : new XlSchedule.Domain(domain.name(), domain.id(), domain.weight(), percent(value));
        List<XlSchedule.Domain> domains = now.pool().domains();
        if (changed.cap() == 0 && domains.stream().allMatch(other -> other.id() == changed.id() || other.cap() == 0)) {
            return Optional.empty();
        }
        Optional<Pool> pool = commands.pools().stream().filter(one -> one.name().equals(now.pool().name())).findFirst();
        return pool.isEmpty() ? Optional.empty() : CreditShares.objection(changed, domains, pool.get().cpus().size());
    }
}
