// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.SamplesCsv;

/**
 * A question to a sample. It never holds while its attribute is missing: what is not known is no evidence.
 *
 * @param attribute what is compared
 * @param above     true: holds above the threshold; false: below it
 * @param threshold in the attribute's unit
 */
public record Condition(Attribute attribute, boolean above, double threshold) {
    /** True if the sample answers yes. */
    public boolean holds(Features features) {
        double value = features.get(attribute);
        return above ? value > threshold : value < threshold;
    }

    /** The condition as text: {@code steal_excess > 0.03}. */
    public String describe() {
        return attribute.name() + (above ? " > " : " < ") + SamplesCsv.number(threshold);
    }

    /** The condition with the sample's value: {@code steal_excess 0.21 > 0.03}. */
    public String describe(Features features) {
        double value = features.get(attribute);
        return attribute.name() + " " + (Double.isNaN(value) ? "missing" : Rounded.of(value))
                + (above ? " > " : " < ") + SamplesCsv.number(threshold);
    }
}
