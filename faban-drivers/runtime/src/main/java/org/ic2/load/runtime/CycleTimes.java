// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.NegativeExponential;
import java.util.Random;

/**
 * The delay between two operations of a user: negative-exponential, clipped. Values beyond the largest time are set to it,
 * so with the usual maximum of five times the mean the effective mean is 0.993 of the nominal one.
 *
 * @param type         whether the delay counts from the start (CYCLETIME) or from the end (THINKTIME) of an operation
 * @param minMs        smallest delay, ms
 * @param meanMs       mean before clipping, ms
 * @param maxMs        largest delay, ms
 * @param truncate     whether smaller values are set to the smallest; otherwise the distribution starts there
 * @param deviationPct allowed deviation of the realised mean, percent
 */
record CycleTimes(CycleType type, double minMs, double meanMs, double maxMs, boolean truncate, double deviationPct) {
    private static final double NANOS_PER_MS = 1e6;
    private static final int DEFAULT_MAX_PER_MEAN = 5;

    static CycleTimes of(NegativeExponential a) {
        double max = a.cycleMax() == -1 ? DEFAULT_MAX_PER_MEAN * (double) a.cycleMean() : a.cycleMax();
        return new CycleTimes(a.cycleType(), a.cycleMin(), a.cycleMean(), max, a.truncateAtMin(), a.cycleDeviation());
    }

    /** The same distribution with another mean; minimum and maximum keep their ratio to it. */
    CycleTimes withMean(double newMeanMs) {
        double factor = newMeanMs / meanMs;
        return new CycleTimes(type, minMs * factor, newMeanMs, maxMs * factor, truncate, deviationPct);
    }

    CycleTimes withType(CycleType newType) {
        return new CycleTimes(newType, minMs, meanMs, maxMs, truncate, deviationPct);
    }

    /** Draws a delay, ns. */
    long draw(Random random) {
        double exponential = -Math.log(1 - random.nextDouble());
        double ms = truncate ? Math.max(minMs, meanMs * exponential) : minMs + (meanMs - minMs) * exponential;
        return (long) (Math.min(ms, maxMs) * NANOS_PER_MS);
    }

    /** Mean of what {@link #draw} gives, seconds. */
    double effectiveMean() {
        double ms = truncate
                ? minMs + meanMs * (Math.exp(-minMs / meanMs) - Math.exp(-maxMs / meanMs))
                : minMs + (meanMs - minMs) * -Math.expm1(-(maxMs - minMs) / (meanMs - minMs));
        return ms / 1000;
    }

    /** Name of the kind of delay in reports. */
    String label() {
        return type == CycleType.CYCLETIME ? "cycleTime" : "thinkTime";
    }
}
