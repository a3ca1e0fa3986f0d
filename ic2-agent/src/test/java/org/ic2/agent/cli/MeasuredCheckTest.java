// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.AccessLogSensor;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ic2 check} makes of what the sensors see. */
class MeasuredCheckTest {

    private final Reading.Builder reading = Reading.builder().put(Metric.RESPONSE_TIME, 0.03)
            .put(Metric.THROUGHPUT, 60).put(Metric.REQUESTS, 60).put(Metric.CPU_UTIL, 0.5).put(Metric.STEAL, 0.004);

    private static MeasuredCheck check(String... keys) throws Exception {
        return new MeasuredCheck(new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(
                Path.of("ic2.yaml"), "application: shop\nmembers: {web: {role: web}}\nbaseline: {}\nbounds: {}\n"
                + String.join("\n", keys)));
    }

    private Finding finding(String what, String... keys) throws Exception {
        MeasuredCheck check = check(keys);
        check.add("web.response", reading.build());
        check.add("web.second", Reading.builder().put(Metric.RESPONSE_TIME, 9).put(Metric.STEAL, 0.9).build());
        return check.findings().stream().filter(finding -> finding.what().equals(what)).findFirst()
                .orElse(new Finding(true, false, what, ""));
    }

    @Test
    void signalsAreNamedWithTheirValues() throws Exception {
        assertThat(finding("signals")).isEqualTo(new Finding(true, false, "signals",
                "steal 0.004: evidence that mitigation cannot hide"));
        reading.put(Metric.MEMORY_LATENCY, 14);
        assertThat(finding("signals").text()).startsWith("steal 0.004, memory_latency 14: evidence");
    }

    @Test
    void aTreeOfPlainValuesFitsTheMachineOnWhichItWasTrained() throws Exception {
        assertThat(finding("classifier").text()).isEmpty();
        assertThat(finding("classifier", "profile: paper", "levers: []").text())
                .startsWith("it asks for values as measured (load_per_operation, response_time), so it fits the machine");
    }

    @Test
    void withRestoreOnNi2NoSignalIsAskedFor() throws Exception {
        assertThat(finding("signals", "restore: on-ni2").text()).isEmpty();
    }

    @Test
    void stealThatIsAPlainZeroIsNoSignalYet() throws Exception {
        reading.put(Metric.STEAL, 0);
        Finding finding = finding("signals");
        assertThat(finding.ok()).isFalse();
        assertThat(finding.text()).contains("steal 0: a host that reports none looks the same",
                "there is no memory_latency, cmr, cpi");
    }

    @Test
    void aTextWithoutMissingSignalsNamesNone(@TempDir Path directory) throws Exception {
        reading.put(Metric.STEAL, 0).put(Metric.MEMORY_LATENCY, 0).put(Metric.CMR, 0).put(Metric.CPI, 0);
        assertThat(finding("signals").text()).endsWith("See that it rises while a neighbour is active");
        String shipped = new String(Metric.class.getResourceAsStream("rules.yaml").readAllBytes(), StandardCharsets.UTF_8);
        Path rules = Files.writeString(directory.resolve("rules.yaml"), shipped.replaceFirst("(?s)\nindependent-signals:\n.*?\n\n", "\nindependent-signals: []\n"));
        Finding none = finding("signals", "knowledge-base: " + rules);
        assertThat(none.ok()).isFalse();
        assertThat(none.text()).isEqualTo("the rules name none that a sensor measures (independent-signals in the rules): once mitigated, the agent can"
                + " only try whether the neighbour is gone");
    }

    @Test
    void aSmallSiteIsToldHowLongItTakes() throws Exception {
        assertThat(finding("requests").text()).isEqualTo("60 a second: an interval of 1s has min-requests (10)");
        reading.put(Metric.REQUESTS, 5).put(Metric.THROUGHPUT, 4.8);
        Finding few = finding("requests");
        assertThat(few.ok()).isTrue();
        assertThat(few.text()).isEqualTo("4.8 a second: min-requests (10) come together in 3 intervals, so the response"
                + " times of a neighbour are confirmed after about 9s; interval: 3s fits as well. Steal tells sooner");
        reading.put(Metric.STEAL, 0).put(Metric.REQUESTS, 3).put(Metric.THROUGHPUT, 3);
        assertThat(finding("requests").text()).contains("confirmed after about 12s; interval: 4s fits as well")
                .endsWith("without steal; with safety: {min-requests: 6} it takes about 6s");
        reading.put(Metric.REQUESTS, 1).put(Metric.THROUGHPUT, 1);
        assertThat(finding("requests").text()).as("a mean of two is chance").endsWith("interval: 10s fits as well");
        reading.put(Metric.REQUESTS, 0).put(Metric.THROUGHPUT, 0);
        assertThat(finding("requests").text()).contains("none was completed");
        assertThat(finding("requests").ok()).isFalse();
    }

    @Test
    void theRequestsBehindTheResponseTimeAreNamed() throws Exception {
        assertThat(finding("response_time").text()).startsWith("0.03s, by web.response: the mean of all requests")
                .contains("exclude: [static]");
        reading.extra(AccessLogSensor.ALL_REQUESTS, 780);
        assertThat(finding("response_time").text())
                .isEqualTo("0.03s, by web.response: the mean of 60 of 780 requests a second");
    }

    @Test
    void theResponseTimeIsOfTheRequestsThatAreCounted() throws Exception {
        MeasuredCheck check = check();
        check.add("web.pages", Reading.builder().put(Metric.REQUESTS, 0).put(Metric.THROUGHPUT, 0)
                .extra(AccessLogSensor.ALL_REQUESTS, 50).build());
        check.add("web.httpd", reading.build());
        assertThat(check.findings()).extracting(Finding::what).contains("requests").doesNotContain("response_time");
    }

    @Test
    void aTargetForThePercentileNeedsIt() throws Exception {
        assertThat(finding("response_time_p95").text()).isEmpty();
        Finding missing = finding("response_time_p95", "target-response-time-of: p95");
        assertThat(missing.ok()).isFalse();
        assertThat(missing.needed()).isTrue();
        reading.put(Metric.RESPONSE_TIME_P95, 0.1);
        assertThat(finding("response_time_p95", "target-response-time-of: p95").text()).isEmpty();
    }

    @Test
    void abnormalReadingsAreReported() throws Exception {
        assertThat(finding("normal").text()).isEmpty();
        reading.put(Metric.STEAL, 0.5);
        Finding finding = finding("normal");
        assertThat(finding.ok()).isFalse();
        assertThat(finding.text()).contains("steal 0.5 > 0.1", "nothing is learned before it is over",
                "if it is always so here, set in ic2.yaml never-normal: {steal: 0.75}");
    }
}
