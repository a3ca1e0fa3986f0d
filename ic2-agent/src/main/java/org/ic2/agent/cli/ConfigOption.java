// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.nio.file.Path;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Option;

/** {@code -c FILE}, common to all verbs. */
final class ConfigOption {

    static final String DEFAULT = "/etc/ic2/ic2.yaml";

    @Option(names = {"-c", "--config"}, paramLabel = "FILE", defaultValue = DEFAULT,
            description = "Configuration file; default ${DEFAULT-VALUE}.")
    private Path file;

    Path file() {
        return file;
    }

    static ConfigLoader loader() {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());
    }

    AgentConfig load() throws ConfigException {
        return loader().load(file);
    }
}
