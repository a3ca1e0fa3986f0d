// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Instant;
import java.util.List;

/**
 * How often a knob turned round. Moves of less than a tenth of its value are none: they follow what a guest uses.
 */
final class Turns {
    /** Stands for no limit: more than any. */
    static final double UNLIMITED = 100_000;
    private static final double MOVE = 0.1;

    /**
     * A knob's value.
     *
     * @param time   when
     * @param amount in its unit, 0 or more
     */
    record Value(Instant time, double amount) {
    }

    private Turns() {
    }

    /** Changes from up to down and from down to up, one after the other in time; a way out and back is one. */
    static int count(List<Value> values) {
        int turns = 0;
        int direction = 0;
        double extreme = values.isEmpty() ? 0 : values.get(0).amount();
        for (Value value : values) {
            int now = direction(extreme, value.amount());
            if (now != 0 && now == -direction) {
                turns++;
            }
            if (now != 0) {
                direction = now;
                extreme = value.amount();
            } else if (Integer.signum(Double.compare(value.amount(), extreme)) == direction) {
                extreme = value.amount();       // further the same way, by little
            }
        }
        return turns;
    }

    private static int direction(double from, double to) {
        return Math.abs(to - from) > MOVE * Math.max(from, to) ? Integer.signum(Double.compare(to, from)) : 0;
    }
}
