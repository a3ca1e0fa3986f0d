// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.yaml.ConfigException;

/** The whole configuration file. */
class ConfigFuzzTest {

    private final ConfigLoader loader = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());

    @FuzzTest
    void configuration(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            // a host's name would be looked up, and a model be a file of this machine
            if (!text.contains("listen") && !text.contains("model") && !text.contains("knowledge-base")) {
                assertThat(loader.parse(Path.of("/f/ic2.yaml"), text).mandate()).isNotNull();
            }
        } catch (ConfigException e) {
            assertThat(e.getMessage()).contains("ic2.yaml");
        }
    }
}
