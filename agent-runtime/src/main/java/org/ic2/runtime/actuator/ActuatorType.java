// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.util.Optional;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads the settings of one type of actuator from the configuration file. */
@FunctionalInterface
public interface ActuatorType {

    /**
     * Asks {@code settings} for the keys it knows; the caller refuses the others.
     *
     * @param statusUrl the status page that the member's sensors use, taken when the actuator names none
     */
    ActuatorPlan parse(YamlMap settings, Optional<String> statusUrl) throws ConfigException;
}
