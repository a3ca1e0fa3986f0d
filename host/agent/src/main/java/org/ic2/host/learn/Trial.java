// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.time.Duration;

/**
 * A host, live or simulated, on which settings can be tried (paper T, 3.5.2).
 *
 * @param <X> what may go wrong with it; {@link RuntimeException} where nothing can
 */
@FunctionalInterface
public interface Trial<X extends Exception> {
    /** How long a setting is measured: 4 s, as in the paper. */
    Duration WINDOW = Duration.ofSeconds(4);

    /**
     * Sets a vector, waits {@link #settle}, and measures for {@link #WINDOW}; of what the host does not take it says why.
     *
     * @throws X where it could not be set or measured, which ends the search
     */
    Outcome measure(SchedulerVector vector) throws X, InterruptedException;

    /** By which share the cost of one setting may differ from one measurement to the next; none in the simulator. */
    default double spread() {
        return 0;
    }

    /** How long a setting must have been in force before it is measured: two time slices, 1 s at least. */
    static Duration settle(SchedulerVector vector) {
        return Duration.ofMillis(Math.max(1000, 2L * vector.tslice().orElse(0)));
    }
}
