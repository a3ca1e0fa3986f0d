// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

/** Where the loop's turns come from: sensors and a controller, or a script in a test. */
public interface TurnSource {

    /** Measures one interval. Bounded in time, whatever a sensor does. */
    Turn measure(TurnInterval interval) throws InterruptedException;
}
