// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * Intervals of confidence by drawing runs, not samples: neighbouring seconds of one run are alike, so a run is the unit
 * that repeats.
 */
public final class Bootstrap {
    private static final int DRAWS = 2000;
    private static final int FEWEST_RUNS = 3;
    private static final double TAIL = 0.025;

    private final long seed;

    /** Draws with this seed; the same data give the same interval. */
    public Bootstrap(long seed) {
        this.seed = seed;
    }

    /** The figure of all runs together, with its interval over the runs. */
    public Estimate of(List<Confusion> runs, ToDoubleFunction<Confusion> figure) {
        double value = figure.applyAsDouble(runs.stream().reduce(Confusion.empty(), Confusion::plus));
        if (runs.stream().filter(run -> !Double.isNaN(figure.applyAsDouble(run))).count() < FEWEST_RUNS) {
            return Estimate.of(value);
        }
        SplittableRandom random = new SplittableRandom(seed);
        double[] draws = new double[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            Confusion sum = Confusion.empty();
            for (int j = 0; j < runs.size(); j++) {
                sum = sum.plus(runs.get(random.nextInt(runs.size())));
            }
            draws[i] = figure.applyAsDouble(sum);
        }
        return spread(draws) ? interval(value, draws) : Estimate.of(value);
    }

    /** Runs that are all alike, such as those without a fault, say nothing of how much others would differ: no interval. */
    private static boolean spread(double[] draws) {
        return Arrays.stream(draws).filter(draw -> !Double.isNaN(draw)).distinct().count() > 1;
    }

    private static Estimate interval(double value, double[] draws) {
        double[] sorted = Arrays.stream(draws).filter(draw -> !Double.isNaN(draw)).sorted().toArray();
        return sorted.length == 0 ? Estimate.of(value)
                : new Estimate(value, Quantiles.of(sorted, TAIL), Quantiles.of(sorted, 1 - TAIL), 0);
    }
}
