// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a cap does under Credit1 beside weights: a capped virtual CPU that has overspent the credits of its weight is parked,
 * even beside idle CPUs, so that a guest whose share by weight is below its cap gets its share and no more.
 */
final class CreditShares {
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

    /** Why a changed domain should stay as it is: some cap would come above a share, or farther above it. */
    static Optional<String> objection(XlSchedule.Domain changed, List<XlSchedule.Domain> before, int cpus) {
        List<XlSchedule.Domain> after = new ArrayList<>(before);
        after.replaceAll(domain -> domain.id() == changed.id() ? changed : domain);
        for (XlSchedule.Domain domain : after) {
            XlSchedule.Domain was = before.stream().filter(other -> other.id() == domain.id()).findFirst().orElseThrow();
            boolean worse = !isParked(was, before, cpus) || domain.id() == changed.id()
                    || share(domain, after, cpus) < share(was, before, cpus);
            if (isParked(domain, after, cpus) && worse) {
                return Optional.of(words(domain, after, cpus));
            }
        }
        return Optional.empty();
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
