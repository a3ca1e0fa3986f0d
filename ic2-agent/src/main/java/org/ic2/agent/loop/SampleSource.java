// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.time.Instant;
import org.ic2.runtime.knob.Settings;

/** Where the loop's samples come from: sensors, or a script in a test. */
public interface SampleSource extends AutoCloseable {

    /**
     * Measures one interval. Bounded in time, whatever a sensor does.
     *
     * @param time     the sample's time
     * @param epochs   the epochs in which the interval began and ended
     * @param believed the configuration that is taken to be in force; a value that a sensor sees goes before
     */
    Sampled sample(Instant time, Epochs epochs, Settings believed) throws InterruptedException;

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
