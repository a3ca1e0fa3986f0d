// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;

/** Events that come at random at a rate which changes with time (a Poisson process, by thinning). */
public final class Arrivals {
    private final SimMachine machine;
    private final SplittableRandom random;
    private final DoubleUnaryOperator rate;
    private final double most;
    private final Runnable arrival;

    /**
     * @param rate    1/s at a time in seconds since the beginning
     * @param most    the greatest that it can be
     * @param arrival what happens at each
     */
    public Arrivals(SimMachine machine, SplittableRandom random, DoubleUnaryOperator rate, double most, Runnable arrival) {
        this.machine = machine;
        this.random = random;
        this.rate = rate;
        this.most = most;
        this.arrival = arrival;
    }

    /** Begins. */
    public void start() {
        if (most > 0) {
            machine.after(Math.round(-Math.log(1 - random.nextDouble()) / most * 1e9), this::come);
        }
    }

    private void come() {
        if (random.nextDouble() * most < rate.applyAsDouble(machine.now() / 1e9)) {
            arrival.run();
        }
        start();
    }
}
