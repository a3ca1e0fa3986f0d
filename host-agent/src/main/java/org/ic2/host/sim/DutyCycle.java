// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.sim;

import java.util.SplittableRandom;

/** Computes for a share of each period and sleeps for the rest, each drawn evenly from half to one and a half of its mean. */
public final class DutyCycle implements Workload {
    private final SplittableRandom random;
    private final double duty;
    private final double period;
    private boolean resting = true;

    /**
     * For one virtual CPU.
     *
     * @param duty   share of the time, 0 to 1, if it never has to wait
     * @param period seconds
     */
    public DutyCycle(SplittableRandom random, double duty, double period) {
        if (!(duty >= 0 && duty <= 1) || !(period > 0)) {
            throw new IllegalArgumentException("duty: expected 0 to 1 of a period above 0 s, got " + duty + " of " + period);
        }
        this.random = random;
        this.duty = duty;
        this.period = period * 1e9;
    }

    @Override
    public Want next(VirtualCpu cpu) {
        if (duty == 0) {
            return Want.END;
        }
        resting = !resting && duty < 1;
        double mean = period * (resting ? 1 - duty : duty);
        long nanos = Math.max(1, Math.round(mean * (0.5 + random.nextDouble())));
        return resting ? new Want.Sleep(nanos) : new Want.Compute(nanos);
    }
}
