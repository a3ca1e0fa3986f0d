// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

/**
 * Something that a sample carries a number of. Two quantities with one {@link #column} are the same quantity.
 *
 * <p>Every value is zero or positive. Missing is {@link Double#NaN}, never 0.
 */
public interface Quantity {
    /** The name in recordings, trees, rules and metrics: lower-case letters, digits and {@code _}. */
    String column();

    /** The unit of its numbers, for people: {@code s}, {@code 1/s}, {@code 0..1}. */
    String unit();
}
