// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.SplittableRandom;

/** Computes for a share of each period and sleeps for the rest, each drawn evenly around its mean or always the same. */
public final class DutyCycle implements Workload {
    private final SplittableRandom random;
    private final double duty;
    private final double period;
    private final double spread;
    private boolean resting = true;

    /**
     * For one virtual CPU, each time drawn from half to one and a half of its mean.
     *
     * @param duty   share of the time, 0 to 1, if it never has to wait
     * @param period seconds
     */
    public DutyCycle(SplittableRandom random, double duty, double period) {
        this(random, duty, period, 0.5);
    }

    /**
     * For one virtual CPU.
     *
     * @param spread how far a time is from its mean at most, as a share of it: 0 = not at all
     */
    public DutyCycle(SplittableRandom random, double duty, double period, double spread) {
        if (!(duty >= 0 && duty <= 1) || !(period > 0) || !(spread >= 0 && spread <= 1)) {
            throw new IllegalArgumentException("duty: expected 0 to 1 of a period above 0 s with a spread of 0 to 1, got " + duty
                    + " of " + period + " with " + spread);
        }
        this.spread = spread;
        this.random = random;
        this.duty = duty;
        this.period = period * 1e9;
    }

    @Override
    public NextAction next(VirtualCpu cpu) {
        if (duty == 0) {
            return NextAction.END;
        }
        resting = !resting && duty < 1;
        double mean = period * (resting ? 1 - duty : duty);
        long nanos = Math.max(1, Math.round(mean * (1 - spread + 2 * spread * random.nextDouble())));
        return resting ? new NextAction.Sleep(nanos) : new NextAction.Compute(nanos);
    }
}
