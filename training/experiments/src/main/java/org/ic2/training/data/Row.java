// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.Optional;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;

/**
 * A sample as a detector would have seen it: with the medians of that moment.
 *
 * @param run      the run's id
 * @param features the sample and what was normal then
 * @param lack     why a detector would not have judged it, if so
 */
public record Row(String run, Features features, Optional<String> lack) {
    /** The measured interval. */
    public Sample sample() {
        return features.sample();
    }

    /** What is known about it. */
    public Optional<Label> truth() {
        return features.sample().label();
    }

    /** True if it can train and test: judged, and its truth is known. */
    public boolean labelled() {
        return lack.isEmpty() && truth().isPresent();
    }

    /** The attribute's value, NaN if missing. */
    public double get(Attribute attribute) {
        return features.get(attribute);
    }
}
