// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/**
 * What the administrator allows: no decision ever leaves it.
 *
 * @param lowest  the smallest value of each lever
 * @param highest the largest value of each lever, not below {@code lowest}
 */
public record Bounds(Configuration lowest, Configuration highest) {
    public Bounds {
        for (Lever lever : Lever.values()) {
            if (lowest.get(lever) > highest.get(lever)) {
                throw new IllegalArgumentException("bounds." + lever.key() + ": expected [lowest, highest], got ["
                        + lever.format(lowest.get(lever)) + ", " + lever.format(highest.get(lever)) + "]");
            }
        }
    }

    /**
     * The nearest allowed value; KAT in milliseconds.
     *
     * @throws IllegalArgumentException if {@code value} is NaN: a missing number is no value for a lever
     */
    public int clamp(Lever lever, double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException(lever.key() + ": expected a number, got NaN");
        }
        return (int) Math.max(lowest.get(lever), Math.min(highest.get(lever), Math.rint(value)));
    }

    /** The nearest allowed configuration. */
    public Configuration clamp(Configuration configuration) {
        Configuration result = configuration;
        for (Lever lever : Lever.values()) {
            result = result.with(lever, clamp(lever, configuration.get(lever)));
        }
        return result;
    }

    /** True if every value is allowed. */
    public boolean contains(Configuration configuration) {
        return clamp(configuration).equals(configuration);
    }
}
