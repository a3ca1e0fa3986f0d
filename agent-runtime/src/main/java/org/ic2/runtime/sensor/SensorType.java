// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads the settings of one type of sensor from the configuration file. */
@FunctionalInterface
public interface SensorType {

    /** Asks {@code settings} for the keys it knows; the caller refuses the others. */
    SensorPlan parse(YamlMap settings) throws ConfigException;
}
