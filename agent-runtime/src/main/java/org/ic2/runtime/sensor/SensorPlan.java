// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.List;
import org.ic2.runtime.knob.Quantity;

/** A sensor whose settings have been checked and that has not been opened yet. */
@FunctionalInterface
public interface SensorPlan {

    /** Opens it; must not block for long and need not find what it measures: the readings say what is missing. */
    Sensor open(SensorContext context) throws IOException;

    /** The quantities of its readings that the agent does not know: they get a column of their own. */
    default List<Quantity> quantities() {
        return List.of();
    }
}
