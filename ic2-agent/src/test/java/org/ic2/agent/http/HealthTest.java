// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.agent.tenant.TenantMeasurement;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.junit.jupiter.api.Test;

/** What {@code /healthz} says; that a turning loop is healthy is seen in DaemonTest. */
class HealthTest {

    private static int code(Optional<Duration> sinceTurn, Duration interval) {
        return Health.answer(sinceTurn, interval).code();
    }

    @Test
    void aLoopThatHasNotTurnedYetIsNotHealthy() {
        assertThat(code(Optional.empty(), Duration.ofSeconds(1))).isEqualTo(503);
    }

    @Test
    void aSlowChangeIsNoHangAndTwoMinutesAre() {
        assertThat(code(Optional.of(Duration.ofSeconds(60)), Duration.ofSeconds(1))).isEqualTo(200);
        assertThat(code(Optional.of(Duration.ofSeconds(121)), Duration.ofSeconds(1))).isEqualTo(503);
    }

    @Test
    void anAgentWithoutACountOfRequestsIsHealthyAndNotReady() {
        Optional<Duration> now = Optional.of(Duration.ZERO);
        assertThat(ready(now, Sample.at(Instant.EPOCH).set(Metric.REQUESTS, 0).build(), Map.of()).code()).as("nobody asks").isEqualTo(200);
        Answer blind = ready(now, Sample.at(Instant.EPOCH).set(Metric.CPU_UTIL, 0.5).build(), Map.of("web.response", "no answer"));
        assertThat(blind.code()).isEqualTo(503);
        assertThat(ready(Optional.of(Duration.ofMinutes(9)), Sample.at(Instant.EPOCH).set(Metric.REQUESTS, 3).build(), Map.of()).code())
                .as("it hangs").isEqualTo(503);
        assertThat(Health.ready(Optional.empty(), Duration.ofSeconds(1), Optional.empty()).code()).isEqualTo(503);
    }

    private static Answer ready(Optional<Duration> sinceTurn, Sample sample, Map<String, String> problems) {
        Tick tick = new Tick(new TenantMeasurement(sample, List.of(), problems, Map.of()), null, null, 0, Optional.empty(), 0, BudgetUse.none(), 0);
        return Health.ready(sinceTurn, Duration.ofSeconds(1), Optional.of(tick));
    }

    @Test
    void aLongIntervalIsNoHang() {
        assertThat(code(Optional.of(Duration.ofMinutes(3)), Duration.ofMinutes(1))).isEqualTo(200);
        assertThat(code(Optional.of(Duration.ofMinutes(5)), Duration.ofMinutes(1))).isEqualTo(503);
    }
}
