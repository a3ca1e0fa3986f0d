// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

/**
 * A type of sensor in a jar of one's own, found on the class path by {@link java.util.ServiceLoader}: a class with a
 * public constructor without arguments, and its name as a line of
 * {@code META-INF/services/org.ic2.runtime.sensor.SensorProvider}.
 */
public interface SensorProvider extends SensorType {

    /** What the configuration file names it: {@code type: ...}; no name of ours. */
    String type();
}
