// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.EnumSet;
import java.util.Set;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Policy;

/**
 * Fast sampling from the first suspicious sample until it is decided. The samples between two whole intervals are further
 * labels and nothing else: whatever counts samples counts those of whole intervals, and so time.
 *
 * @param since   when the first suspicious sample came, ms on the controller's clock
 * @param counted when the latest whole interval ended, ms
 * @param whole   what was measured in it
 */
public record FastSampling(long since, long counted, Sample whole) {
    /** A part of an interval has its own or none: the last ones would be counted twice. */
    private static final Set<Metric> REQUEST_METRICS = EnumSet.of(Metric.REQUESTS, Metric.THROUGHPUT, Metric.RESPONSE_TIME,
            Metric.RESPONSE_TIME_P95, Metric.ERROR_RATE);
    /** In a fraction of a second a few requests or a single fault would make these: those of the whole interval stay. */
    private static final Set<Metric> SLOW_METRICS = EnumSet.of(Metric.THINK_TIME, Metric.PAGE_FAULTS);

    /** True if it is still worth while. */
    public boolean close(long now, Policy policy) {
        return now - since < policy.pace().longest();
    }

    /**
     * What is known at a sample between two whole intervals: of what was not measured anew the last value stays. It may
     * choose the rules and the step; for a label it is no evidence, see {@code Labeller}.
     */
    public Sample filled(Sample part) {
        if (whole.epochEnd() != part.epoch()) {
            return part;
        }
        Sample.Builder builder = part.toBuilder().othersOf(whole);
        for (Metric metric : Metric.values()) {
            boolean follows = metric == Metric.CPU_USED && part.has(Metric.CPU_UTIL);
            boolean last = SLOW_METRICS.contains(metric) ? whole.has(metric) : !part.has(metric) && !follows;
            if (last && !REQUEST_METRICS.contains(metric)) {
                builder.set(metric, whole.get(metric));
            }
        }
        return builder.build();
    }

    /**
     * What follows after a whole interval.
     *
     * @param before the look that is under way, or null
     */
    public static FastSampling after(FastSampling before, long now, Sample whole) {
        return new FastSampling(before == null ? now : before.since, now, whole);
    }
}
