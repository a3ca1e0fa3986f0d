// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Arrays;

/**
 * Divides a capacity among wishes (joint control, paper J, VI.B). The paper cuts each wish in proportion, which can push a guest
 * below its minimum; water-filling keeps the minima and cuts what is above them.
 */
public enum Arbiter {
    /** In proportion to the wishes, minima or not. */
    PAPER,
    /** In proportion, and never below a minimum, as long as the minima fit. */
    WATER_FILLING;

    /**
     * Who gets what.
     *
     * @param grants in the order of the wishes
     * @param scarce whether something was cut
     * @param alarm  whether the minima do not fit, so that each gets less than its own
     */
    public record Division(double[] grants, boolean scarce, boolean alarm) {
    }

    /**
     * Divides.
     *
     * @param wishes   each not below its minimum
     * @param minima   each 0 or more
     * @param capacity what there is, 0 or more
     */
    public Division divide(double[] wishes, double[] minima, double capacity) {
        double wanted = Arrays.stream(wishes).sum();
        if (wanted <= capacity) {
            return new Division(wishes.clone(), false, false);
        }
        double needed = Arrays.stream(minima).sum();
        if (this == PAPER) {
            return new Division(scaled(wishes, capacity / wanted), true, needed > capacity);
        }
        return needed > capacity ? new Division(scaled(minima, capacity / needed), true, true)
                : new Division(filled(wishes, minima, capacity), true, false);
    }

    private static double[] scaled(double[] amounts, double by) {
        return Arrays.stream(amounts).map(amount -> amount * by).toArray();
    }

    /** Scales, fixes those below their minima at them, and scales the rest again until none is below. */
    private static double[] filled(double[] wishes, double[] minima, double capacity) {
        boolean[] fixed = new boolean[wishes.length];
        double left = capacity;
        double wanted = Arrays.stream(wishes).sum();
        boolean again = true;
        while (again) {
            again = false;
            double by = wanted > 0 ? left / wanted : 0;
            for (int i = 0; i < wishes.length; i++) {
                if (!fixed[i] && wishes[i] * by < minima[i]) {
                    fixed[i] = true;
                    again = true;
                }
            }
            left = capacity;
            wanted = 0;
            for (int i = 0; i < wishes.length; i++) {
                left -= fixed[i] ? minima[i] : 0;
                wanted += fixed[i] ? 0 : wishes[i];
            }
        }
        double by = wanted > 0 ? left / wanted : 0;
        double[] grants = new double[wishes.length];
        for (int i = 0; i < grants.length; i++) {
            grants[i] = fixed[i] ? minima[i] : wishes[i] * by;
        }
        return grants;
    }
}
