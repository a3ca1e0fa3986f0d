// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;

/** What {@code /metrics} says. */
class MetricsTest {

    static AgentConfig baseline(int workers) throws ConfigException {
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
    void countersAreThereFromZeroOnAndLeversWithTheirBounds() throws Exception {
        AgentConfig config = baseline(650);
        String text = text(new Metrics(new AgentStatus(System::nanoTime), () -> config));
        assertThat(text).contains("ic2_requests_total 0.0\n", "ic2_response_time_seconds_count 0\n", "ic2_response_time_seconds_sum 0.0\n",
                "ic2_state_seconds_total{state=\"I2\"} 0.0\n", "ic2_state_seconds_total{state=\"MANUAL\"} 0.0\n",
                "ic2_level_seconds_total{level=\"4\"} 0.0\n", "ic2_interference_episodes_total 0.0\n",
                "ic2_actions_total{action=\"MITIGATE\",result=\"failed\"} 0.0\n", "ic2_apply_seconds_count 0\n",
                "ic2_decisions_total{scenario=\"IC2-15\"} 0.0\n", "ic2_max_request_workers_baseline 650.0\n",
                "ic2_max_request_workers_min 300.0\n", "ic2_keep_alive_timeout_seconds_max 30.0\n", "ic2_target_seconds 0.5\n",
                "ic2_mode_info{mode=\"advise\"} 1.0\n", "ic2_build_info{version=", "process_cpu_seconds_total ", "process_resident_memory_bytes ");
        assertThat(text).as("what nobody manages or measures yet").doesNotContain("ic2_php_max_children", "ic2_max_request_workers ",
                "ic2_last_sample_timestamp_seconds ", "httpd_online_");
    }

    /** A lever of a jar of one's own. */
    private record Own(String key, String column, String unit) implements Knob {
        @Override
        public int least() {
            return 0;
        }
    }

    @Test
    void aLeverOfOnesOwnTakesNoNameThatThereIs() throws Exception {
        AgentConfig shipped = baseline(650);
        Set<Knob> knobs = Knob.set(shipped.vocabulary().knobs());
        knobs.addAll(List.of(new Own("share", "share", "percent"), new Own("state", "own_state", "1"), new Own("apply", "apply", "s"),
                new Own("build", "build", "1"), new Own("requests", "own_requests", "1")));
        AgentConfig config = new AgentConfig(shipped.source(), shipped.application(), shipped.interval(), shipped.mode(), shipped.members(),
                Vocabulary.of(knobs, shipped.vocabulary().quantities()), Optional.empty(), shipped.policy(), true, shipped.journal(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        Metrics metrics = new Metrics(new AgentStatus(System::nanoTime), () -> config);
        assertThat(metrics.described()).extracting(Metrics.Described::name).contains("ic2_share", "ic2_share_max", "ic2_state")
                .doesNotHaveDuplicates().doesNotContain("ic2_state_max", "ic2_apply_seconds_max", "ic2_build", "ic2_requests");
        assertThat(text(metrics)).contains("ic2_max_request_workers_max 650.0");
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
