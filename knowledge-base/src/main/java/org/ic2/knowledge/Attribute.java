// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Vocabulary;

/**
 * What a tree's node or a rule's condition looks at: a quantity as it is, or relative to its median without
 * interference. The relative forms fit every machine, the plain one only the machine on which it was chosen.
 *
 * <p>Names: {@code load_per_operation} (plain), {@code load_per_operation_ratio} (divided by the median),
 * {@code steal_excess} (the median subtracted).
 *
 * @param quantity what is looked at
 * @param form     as it is, or relative to the median
 */
public record Attribute(Quantity quantity, Form form) {
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
            Metric.RESPONSE_TIME_P95,
            Metric.WORK_DONE, Metric.THROUGHPUT, Metric.CPU_UTIL, Metric.STEAL, Metric.RUN_DELAY, Metric.CMR,
            Metric.CPI, Metric.MEMORY_LATENCY, Metric.PAGE_FAULTS, Metric.CPU_USED, Metric.LOAD_PER_OPERATION_USED,
            Metric.COST_PER_MIX, Metric.STEAL_OF_DEMAND, Metric.NEW_ADDRESSES, Metric.NO_COOKIE, Metric.LISTED_CRAWLERS,
            Metric.PAGES_PER_ADDRESS, Metric.PAGE_SPREAD, Metric.OTHER_CPU, Metric.RETRANSMITS);

    public Attribute {
        if (form != Form.PLAIN && !LEARNED.contains(quantity)) {
            throw new IllegalArgumentException("attribute '" + quantity.column() + form.suffix + "': no median of "
                    + quantity.column() + " is learned; expected one of "
                    + LEARNED.stream().map(Metric::column).collect(Collectors.joining(", ")));
        }
    }

    /** The name in files. */
    public String name() {
        return quantity.column().concat(form.suffix); // the column itself where there is none
    }

    /** True if the value depends on a learned median. */
    public boolean relative() {
        return form != Form.PLAIN;
    }

    /** The metric whose median the value depends on; empty if it depends on none. */
    public Optional<Metric> learned() {
        return relative() && quantity instanceof Metric metric ? Optional.of(metric) : Optional.empty();
    }

    /** The attribute of a name in the vocabulary that IC2 ships; see {@link #parse(String, Vocabulary)}. */
    public static Attribute parse(String name) {
        return parse(name, Terms.shipped());
    }

    /**
     * The attribute of a name.
     *
     * @param vocabulary the quantities that there are
     * @throws IllegalArgumentException if there is none; the message lists what there is
     */
    public static Attribute parse(String name, Vocabulary vocabulary) {
        for (Form form : List.of(Form.RATIO, Form.EXCESS, Form.PLAIN)) {
            if (name.endsWith(form.suffix)) {
                var quantity = vocabulary.quantity(name.substring(0, name.length() - form.suffix.length()));
                if (quantity.isPresent()) {
                    return new Attribute(quantity.get(), form);
                }
            }
        }
        throw new IllegalArgumentException("unknown attribute '" + name + "'; expected one of "
                + vocabulary.quantities().stream().map(Quantity::column).collect(Collectors.joining(", "))
                + ", or a learned one with _ratio or _excess");
    }

    @Override
    public String toString() {
        return name();
    }
}
