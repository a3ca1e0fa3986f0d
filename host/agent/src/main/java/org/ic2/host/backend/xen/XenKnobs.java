// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.NotDoneException;

/** The values of Xen's knobs, and the commands that ask for others. */
final class XenKnobs {
    /** A cap is thousandths of a CPU here and per cent for xl. */
    private static final int THOUSANDTHS = 10;
    /** In the order in which they are asked; who is found in the first needs no second command. */
    private static final List<String> SCHEDULERS = List.of(XenCommands.CREDIT, XenCommands.CREDIT2);

    /** Of the others nothing is against any value. */
    private static final Set<KnobKind> JUDGED = EnumSet.of(KnobKind.AFFINITY, KnobKind.WEIGHT, KnobKind.CAP);

    /** The pools of a scheduler. */
    private interface Schedules {
        List<XlSchedule.OfPool> of(String scheduler) throws IOException, InterruptedException;
    }

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
            default -> throw new IOException("Xen has no " + knob.kind().key());
        };
    }

    private int memory(int id) throws IOException, InterruptedException {
        return commands.domains().stream().filter(domain -> domain.id() == id).findFirst()
                .orElseThrow(() -> new IOException("xl list: there is no domain " + id)).mib();
    }

    private static int slice(XlSchedule.OfPool pool) throws IOException {
        return pool.tslice().orElseThrow(() -> new IOException("pool " + pool.name() + " has no time slice: Credit2 knows none"));
    }

    static int id(GuestKnob knob) {
        return Integer.parseInt(knob.target().whose().orElseThrow().id());
    }

    private Scheduled scheduled(GuestKnob knob) throws IOException, InterruptedException {
        return scheduled(knob, commands::schedule);
    }

    private static Scheduled scheduled(GuestKnob knob, Schedules schedules) throws IOException, InterruptedException {
        return find(id(knob), schedules).orElseThrow(() -> new IOException(unlisted(knob)));
    }

    private static String unlisted(GuestKnob knob) {
        return "neither xl sched-credit nor xl sched-credit2 lists domain " + id(knob) + ": it is gone, or its pool has another scheduler";
    }

    private static Optional<Scheduled> find(int id, Schedules schedules) throws IOException, InterruptedException {
        for (String scheduler : SCHEDULERS) {
            for (XlSchedule.OfPool pool : schedules.of(scheduler)) {
                for (XlSchedule.Domain domain : pool.domains()) {
                    if (domain.id() == id) {
                        return Optional.of(new Scheduled(scheduler, pool, domain));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private XlSchedule.OfPool pool(GuestKnob knob) throws IOException, InterruptedException {
        return paragraph((Target.OfPool) knob.target(), commands::schedule).getValue();
    }

    private static Map.Entry<String, XlSchedule.OfPool> paragraph(Target.OfPool pool, Schedules schedules)
            throws IOException, InterruptedException {
        return find(pool, schedules).orElseThrow(() -> new IOException("neither xl sched-credit nor xl sched-credit2 lists pool "
                + pool.name() + ": it is gone, or has another scheduler"));
    }

    private static Optional<Map.Entry<String, XlSchedule.OfPool>> find(Target.OfPool wanted, Schedules schedules)
            throws IOException, InterruptedException {
        for (String scheduler : SCHEDULERS) {
            for (XlSchedule.OfPool pool : schedules.of(scheduler)) {
                if (pool.name().equals(wanted.name())) {
                    return Optional.of(Map.entry(scheduler, pool));
                }
            }
        }
        return Optional.empty();
    }

    /** An answer may lack it and yet succeed: without its knobs is a pool only if the list of pools says so. */
    boolean has(Target.OfPool pool) throws IOException, InterruptedException {
        if (find(pool, commands::schedule).isPresent()) {
            return true;
        }
        Optional<String> scheduler = Optional.ofNullable(commands.schedulers().get(pool.name())).filter(SCHEDULERS::contains);
        if (scheduler.isPresent()) {
            throw new IOException("xl sched-" + scheduler.get() + " does not list pool " + pool.name()
                    + ", which has that scheduler by xl cpupool-list; it is asked again");
        }
        return false;
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
        return command(knob, number(knob, exact));
    }

    private static int number(GuestKnob knob, String exact) throws NotDoneException {
        try {
            return Integer.parseInt(exact);
        } catch (NumberFormatException e) {
            throw new NotDoneException(knob.label() + ": expected a number to put back, got \"" + exact + "\"", e);
        }
    }

    /** One command takes weight and cap of a guest, and one what a pool has. */
    static Object company(GuestKnob knob) {
        return switch (knob.kind()) {
            case WEIGHT, CAP, TSLICE, RATELIMIT -> knob.target();
            default -> knob;
        };
    }

    /** The command that asks for several of one company. */
    List<String> together(Map<GuestKnob, String> exact) throws IOException, InterruptedException {
        Map<KnobKind, Integer> values = new EnumMap<>(KnobKind.class);
        for (Map.Entry<GuestKnob, String> one : exact.entrySet()) {
            values.put(one.getKey().kind(), number(one.getKey(), one.getValue()));
        }
        GuestKnob first = exact.keySet().iterator().next();
        return first.kind().ofPool() ? ofPool((Target.OfPool) first.target(), values) : ofDomain(first, values);
    }

    /** The pools of domains by number, of these at least; a pool of another scheduler lists none. */
    Map<String, String> pools(Set<String> ids) throws IOException, InterruptedException {
        Map<String, String> pools = new HashMap<>();
        for (String scheduler : SCHEDULERS) {
            commands.schedule(scheduler).forEach(pool ->
                    pool.domains().forEach(domain -> pools.put(Integer.toString(domain.id()), pool.name())));
            if (pools.keySet().containsAll(ids)) {
                break;
            }
        }
        return pools;
    }

    /** The command that asks for a value. */
    List<String> command(GuestKnob knob, int value) throws IOException, InterruptedException {
        return switch (knob.kind()) {
            case WEIGHT, CAP -> ofDomain(knob, Map.of(knob.kind(), value));
            case MEMORY -> List.of("xl", "mem-set", Integer.toString(id(knob)), Integer.toString(value));
            case TSLICE, RATELIMIT -> ofPool((Target.OfPool) knob.target(), Map.of(knob.kind(), value));
            case AFFINITY -> XenPins.command(knob, Integer.toString(value));
            default -> throw new NotDoneException("Xen has no " + knob.kind().key());
        };
    }

    /** For xl a cap of 0 is none: what is more than none is one per cent at least. */
    static int percent(int value) {
        return value == 0 ? 0 : Math.max(1, Math.round(value / (float) THOUSANDTHS));
    }

    private List<String> ofDomain(GuestKnob knob, Map<KnobKind, Integer> values) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("xl", "sched-" + scheduled(knob, commands::knownSchedule).scheduler(), "-d",
                Integer.toString(id(knob))));
        if (values.containsKey(KnobKind.WEIGHT)) {
            command.addAll(List.of("-w", values.get(KnobKind.WEIGHT).toString()));
        }
        if (values.containsKey(KnobKind.CAP)) {
            command.addAll(List.of("-c", Integer.toString(percent(values.get(KnobKind.CAP)))));
        }
        return command;
    }

    /** Both parameters, of which xl takes no rate limit above the time slice; what is not to change is asked for as it is. */
    private List<String> ofPool(Target.OfPool target, Map<KnobKind, Integer> values) throws IOException, InterruptedException {
        boolean both = values.size() == 2;
        Map.Entry<String, XlSchedule.OfPool> found = paragraph(target, both ? commands::knownSchedule : commands::schedule);
        XlSchedule.OfPool pool = found.getValue();
        List<String> command = new ArrayList<>(List.of("xl", "sched-" + found.getKey(), "-s", "-p", pool.name()));
        int ratelimit = values.getOrDefault(KnobKind.RATELIMIT, pool.ratelimit());
        if (pool.tslice().isPresent() || values.containsKey(KnobKind.TSLICE)) {
            int tslice = values.getOrDefault(KnobKind.TSLICE, slice(pool));
            if (ratelimit > tslice * 1000L) {
                throw new NotDoneException("Xen takes no rate limit (" + ratelimit + " us) above the time slice (" + tslice + " ms)"
                        + (both ? "" : values.containsKey(KnobKind.TSLICE) ? ": lower the rate limit first" : ": raise the time slice first"));
            }
            command.addAll(List.of("-t", Integer.toString(tslice)));
        }
        command.addAll(List.of("-r", Integer.toString(ratelimit)));
        return command;
    }

    /** Of CPUs, and of weights and caps under Credit1. What is not needed to tell is not asked for: a command takes its time. */
    Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws IOException, InterruptedException {
        Map<GuestKnob, String> against = new LinkedHashMap<>();
        Map<XlSchedule.OfPool, Map<GuestKnob, Integer>> shares = new LinkedHashMap<>();
        for (Map.Entry<GuestKnob, Integer> one : wanted.entrySet()) {
            GuestKnob knob = one.getKey();
            if (!JUDGED.contains(knob.kind())) {
                continue;
            }
            Optional<Scheduled> now = find(id(knob), commands::schedule);
            if (now.isEmpty()) {
                against.put(knob, knob.label() + ": " + unlisted(knob));
            } else if (knob.kind() == KnobKind.AFFINITY) {
                XenPins.objection(knob, one.getValue(), now.get().pool().name(), commands.pools())
                        .ifPresent(why -> against.put(knob, why));
            } else if (now.get().scheduler().equals(XenCommands.CREDIT)) {
                shares.computeIfAbsent(now.get().pool(), pool -> new LinkedHashMap<>()).put(knob, one.getValue());
            }
        }
        for (Map.Entry<XlSchedule.OfPool, Map<GuestKnob, Integer>> pool : shares.entrySet()) {
            List<XlSchedule.Domain> domains = pool.getKey().domains();
            if (CreditShares.mayPark(domains, pool.getValue())) {
                commands.pools().stream().filter(one -> one.name().equals(pool.getKey().name())).findFirst().ifPresent(one ->
                        against.putAll(CreditShares.objections(domains, pool.getValue(), one.cpus().size())));
            }
        }
        return against;
    }
}
