// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.ic2.runtime.host.Host;

/**
 * What a sensor is opened with.
 *
 * @param host      the machine to look at
 * @param interval  time between two readings
 * @param nanoClock monotonic time, ns
 */
public record SensorContext(Host host, Duration interval, LongSupplier nanoClock) {
}
