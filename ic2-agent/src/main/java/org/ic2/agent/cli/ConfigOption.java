// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.cli.FileOption;
import org.ic2.runtime.yaml.ConfigException;

/** {@code -c FILE}, common to all verbs. */
final class ConfigOption extends FileOption<AgentConfig> {

    static final String DEFAULT = "/etc/ic2/ic2.yaml";

    ConfigOption() {
        super(DEFAULT);
    }

    static ConfigLoader loader() {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());
    }

    @Override
    public AgentConfig load() throws ConfigException {
        return loader().load(file());
    }
}
