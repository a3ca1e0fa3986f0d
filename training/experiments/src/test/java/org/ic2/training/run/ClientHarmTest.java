// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.training.data.Switch;
import org.junit.jupiter.api.Test;

/** How much a neighbour harms, as the client saw it: a minute quiet, a minute beside it, and so on. */
class ClientHarmTest {
    private static final int PHASE = 60;
    private static final Duration SETTLING = Duration.ofSeconds(5);

    /** @param loud response time, N/X - Z and throughput beside the neighbour; of the first five seconds nothing is said */
    private static List<Intervals> lines(int episodes, double... loud) {
        List<Intervals> lines = new ArrayList<>();
        for (int second = 1; second <= 2 * episodes * PHASE; second++) {
            int since = (second - 1) % PHASE;
            boolean beside = (second - 1) / PHASE % 2 == 1;
            double[] values = since < SETTLING.toSeconds() && second > PHASE ? new double[] {99, 99, 1} : beside ? loud
                    : new double[] {0.02, 0.03, 100};
            lines.add(new Intervals(second, "steady", Map.of("elapsed", (double) second, "pending_users", 0.0, "response_time", values[0], "interactive_response_time", values[1],
                    "throughput", values[2]), Optional.empty()));
        }
        return Intervals.inTurn(lines);
    }

    private static List<Switch> switches(int episodes) {
        List<Switch> switches = new ArrayList<>();
        for (int i = 1; i < 2 * episodes; i++) {
            switches.add(new Switch(Instant.ofEpochSecond((long) i * PHASE), i % 2 == 1, "dcopy", "other-core"));
        }
        return switches;
    }

    @Test
    void isTheResponseTimeWithoutLongWaits() {
        assertThat(ClientHarm.of(lines(2, 0.05, 0.06, 100), switches(2), SETTLING)).isEqualTo("2.50 2.50");
    }

    @Test
    void usersWithoutAnAnswerCount() {
        assertThat(ClientHarm.of(lines(1, 0.01, 0.9, 50), switches(1), SETTLING)).isEqualTo("30.00");
    }

    @Test
    void unmeasuredHarmIsUnknown() {
        assertThat(ClientHarm.of(List.of(), switches(2), SETTLING)).isEqualTo("unknown unknown");
        assertThat(ClientHarm.of(lines(1, 0.05, 0.06, 100).subList(PHASE, 2 * PHASE), switches(1), SETTLING)).isEqualTo("unknown");
        assertThat(ClientHarm.of(lines(1, Double.NaN, Double.NaN, 0), switches(1), SETTLING)).isEqualTo("unknown");
    }
}
