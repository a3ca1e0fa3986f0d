// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

/**
 * Which of n things people look at: a power law, weight of place k proportional to (k + offset)^-exponent, drawn by
 * inverting the continuous distribution (no table, so that thousands of users cost nothing).
 *
 * @param n        number of things, at least 1
 * @param exponent steepness, greater than 0; 1.1 by default
 * @param offset   flattens the top, greater than 0; 3 by default
 */
public record Popularity(int n, double exponent, double offset) {
    /** Refuses what is no distribution. */
    public Popularity {
        if (n < 1 || !(exponent > 0) || !(offset > 0)) {
            throw new IllegalArgumentException("popularity: expected n >= 1, exponent > 0 and offset > 0, got n=" + n
                    + ", exponent=" + exponent + ", offset=" + offset);
        }
    }

    /**
     * Inverts the distribution.
     *
     * @param u a number drawn uniformly from [0, 1)
     * @return 1 (most popular) .. n
     */
    public int at(double u) {
        double power = 1 - exponent;
        double x;
        if (Math.abs(power) < 1e-9) {
            x = offset * Math.pow((offset + n) / offset, u);
        } else {
            double low = Math.pow(offset, power);
            x = Math.pow(low + u * (Math.pow(offset + n, power) - low), 1 / power);
        }
        return Math.max(1, Math.min(n, (int) (x - offset) + 1));
    }
}
