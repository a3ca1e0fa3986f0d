// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Instant;
import org.ic2.runtime.knob.Settings;

/**
 * Where the loop's measurements come from: sensors, or a script in a test.
 *
 * @param <M> what comes
 */
public interface MeasurementSource<M> extends AutoCloseable {

    /**
     * Measures one interval. Bounded in time, whatever a sensor does.
     *
     * @param time     the measurement's time
     * @param epochs   the epochs in which the interval began and ended
     * @param believed the configuration that is taken to be in force; a value that a sensor sees goes before
     * @param between  true in the middle of an interval: only what can be measured in a fraction of it
     */
    M measure(Instant time, Epochs epochs, Settings believed, boolean between) throws InterruptedException;

    @Override
    void close();

    /**
     * Configuration epochs of an interval; they differ when a reconfiguration fell into it.
     *
     * @param first at its beginning
     * @param last  at its end
     */
    record Epochs(long first, long last) {
    }
}
