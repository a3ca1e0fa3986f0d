// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Rationale;

/**
 * Keeps the utilization of an allocation at its reference (joint control, paper J, equations 1 and 2):
 * {@code u(k+1) = u(k) - lambda v(k) (ref - v(k)/u(k)) / ref} within bounds, where u is allocated and v used. It serves CPU and
 * memory, in whatever unit both are given. Stable for {@code 0 < lambda < 2 / ref}.
 *
 * <p>The less is used below half of the reference, the less that takes back, and of an idle guest nothing. Our law goes on
 * taking what it takes at the half.
 *
 * @param law    how it follows
 * @param lambda how fast, above 0
 * @param up     what a guest that lacks something gets at least, in allocations, above 1
 */
public record UtilizationController(ControlLaw law, double lambda, double up) {
    /** From this utilization on, a guest lacks something: its use ends at its allocation. */
    public static final double STARVED = 0.98;
    /** So many major faults or pages that had to be brought back a second say the same of memory, however little of it seems in use. */
    public static final double FAULTS = 20;
    /** So much of the time waiting for memory says it, too. */
    public static final double PRESSURE = 0.05;
    /** What a guest that lacks memory gets, in allocations: others must give it back first. */
    public static final double UP = 1.4;
    /** The most that a single change may give, in allocations; what is taken is no more than it can give back. */
    public static final double STEP = 1.5;
    /** The least that is left from one period to the next, in allocations. */
    public static final double DOWN = 0.95;
    /** For so many periods after a lack nothing is taken. */
    public static final int PATIENCE = 5;
    /** The use of so many periods is remembered. */
    public static final int MEMORY = 20;

    public UtilizationController {
        if (!(lambda > 0) || Double.isInfinite(lambda)) {
            throw new IllegalArgumentException("lambda: expected a number above 0, got " + lambda);
        }
        if (!(up > 1) || Double.isInfinite(up)) {
            throw new IllegalArgumentException("up: expected a number above 1, got " + up);
        }
    }

    /** With {@link #UP}. */
    public UtilizationController(ControlLaw law, double lambda) {
        this(law, lambda, UP);
    }

    /**
     * What it remembers of one guest.
     *
     * @param uses     the uses of the last periods, the newest last
     * @param patience for how many periods more nothing is taken
     */
    public record Recent(List<Double> uses, int patience) {
        public Recent {
            uses = List.copyOf(uses);
        }

        /** Nothing yet. */
        public static Recent none() {
            return new Recent(List.of(), 0);
        }

        private List<Double> with(double use) {
            List<Double> more = new ArrayList<>(uses.subList(Math.max(0, uses.size() - MEMORY + 1), uses.size()));
            more.add(use);
            return more;
        }
    }

    /**
     * One period of one guest.
     *
     * @param allocation u, above 0
     * @param use        v, 0 or more
     * @param reference  the utilization to be held, above 0 to 1
     * @param faults     major faults and pages brought back a second; NaN if unknown, or of no matter
     * @param pressure   share of the time waiting for memory; NaN likewise
     * @param least      the least allocation
     * @param most       the greatest, not below the least
     */
    public record Demand(double allocation, double use, double reference, double faults, double pressure, double least,
            double most) {
        public Demand {
            if (!(allocation > 0) || !(use >= 0) || !(reference > 0 && reference <= 1) || !(least <= most)) {
                throw new IllegalArgumentException("expected an allocation above 0, a use of 0 or more, a reference above 0 to 1 "
                        + "and bounds in their order, got " + allocation + ", " + use + ", " + reference + ", " + least + ".."
                        + most);
            }
        }

        private double within(double amount) {
            return Math.max(least, Math.min(most, amount));
        }

        boolean starved() {
            return use / allocation >= STARVED || faults > FAULTS || pressure > PRESSURE;
        }
    }

    /**
     * What comes next.
     *
     * @param allocation u(k+1)
     * @param need       with which the most that was used lately would be at the reference, within the bounds
     * @param recent     what is remembered
     * @param why        with its numbers
     */
    public record Next(double allocation, double need, Recent recent, Rationale why) {
    }

    /** The next allocation. */
    public Next next(Recent recent, Demand now) {
        double u = now.allocation();
        double ref = now.reference();
        boolean idle = law == ControlLaw.ASYMMETRIC && now.use() < ref * u / 2;
        double v = idle ? ref * u / 2 : now.use();
        double paper = u - lambda * v * (ref - v / u) / ref;
        List<Double> uses = recent.with(now.use());
        double peak = uses.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double wish = paper;
        int patience = 0;
        String formula = idle ? "u - lambda ref u / 4" : "u - lambda v (ref - v/u) / ref";
        if (law == ControlLaw.ASYMMETRIC && now.starved()) {
            wish = Math.max(paper, up * u);
            patience = PATIENCE;
            formula = "max(" + formula + ", " + up + " u), as v/u >= 0.98, faults > 20 or pressure > 0.05";
        } else if (law == ControlLaw.ASYMMETRIC && recent.patience() > 0) {
            wish = Math.max(paper, Math.max(u, peak / ref));
            patience = recent.patience() - 1;
            formula = "max(" + formula + ", u, peak/ref), as it lacked something lately";
        } else if (law == ControlLaw.ASYMMETRIC) {
            wish = Math.max(paper, Math.max(DOWN * u, peak / ref));
            formula = "max(" + formula + ", 0.95 u, peak/ref)" + (idle ? ", as v < ref u / 2" : "");
        }
        double next = now.within(wish);
        return new Next(next, now.within(peak / ref), new Recent(uses, patience),
                new Rationale(formula + " within least..most", numbers(now, peak, next)));
    }

    private Map<String, Double> numbers(Demand now, double peak, double next) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("u", now.allocation());
        numbers.put("v", now.use());
        numbers.put("ref", now.reference());
        numbers.put("lambda", lambda);
        if (law == ControlLaw.ASYMMETRIC) {
            numbers.put("peak", peak);
            putKnown(numbers, "faults", now.faults());
            putKnown(numbers, "pressure", now.pressure());
        }
        numbers.put("least", now.least());
        numbers.put("most", now.most());
        numbers.put("next", next);
        return numbers;
    }

    private static void putKnown(Map<String, Double> numbers, String name, double value) {
        if (!Double.isNaN(value)) {
            numbers.put(name, value);
        }
    }
}
