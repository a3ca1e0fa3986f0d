// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * Predicts the latency of a latency-sensitive guest from the host's side (paper W, equations 1 and 2):
 * {@code W = S / (1 - R)}, S the service time and R the load. It is the mean time in an M/M/1 queue, so an index to be held
 * against a threshold that was calibrated, and no tail latency.
 *
 * @param service   which service time
 * @param s0        without contention, s; of {@link Service#AFFINE} alone
 * @param c         what an intensity of 1 adds, s
 * @param load      which load
 * @param k         CPU time of a soft interrupt, s; of {@link Load#PER_CPU} alone
 * @param irqMax    the most soft interrupts a second, where that is known; else it is learned
 * @param listening so long a guest is listened to before the most that was seen counts: the first value is the most that was seen
 * @param threshold the latency beyond which a guest is in violation, s
 */
public record LatencyPredictor(Service service, double s0, double c, Load load, double k, OptionalDouble irqMax,
        Duration listening, double threshold) {

    /** The load is never taken to be more than this: latency stays finite. */
    public static final double MOST_LOAD = 0.99;
    /** What is left after an hour of the most that was seen. */
    private static final double HOURLY = 0.99;
    private static final double HOUR = 3600;

    /** The service time of equation 1. */
    public enum Service {
        /** {@code c MBFR}, which is none without contention. */
        PAPER,
        /** {@code s0 + c MBFR}. */
        AFFINE
    }

    /** The load of equation 2. */
    public enum Load {
        /** Its left side: {@code IRQ / IRQmax}. */
        OF_MOST,
        /** Its right side: {@code k IRQ / CPU}, which falls where contention makes each request dearer. */
        PER_CPU
    }

    public LatencyPredictor {
        if (!(s0 >= 0 && c >= 0 && s0 + c > 0 && threshold > 0 && k >= 0) || load == Load.PER_CPU && k == 0
                || irqMax.isPresent() && !(irqMax.getAsDouble() > 0)) {
            throw new IllegalArgumentException("latency: expected no negative times, s0 + c, threshold, k and irq-max above 0, got s0 "
                    + s0 + ", c " + c + ", k " + k + ", threshold " + threshold + ", irq-max " + irqMax);
        }
    }

    /**
     * The most soft interrupts of a guest.
     *
     * @param most  1/s, falling by 1 % an hour
     * @param heard how long it was listened to, s
     */
    public record Peak(double most, double heard) {
    }

    /** At first. */
    public Peak begin() {
        return new Peak(irqMax.orElse(0), 0);
    }

    /** One value more, 1/s, or NaN, after so many seconds. What is known from elsewhere is the least that is remembered. */
    public Peak hear(Peak before, double irq, double seconds) {
        double left = Math.max(irqMax.orElse(0), before.most() * Math.pow(HOURLY, seconds / HOUR));
        return Double.isNaN(irq) ? new Peak(left, before.heard()) : new Peak(Math.max(left, irq), before.heard() + seconds);
    }

    /**
     * Equation 2.
     *
     * @param irq  soft interrupts, 1/s
     * @param cpu  CPUs in use
     * @param peak what was heard of it, this value included
     * @return 0 to {@value #MOST_LOAD}; NaN if it cannot be told
     */
    public double load(double irq, double cpu, Peak peak) {
        if (load == Load.PER_CPU) {
            return cpu > 0 ? Math.min(MOST_LOAD, k * irq / cpu) : Double.NaN;
        }
        boolean known = peak.most() > 0 && (irqMax.isPresent() || peak.heard() >= listening.toNanos() / 1e9);
        return known ? Math.min(MOST_LOAD, irq / peak.most()) : Double.NaN;
    }

    /** Equation 1, s, of an intensity (1 is the calibrated one) and a load; NaN if one of them is. */
    public double latency(double intensity, double at) {
        return Double.isNaN(at) ? Double.NaN : ((service == Service.PAPER ? 0 : s0) + c * intensity) / (1 - Math.min(MOST_LOAD, at));
    }
}
