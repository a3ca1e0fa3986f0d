// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory is taken from a guest only where another one lacks it and the host has none: no more than is lacked, and of nobody who
 * lacks some himself. What nobody wants stays with who has it, as taking it can only do harm.
 */
final class Lending {

    private Lending() {
    }

    /**
     * The wishes of which those that would give something back give no more than others lack. Of what a guest had at first no
     * division may take more than that.
     *
     * @param free what the host has, in the wishes' unit
     */
    static List<AllocationTargets.Wish> of(List<AllocationTargets.Wish> wishes, double free) {
        double wanted = wishes.stream().mapToDouble(wish -> Math.max(0, wish.amount() - wish.inForce())).sum();
        double offered = wishes.stream().mapToDouble(Lending::offer).sum();
        double lacking = Math.max(0, wanted - Math.max(0, free));
        double part = offered > 0 ? Math.min(1, lacking / offered) : 0;
        List<AllocationTargets.Wish> lent = new ArrayList<>();
        for (AllocationTargets.Wish wish : wishes) {
            double amount = wish.amount() < wish.inForce() ? wish.inForce() - part * offer(wish) : wish.amount();
            double kept = Math.min(wish.own(), Math.min(amount, wish.inForce()));     // what was borrowed goes back in one go
            lent.add(wish.with(amount, Math.max(wish.least(), (int) Math.floor(kept + 1e-6))));
        }
        return lent;
    }

    /**
     * Whether a guest keeps what it has, no limit or one above its most: no others lack more than is free, so to bring it within
     * its bounds would take what nobody wants.
     */
    static boolean keeps(AllocationTargets.Wish wish, List<AllocationTargets.Wish> wishes, double free) {
        double others = wishes.stream().filter(other -> other != wish).mapToDouble(other -> Math.max(0, other.amount() - other.inForce())).sum();
        return (!wish.capped() || wish.inForce() > wish.most()) && others <= Math.max(0, free);
    }

    private static double offer(AllocationTargets.Wish wish) {
        return wish.lacks() ? 0 : Math.max(0, wish.inForce() - wish.amount());
    }
}
