// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;

/**
 * What a cap does under Credit1 beside weights: a capped virtual CPU that has overspent the credits of its weight is parked,
 * even beside idle CPUs, so that a guest whose share by weight is below its cap gets its share and no more.
 */
final class CreditShares {
    /** Per cent of a CPU. */
    private static final double ROUNDING = 1e-9;

    private CreditShares() {
    }

    /**
     * A domain's share by its weight if all want CPU, per cent of a physical CPU.
     *
     * @param cpus of the pool
     */
    static double share(XlSchedule.Domain domain, List<XlSchedule.Domain> pool, int cpus) {
        double all = pool.stream().mapToDouble(XlSchedule.Domain::weight).sum();
        return 100.0 * cpus * domain.weight() / all;
    }

    /** The domains whose cap is above their share, each in words. */
    static List<String> parked(List<XlSchedule.Domain> pool, int cpus) {
        return pool.stream().filter(domain -> isParked(domain, pool, cpus)).map(domain -> words(domain, pool, cpus)).toList();
    }

    /** Whether changes could park anybody, as far as that can be told without the pool's CPUs: caps that come down do not. */
    static boolean mayPark(List<XlSchedule.Domain> before, Map<GuestKnob, Integer> wanted) {
        return wanted.keySet().stream().anyMatch(knob -> knob.kind() == KnobKind.WEIGHT)
                ? changed(before, wanted).stream().anyMatch(domain -> domain.cap() > 0)
                : wanted.entrySet().stream().anyMatch(one -> isRaised(one, before));
    }

    /**
     * What is against weights and caps that are to be changed together: some cap would come above its guest's share, or farther
     * above it than it is. Where that is so even if no cap is raised, all weights stay as they are, since a share is all weights'
     * doing; then of the raised caps those that are too high.
     *
     * @param before the pool's domains as they are
     * @param cpus   of the pool
     */
    static Map<GuestKnob, String> objections(List<XlSchedule.Domain> before, Map<GuestKnob, Integer> wanted, int cpus) {
        Map<GuestKnob, String> against = new LinkedHashMap<>();
        Map<GuestKnob, Integer> left = new LinkedHashMap<>(wanted);
        left.entrySet().removeIf(one -> isRaised(one, before));
        List<XlSchedule.Domain> after = changed(before, left);
        worse(before, after, cpus).stream().findFirst().ifPresent(parked -> wanted.keySet().stream()
                .filter(knob -> knob.kind() == KnobKind.WEIGHT)
                .forEach(knob -> against.put(knob, knob.label() + ": with what else is wanted it parks " + words(parked, after, cpus))));
        left.putAll(wanted);
        left.keySet().removeAll(against.keySet());
        List<XlSchedule.Domain> raised = changed(before, left);
        for (XlSchedule.Domain parked : worse(before, raised, cpus)) {
            left.keySet().stream().filter(knob -> knob.kind() == KnobKind.CAP && XenKnobs.id(knob) == parked.id())
                    .forEach(knob -> against.put(knob, words(parked, raised, cpus)));
        }
        return against;
    }

    private static boolean isRaised(Map.Entry<GuestKnob, Integer> wanted, List<XlSchedule.Domain> before) {
        int cap = XenKnobs.percent(wanted.getValue());
        return wanted.getKey().kind() == KnobKind.CAP && cap > 0 && before.stream().anyMatch(domain ->
                domain.id() == XenKnobs.id(wanted.getKey()) && (domain.cap() == 0 || domain.cap() < cap));
    }

    private static List<XlSchedule.Domain> changed(List<XlSchedule.Domain> before, Map<GuestKnob, Integer> wanted) {
        List<XlSchedule.Domain> after = new ArrayList<>(before);
        wanted.forEach((knob, value) -> after.replaceAll(domain -> domain.id() != XenKnobs.id(knob) ? domain
                : knob.kind() == KnobKind.WEIGHT ? new XlSchedule.Domain(domain.name(), domain.id(), value, domain.cap())
                : new XlSchedule.Domain(domain.name(), domain.id(), domain.weight(), XenKnobs.percent(value))));
        return after;
    }

    /** The domains whose cap has come above their share, or farther above it. Both lists have the same order. */
    private static List<XlSchedule.Domain> worse(List<XlSchedule.Domain> before, List<XlSchedule.Domain> after, int cpus) {
        List<XlSchedule.Domain> worse = new ArrayList<>();
        for (int i = 0; i < after.size(); i++) {
            XlSchedule.Domain was = before.get(i);
            XlSchedule.Domain is = after.get(i);
            if (isParked(is, after, cpus) && (!isParked(was, before, cpus)
                    || is.cap() - share(is, after, cpus) > was.cap() - share(was, before, cpus) + ROUNDING)) {
                worse.add(is);
            }
        }
        return worse;
    }

    private static boolean isParked(XlSchedule.Domain domain, List<XlSchedule.Domain> pool, int cpus) {
        return domain.cap() > 0 && share(domain, pool, cpus) < domain.cap();
    }

    private static String words(XlSchedule.Domain domain, List<XlSchedule.Domain> pool, int cpus) {
        return String.format(Locale.ROOT, "%s: its cap of %d %% is above the %.1f %% that its weight of %d gives it in its pool;"
                + " Credit1 parks it there, even beside idle CPUs", domain.name(), domain.cap(), share(domain, pool, cpus),
                domain.weight());
    }
}
