// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Rationale;

/**
 * What a host has for its guests, and its division among their wishes. All in the knobs' units.
 *
 * <p>Of CPUs: what it has without its reserve, each of several pools for those who live in it; caps are limits, so the use of
 * others takes nothing away. Of memory: what others do not have, and no more than these guests have now together with what is free.
 */
record Capacity(Arbiter arbiter, boolean sparing, HostWindow window, HostView host, InForce inForce) {

    /** The values that the wishes become. Recordings of old say nothing of homes: then all CPUs are for all, as they were. */
    List<KnobProposal> divide(KnobKind kind, List<Guest> controlled, List<AllocationTargets.Wish> wishes, List<String> held) {
        if (kind != KnobKind.CAP || host.pools().size() < 2 || host.homes().isEmpty()) {
            return divide(kind, new Source("", host.cpus(), controlled), wishes, held);
        }
        List<KnobProposal> proposals = new ArrayList<>();
        for (Pool pool : host.pools()) {
            Source source = new Source("in " + pool.name() + " ", host.cpus(pool), in(pool, controlled, guest -> guest));
            proposals.addAll(divide(kind, source, in(pool, wishes, AllocationTargets.Wish::guest), held));
        }
        wishes.stream().map(AllocationTargets.Wish::guest).filter(guest -> host.pool(guest).isEmpty()).forEach(guest ->
                held.add(guest.name() + ": " + kind.key() + ": in which pool of CPUs it lives is not known"));
        return proposals;
    }

    /**
     * Where what is divided comes from.
     *
     * @param where in words, with a blank behind; empty for the whole host
     * @param cpus  that it has
     * @param among the controlled guests that it is for
     */
    private record Source(String where, double cpus, List<Guest> among) {
    }

    private <T> List<T> in(Pool pool, List<T> all, Function<T, Guest> whose) {
        return all.stream().filter(one -> host.pool(whose.apply(one)).equals(Optional.of(pool))).toList();
    }

    private List<KnobProposal> divide(KnobKind kind, Source source, List<AllocationTargets.Wish> wishes, List<String> held) {
        if (wishes.isEmpty()) {
            return List.of();
        }
        double capacity = Math.max(0, of(kind, source, wishes));
        Arbiter.Division division = ByClass.divide(wishes, arbiter, capacity);
        boolean lends = sparing && kind == KnobKind.MEMORY;
        double there = lends ? Math.max(0, physical(source, wishes)) : capacity;
        int least = wishes.stream().mapToInt(wish -> lends ? (int) Math.ceil(wish.guest().memMin() / AllocationTargets.MIB) : wish.least()).sum();
        if (lends ? least > there : division.alarm()) {
            held.add(String.format(Locale.ROOT, "alarm: %s: %sthe minima of %s are %d %s together, and there are %.0f", kind.key(),
                    source.where(), wishes.stream().map(wish -> wish.guest().name()).collect(Collectors.joining(", ")), least, kind.unit(), there));
        }
        double wanted = wishes.stream().mapToDouble(AllocationTargets.Wish::amount).sum();
        List<KnobProposal> proposals = new ArrayList<>();
        for (int i = 0; i < wishes.size(); i++) {
            AllocationTargets.Wish wish = wishes.get(i);
            int value = value(kind, wish, division.grants()[i]);
            proposals.add(new KnobProposal(wish.knob(), value, "joint",
                    division.scarce() ? cut(wish, wanted, capacity, division.grants()[i]) : wish.why()));
        }
        return proposals;
    }

    /** A whole number, never 0, which would be no limit. Memory stays at its minimum even where the minima do not fit. */
    private static int value(KnobKind kind, AllocationTargets.Wish wish, double grant) {
        int whole = (int) Math.floor(grant + 1e-6);
        int least = kind == KnobKind.MEMORY ? (int) Math.min(wish.least(), wish.inForce()) : 1;
        return Math.max(1, Math.max(whole, least));
    }

    private static Rationale cut(AllocationTargets.Wish wish, double wanted, double capacity, double grant) {
        Map<String, Double> numbers = new LinkedHashMap<>(wish.why().numbers());
        numbers.put("wishes", wanted);
        numbers.put("capacity", capacity);
        numbers.put("granted", grant);
        return new Rationale(wish.why().formula() + "; cut, as the wishes exceed the capacity", numbers);
    }

    /** Of CPUs what is not kept by others; of memory what these guests have and what is free, also where their limits exceed the host. */
    private double of(KnobKind kind, Source source, List<AllocationTargets.Wish> wishes) {
        if (kind == KnobKind.CAP) {
            return 1000 * source.cpus() - withheld(kind, source, wishes);
        }
        // to cut limits that exceed the host would take what nobody lacks
        return sparing ? Math.max(have(wishes), physical(source, wishes)) : physical(source, wishes);
    }

    private double physical(Source source, List<AllocationTargets.Wish> wishes) {
        double free = Math.max(0, host.memoryFree() / AllocationTargets.MIB);
        return Math.min(host.memory() / AllocationTargets.MIB - others(source.among()) - withheld(KnobKind.MEMORY, source, wishes), have(wishes) + free);
    }

    private static double have(List<AllocationTargets.Wish> wishes) {
        return wishes.stream().mapToDouble(AllocationTargets.Wish::inForce).sum();
    }

    private double withheld(KnobKind kind, Source source, List<AllocationTargets.Wish> wishes) {
        Set<String> wishing = wishes.stream().map(wish -> wish.guest().uuid()).collect(Collectors.toSet());
        return source.among().stream().filter(guest -> !wishing.contains(guest.uuid()))
                .mapToDouble(guest -> inForce.of(kind, guest).map(InForce.Value::value).orElse(0)).sum();
    }

    /** Memory of the guests that are not controlled here. */
    private double others(List<Guest> controlled) {
        Set<String> ours = controlled.stream().map(Guest::uuid).collect(Collectors.toSet());
        return host.guests().stream().filter(guest -> guest.guestClass() != GuestClass.HOST && !ours.contains(guest.uuid()))
                .mapToDouble(this::memory).sum();
    }

    /** What a guest has; of one without a limit what it uses. */
    private double memory(Guest guest) {
        double given = window.mean(guest, GuestMetric.MEM_ALLOC);
        double used = window.mean(guest, GuestMetric.MEM_USED);
        double bytes = given <= host.memory() ? given : used;
        return Double.isNaN(bytes) ? 0 : bytes / AllocationTargets.MIB;
    }
}
