// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * How the latency of latency-sensitive guests is predicted (workload-aware placement, equations 1 and 2).
 *
 * @param paperService true for a service time of c MBFR, false for s0 + c MBFR
 * @param s0           service time without contention, s
 * @param c            what an intensity of 1 adds to it, s
 * @param perCpu       true for k IRQ / CPU as the load, false for IRQ over the most that was seen
 * @param k            CPU time of a soft interrupt, s; of {@code perCpu} alone
 * @param irqMax       the most soft interrupts a second that a guest handles, where it is known; else it is learned
 * @param learn        so long a guest is listened to before the most that was seen counts
 * @param threshold    the predicted latency beyond which a guest is in violation, s
 */
public record LatencyChoice(boolean paperService, double s0, double c, boolean perCpu, double k, OptionalDouble irqMax,
        Duration learn, double threshold) {
}
