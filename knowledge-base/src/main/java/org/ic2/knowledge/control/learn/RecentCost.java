// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/**
 * CPU that was used of late, and what the mixes of requests of these seconds take in the quiet. In one second the two differ by a
 * tenth and more by chance: what is begun in it ends in the next. So seconds are added up, and fade.
 *
 * @param used     share of the CPU, summed
 * @param expected the same, as far as is known
 * @param at       the last sample's time, ms since 1970
 */
public record RecentCost(double used, double expected, long at) {
    /** After so long a sample counts 1/e: three confirm a label, so this holds up nothing by more than they do, ms. */
    private static final double DECAY_TIME = 3000;

    /** Nothing seen. */
    static RecentCost none() {
        return new RecentCost(0, 0, 0);
    }

    /**
     * The same with one more sample.
     *
     * @param taken what its mix takes in the quiet; NaN if that is not known
     */
    public RecentCost plus(Sample sample, double taken) {
        double cpu = sample.get(Metric.CPU_USED);
        if (!(taken > 0) || Double.isNaN(cpu)) {
            return this;
        }
        long now = sample.time().toEpochMilli();
        double kept = expected > 0 ? Math.exp(-Math.max(0, now - at) / DECAY_TIME) : 0;
        RecentCost next = new RecentCost(kept * used + cpu, kept * expected + taken, now);
        return next.used < Double.POSITIVE_INFINITY && next.expected < Double.POSITIVE_INFINITY ? next : this;
    }
}
