// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;

/** What {@code /metrics} says. */
class MetricsTest {

    private static AgentConfig baseline(int workers) throws ConfigException {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), """
                application: shop
                members:
                  web:
                    role: web
                    sensors: {response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}}
                    actuators: {httpd: {type: httpd-online, apachectl: /bin/false}}
                baseline: {max-request-workers: %d, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                """.formatted(workers));
    }

    private static String text(Metrics metrics) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        metrics.write(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theBaselineIsThatOfTheConfigurationInForce() throws Exception {
        AtomicReference<AgentConfig> config = new AtomicReference<>(baseline(650));
        Metrics metrics = new Metrics(new AgentStatus(System::nanoTime), config::get);
        assertThat(text(metrics)).contains("ic2_baseline{lever=\"max-request-workers\"} 650.0");
        config.set(baseline(640));
        assertThat(text(metrics)).contains("ic2_baseline{lever=\"max-request-workers\"} 640.0");
    }

    @Test
    void everyQuantityIsAMetricWithItsBaseUnitInTheName() {
        assertThat(MetricName.of(Metric.RESPONSE_TIME_P95).text()).isEqualTo("response_time_p95_seconds");
        assertThat(MetricName.of(Metric.THROUGHPUT).text()).isEqualTo("throughput_per_second");
        assertThat(MetricName.of(Metric.NETWORK_IN).text()).isEqualTo("network_in_bytes_per_second");
        assertThat(MetricName.of(Metric.STEAL).text()).isEqualTo("steal_ratio");
        assertThat(MetricName.of(Metric.REQUESTS).text()).isEqualTo("requests");
        assertThat(MetricName.of(Metric.CONNECTED_USERS).text()).as("no unit twice").isEqualTo("connected_users");
        MetricName latency = MetricName.of(Metric.MEMORY_LATENCY);
        assertThat(latency.text()).isEqualTo("memory_latency_seconds");
        assertThat(latency.inBaseUnit(85)).isCloseTo(85e-9, offset(1e-15));
        assertThat(Arrays.stream(Metric.values()).map(metric -> MetricName.of(metric).text()))
                .doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
    }
}
