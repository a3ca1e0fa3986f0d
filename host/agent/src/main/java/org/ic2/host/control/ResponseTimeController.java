// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Optional;

/**
 * Moves the utilization that a guest's CPUs should have, so that its response time is met (joint control, paper J, equation
 * 3): {@code ref(i+1) = ref(i) + beta (target - rt(i)) / target} within bounds. Stable for {@code beta < 2 target / a} and
 * without overshoot for half of that, where a is the growth of the response time with the utilization, in s.
 *
 * @param beta   how fast, above 0
 * @param least  the least reference, above 0
 * @param most   the greatest, at most 1
 * @param period how long it listens from one step to the next, s
 * @param rise   the part of such a step that is taken upwards, above 0 to 1; the paper takes all of it
 */
public record ResponseTimeController(double beta, double least, double most, double period, double rise) {
    /**
     * Ours: what brings a response time below its target is given at once, and taken back slowly. With equal steps it is above its
     * target for about half of the time.
     */
    public static final double RISE = 0.25;
    /** Of fewer requests in a period nothing is concluded. */
    public static final double REQUESTS = 10;
    /** The reference at first, and of guests without a target: where the paper's response times begin to grow (fig. 5). */
    public static final double FIRST = 0.8;

    public ResponseTimeController {
        if (!(beta > 0) || !(least > 0 && least <= most && most <= 1) || !(period > 0)) {
            throw new IllegalArgumentException("response-time: expected a gain above 0, a range within 0 to 1 and a period "
                    + "above 0, got " + beta + ", [" + least + ", " + most + "], " + period + " s");
        }
        if (!(rise > 0 && rise <= 1)) {
            throw new IllegalArgumentException("rise: expected a share above 0 to 1, got " + rise);
        }
    }

    /** With the paper's steps, as great upwards as downwards. */
    public ResponseTimeController(double beta, double least, double most, double period) {
        this(beta, least, most, period, 1);
    }

    /** The same with smaller steps upwards. */
    public ResponseTimeController withRise(double share) {
        return new ResponseTimeController(beta, least, most, period, share);
    }

    /** The paper's: 0.1, 0.5 to 0.95, 12 s (Table 2). */
    public static ResponseTimeController ofPaper() {
        return new ResponseTimeController(0.1, 0.5, 0.95, 12);
    }

    /**
     * What it remembers of one guest.
     *
     * @param reference the utilization to be held
     * @param seconds   how long it has listened since the step before
     * @param requests  how many requests it heard of
     * @param total     the sum of their response times, s
     * @param last      the response time of the last step, s; NaN if it held then
     * @param held      why it held in the last step, if it did
     */
    public record Heard(double reference, double seconds, double requests, double total, double last, Optional<String> held) {
        private Heard plus(double more, double requestsMore, double rt) {
            boolean told = requestsMore > 0 && !Double.isNaN(rt);
            return new Heard(reference, seconds + more, requests + (told ? requestsMore : 0),
                    total + (told ? requestsMore * rt : 0), last, held);
        }

        private Heard anew(double next, double rt, Optional<String> why) {
            return new Heard(next, 0, 0, 0, rt, why);
        }
    }

    /** At first. */
    public Heard begin() {
        return new Heard(clamp(FIRST), 0, 0, 0, Double.NaN, Optional.empty());
    }

    /** Equation 3, with our steps upwards: the next reference, of a target and a response time in s. */
    public double next(double reference, double target, double rt) {
        return clamp(reference + (rt < target ? rise : 1) * beta * (target - rt) / target);
    }

    private double clamp(double reference) {
        return Math.max(least, Math.min(most, reference));
    }

    /**
     * Listens, and takes a step when its period is over. While the tenant reconfigures it holds, and then listens anew: what is
     * measured then is of the tenant's move, and not of ours.
     *
     * @param target   what the tenant wants, s, above 0
     * @param seconds  how long the sample is
     * @param requests how many there were in it; NaN if nobody tells
     * @param rt       their mean response time, s; NaN if nobody tells
     * @param busy     true if the tenant reconfigures, or did in this sample
     */
    public Heard hear(Heard before, double target, double seconds, double requests, double rt, boolean busy) {
        if (busy) {
            return before.anew(before.reference(), Double.NaN, Optional.of("its tenant reconfigures"));
        }
        Heard heard = before.plus(seconds, requests, rt);
        // intervals are not exact: a sample that ends a millisecond early belongs to the period
        if (heard.seconds() < period * 0.99) {
            return heard;
        }
        if (heard.requests() < REQUESTS) {
            return heard.anew(heard.reference(), Double.NaN, Optional.of(heard.requests() == 0 ? "no response time was told"
                    : "fewer than 10 requests were told of"));
        }
        double mean = heard.total() / heard.requests();
        return heard.anew(next(heard.reference(), target, mean), mean, Optional.empty());
    }
}
