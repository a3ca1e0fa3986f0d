// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.knob.Quantity;

/** A sensor whose settings have been checked and that has not been opened yet. */
@FunctionalInterface
public interface SensorPlan {

    /** Opens it; must not block for long and need not find what it measures: the readings say what is missing. */
    Sensor open(SensorContext context) throws IOException;

    /**
     * Whose requests its response times and throughput are of, in words: figures of one are never taken for those of another.
     * Empty where it counts no requests, or nobody knows whose.
     */
    default Optional<String> requests() {
        return Optional.empty();
    }

    /** The same sensor, of which it is known whose requests it counts. */
    static SensorPlan ofRequests(String whose, SensorPlan plan) {
        return new SensorPlan() {
            @Override
            public Sensor open(SensorContext context) throws IOException {
                return plan.open(context);
            }

            @Override
            public Optional<String> requests() {
                return Optional.of(whose);
            }
        };
    }

    /** The quantities of its readings that the agent does not know: they get a column of their own. */
    default List<Quantity> quantities() {
        return List.of();
    }
}
