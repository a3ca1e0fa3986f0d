// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/**
 * What the detector and the rules see of a sample: the paper's load per operation, work done and response time
 * (section 4), and every other metric, plain or relative to its median without interference.
 *
 * @param sample  the measured interval
 * @param medians the medians at that time
 */
public record Features(Sample sample, Medians medians) {
    /** The attribute's value, NaN if missing. */
    public double get(Attribute attribute) {
        double value = sample.get(attribute.quantity());
        return switch (attribute.form()) {
            case PLAIN -> value;
            case EXCESS -> value - medians.get(attribute.quantity());
            case RATIO -> {
                double median = medians.get(attribute.quantity());
                yield median > 0 ? value / median : Double.NaN;
            }
        };
    }

    /** LPO = CPU / throughput, seconds. */
    public double loadPerOperation() {
        return sample.get(Metric.LOAD_PER_OPERATION);
    }

    /** RT x throughput x CPU. */
    public double workDone() {
        return sample.get(Metric.WORK_DONE);
    }

    /** RT, seconds, the accept queue's wait included. */
    public double responseTime() {
        return sample.get(Metric.RESPONSE_TIME);
    }
}
