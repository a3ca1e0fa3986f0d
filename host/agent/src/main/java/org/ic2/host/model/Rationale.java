// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why a value: the formula in words and the numbers that went into it.
 *
 * @param formula with the names of the numbers, for example {@code u - lambda v (ref - v/u) / ref}
 * @param numbers by their name, in the order in which they should be read
 */
public record Rationale(String formula, Map<String, Double> numbers) {
    public Rationale {
        numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    }
}
