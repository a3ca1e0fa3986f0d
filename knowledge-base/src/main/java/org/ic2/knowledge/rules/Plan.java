// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.knob.Settings;

/**
 * What the rules say to one sample.
 *
 * @param values   every knob's value, bounded; the baseline's where no row moves it
 * @param rules    the rows that gave a direction, strongest first
 * @param evidence the conditions that chose them, and what was overruled or could not be computed
 * @param numbers  the terms of the formulas
 */
public record Plan(Settings values, List<String> rules, List<String> evidence, Map<String, Double> numbers) {
    public Plan {
        rules = List.copyOf(rules);
        evidence = List.copyOf(evidence);
        numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    }
}
