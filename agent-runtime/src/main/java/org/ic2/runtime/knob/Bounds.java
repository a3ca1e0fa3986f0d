// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

/**
 * What the administrator allows: no decision ever leaves it.
 *
 * @param lowest  the smallest value of each knob
 * @param highest the largest value of each knob, of the same knobs and not below {@code lowest}
 */
public record Bounds(Settings lowest, Settings highest) {
    public Bounds {
        for (Knob knob : lowest.knobs()) {
            if (!highest.has(knob) || lowest.get(knob) > highest.get(knob)) {
                throw new IllegalArgumentException("bounds." + knob.key() + ": expected [lowest, highest], got ["
                        + knob.format(lowest.get(knob)) + ", "
                        + (highest.has(knob) ? knob.format(highest.get(knob)) : "nothing") + "]");
            }
        }
        if (!lowest.knobs().equals(highest.knobs())) {
            throw new IllegalArgumentException("bounds: expected lowest and highest of the same knobs, got "
                    + lowest.describe() + " and " + highest.describe());
        }
    }

    /**
     * The nearest allowed value, in the knob's own unit.
     *
     * @throws IllegalArgumentException if {@code value} is NaN, since a missing number is no value; or if the knob has
     *                                  no bounds
     */
    public int clamp(Knob knob, double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException(knob.key() + ": expected a number, got NaN");
        }
        return (int) Math.max(lowest.get(knob), Math.min(highest.get(knob), Math.rint(value)));
    }

    /** The nearest allowed settings of the same knobs. */
    public Settings clamp(Settings settings) {
        Settings result = settings;
        for (Knob knob : settings.knobs()) {
            int value = settings.get(knob);
            int allowed = clamp(knob, value);
            result = allowed == value ? result : result.with(knob, allowed);
        }
        return result;
    }

    /** True if every value is allowed. */
    public boolean contains(Settings settings) {
        return clamp(settings).equals(settings);
    }
}
