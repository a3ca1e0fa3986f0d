// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
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
    void aLongIntervalIsNoHang() {
        assertThat(code(Optional.of(Duration.ofMinutes(3)), Duration.ofMinutes(1))).isEqualTo(200);
        assertThat(code(Optional.of(Duration.ofMinutes(5)), Duration.ofMinutes(1))).isEqualTo(503);
    }
}
