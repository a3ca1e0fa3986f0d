// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Divides a capacity that does not suffice: each guest gets its least; then those that are latency-sensitive what they need, and the
 * others what they need; then the former what they wish, and the others. Among equals an arbiter divides.
 */
final class ByClass {
    private final List<AllocationTargets.Wish> wishes;
    private final Arbiter arbiter;
    private final double[] grants;
    private double left;

    private ByClass(List<AllocationTargets.Wish> wishes, Arbiter arbiter, double capacity) {
        this.wishes = wishes;
        this.arbiter = arbiter;
        grants = wishes.stream().mapToDouble(AllocationTargets.Wish::least).toArray();
        left = capacity - Arrays.stream(grants).sum();
    }

    static Arbiter.Division divide(List<AllocationTargets.Wish> wishes, Arbiter arbiter, double capacity) {
        double[] amounts = wishes.stream().mapToDouble(AllocationTargets.Wish::amount).toArray();
        double[] least = wishes.stream().mapToDouble(AllocationTargets.Wish::least).toArray();
        if (arbiter == Arbiter.PAPER || Arrays.stream(amounts).sum() <= capacity || Arrays.stream(least).sum() > capacity) {
            return arbiter.divide(amounts, least, capacity);
        }
        ByClass division = new ByClass(wishes, arbiter, capacity);
        int[] first = division.members(true);
        int[] then = division.members(false);
        division.serveNeeds(first);
        division.serveNeeds(then);
        division.serveWishes(first);
        division.serveWishes(then);
        return new Arbiter.Division(division.grants, true, false);
    }

    private int[] members(boolean latencySensitive) {
        return IntStream.range(0, wishes.size()).filter(i -> wishes.get(i).guest().guestClass().latencySensitive() == latencySensitive).toArray();
    }

    /** Of what they need as much as there is, each the same part. */
    private void serveNeeds(int[] members) {
        double[] lacking = Arrays.stream(members).mapToDouble(i -> Math.max(0, wishes.get(i).need() - grants[i])).toArray();
        double all = Arrays.stream(lacking).sum();
        double part = all > 0 ? Math.min(1, left / all) : 0;
        for (int m = 0; m < members.length; m++) {
            grants[members[m]] += part * lacking[m];
        }
        left = Math.max(0, left - part * all);
    }

    private void serveWishes(int[] members) {
        double[] had = Arrays.stream(members).mapToDouble(i -> grants[i]).toArray();
        double before = Arrays.stream(had).sum();
        double[] now = arbiter.divide(Arrays.stream(members).mapToDouble(i -> wishes.get(i).amount()).toArray(), had, before + left).grants();
        for (int m = 0; m < members.length; m++) {
            grants[members[m]] = now[m];
        }
        left = Math.max(0, left - (Arrays.stream(now).sum() - before));
    }
}
