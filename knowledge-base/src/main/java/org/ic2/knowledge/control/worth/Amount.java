// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

/**
 * A sum between two values, over the intervals in which it was measured.
 *
 * @param low     the least that it can be
 * @param high    the most
 * @param seconds of the intervals in which it was measured; 0: it was not measured
 */
public record Amount(double low, double high, double seconds) {
    /** Not measured. */
    public static final Amount NONE = new Amount(0, 0, 0);

    /** The same with that of an interval; what is no number is not measured. */
    public Amount plus(double least, double most, double time) {
        double from = low + Math.min(least, most);
        double to = high + Math.max(least, most);
        return Double.isFinite(from) && Double.isFinite(to) && time > 0 ? new Amount(from, to, seconds + time) : this;
    }

    /** The same with another sum. */
    public Amount plus(Amount other) {
        return other.measured() ? plus(other.low, other.high, other.seconds) : this;
    }

    /** True if there was anything to measure. */
    public boolean measured() {
        return seconds > 0;
    }
}
