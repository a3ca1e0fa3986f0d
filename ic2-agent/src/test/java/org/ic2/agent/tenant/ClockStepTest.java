// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.journal.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wall clock is set while a mitigation is in force: what docs/faults.md says of it. */
class ClockStepTest {

    @Test
    void setForwardItDoesNotShortenTheCoolDownOnTheWayOut(@TempDir Path directory) throws Exception {
        try (ScriptedLoop agent = new ScriptedLoop(directory, Optional.empty())) {
            agent.loop.start("");
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            while (agent.httpd.orders == 0) {
                agent.run(1, (second, sample) -> ScriptedLoop.loud(sample));
            }
            agent.stepClock(Duration.ofMinutes(50));
            agent.run(8, (second, sample) -> ScriptedLoop.loud(sample));
            assertThat(agent.httpd.orders).isEqualTo(1);
            assertThat(Written.entries(agent.config.journal())).anySatisfy(entry -> {
                assertThat(entry).isInstanceOf(Entry.Refused.class);
                assertThat(entry.problem()).contains("cool-down");
            });
        }
    }

    @Test
    void setBackItLosesNothingButTheStep(@TempDir Path directory) throws Exception {
        try (ScriptedLoop agent = new ScriptedLoop(directory, Optional.empty())) {
            agent.loop.start("");
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            agent.run(120, (second, sample) -> ScriptedLoop.loud(sample));
            assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
            agent.stepClock(Duration.ofHours(-5));
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        }
    }
}
