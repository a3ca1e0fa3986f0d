// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.control.policy.Ladder;
import org.junit.jupiter.api.Test;

/** docs/stock-apache.md: the configuration that it gives is one. */
class StockApachePageTest {

    @Test
    void theConfigurationIsValidAndBeginsWithTheStore() throws Exception {
        String page = Files.readString(Path.of("../docs/stock-apache.md"));
        String yaml = page.substring(page.indexOf("```yaml\n") + "```yaml\n".length());
        AgentConfig config = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"),
                yaml.substring(0, yaml.indexOf("```")).replaceAll("(?m)^   ", ""));
        assertThat(config.policy().levers()).containsExactly(Lever.MITIGATION);
        assertThat(config.policy().felt()).isEqualTo(Metric.RESPONSE_TIME_P95);
        Ladder ladder = config.policy().ladder();
        assertThat(ladder.level(1).get(Lever.MITIGATION)).isEqualTo(3);
        assertThat(ladder.level(ladder.highest()).get(Lever.MITIGATION)).isEqualTo(Ladder.SHIPPED_LEVELS);
    }
}
