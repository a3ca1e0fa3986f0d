// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a tree's node or a rule's condition looks at: a metric as it is, or relative to its median without
 * interference. The relative forms fit every machine, the plain one only the machine on which it was chosen.
 *
 * <p>Names: {@code load_per_operation} (plain), {@code load_per_operation_ratio} (divided by the median),
 * {@code steal_excess} (the median subtracted).
 *
 * @param metric the quantity
 * @param form   as it is, or relative to the median
 */
public record Attribute(Metric metric, Form form) {
    /** How the median enters. */
    public enum Form {
        /** The value itself. */
        PLAIN(""),
        /** Value / median; missing while the median is unknown or 0. */
        RATIO("_ratio"),
        /** Value - median; missing while the median is unknown. */
        EXCESS("_excess");

        private final String suffix;

        Form(String suffix) {
            this.suffix = suffix;
        }
    }

    /** The metrics whose medians without interference are learned; only these have relative forms. */
    public static final List<Metric> LEARNED = List.of(Metric.LOAD_PER_OPERATION, Metric.RESPONSE_TIME,
            Metric.WORK_DONE, Metric.THROUGHPUT, Metric.CPU_UTIL, Metric.STEAL, Metric.RUN_DELAY, Metric.CMR,
            Metric.CPI, Metric.MEMORY_LATENCY, Metric.PAGE_FAULTS);

    public Attribute {
        if (form != Form.PLAIN && !LEARNED.contains(metric)) {
            throw new IllegalArgumentException("attribute '" + metric.column() + form.suffix + "': no median of "
                    + metric.column() + " is learned; expected one of "
                    + LEARNED.stream().map(Metric::column).collect(Collectors.joining(", ")));
        }
    }

    /** The name in files. */
    public String name() {
        return metric.column() + form.suffix;
    }

    /** True if the value depends on a learned median. */
    public boolean relative() {
        return form != Form.PLAIN;
    }

    /**
     * The attribute of a name.
     *
     * @throws IllegalArgumentException if there is none; the message lists what there is
     */
    public static Attribute parse(String name) {
        for (Form form : List.of(Form.RATIO, Form.EXCESS, Form.PLAIN)) {
            if (name.endsWith(form.suffix)) {
                var metric = Metric.ofColumn(name.substring(0, name.length() - form.suffix.length()));
                if (metric.isPresent()) {
                    return new Attribute(metric.get(), form);
                }
            }
        }
        throw new IllegalArgumentException("unknown attribute '" + name + "'; expected one of "
                + Arrays.stream(Metric.values()).map(Metric::column).collect(Collectors.joining(", "))
                + ", or a learned one with _ratio or _excess");
    }

    @Override
    public String toString() {
        return name();
    }
}
