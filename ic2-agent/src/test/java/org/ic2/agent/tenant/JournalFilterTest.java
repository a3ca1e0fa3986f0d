// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.UserHarm;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What begins is told; what comes and goes is told once a minute. */
class JournalFilterTest {

    private final JournalFilter filter = new JournalFilter();

    private boolean told(int second, Action action, State state, Scenario scenario) {
        return filter.passes(new Decision("d-" + second, Instant.ofEpochSecond(second), action, scenario, "", state,
                state, Optional.empty(), Optional.empty(), ScriptedLoop.BASE, ScriptedLoop.BASE, List.of(), List.of(),
                Map.of(), Optional.empty()));
    }

    private boolean harmed(int second, Scenario scenario, Cause cause) {
        return filter.passes(new Decision("d-" + second, Instant.ofEpochSecond(second), Action.HOLD, scenario, "", State.NI2,
                State.NI2, Optional.empty(), Optional.empty(), ScriptedLoop.BASE, ScriptedLoop.BASE, List.of(), List.of(), Map.of(),
                Optional.ofNullable(cause).map(known -> new UserHarm("slow", new CauseFinding(known, CauseFinding.Confidence.HIGH, List.of()), "",
                        Instant.EPOCH))));
    }

    @Test
    void aHarmIsToldWithEachCauseAndSoIsItsEnd() {
        assertThat(told(0, Action.HOLD, State.NI2, Scenario.STEADY)).isTrue();
        assertThat(harmed(1, Scenario.SLOW, Cause.UNKNOWN)).isTrue();
        assertThat(harmed(2, Scenario.SLOW, Cause.UNKNOWN)).isFalse();
        assertThat(harmed(3, Scenario.SLOW, Cause.CRAWLERS)).isTrue();
        assertThat(harmed(4, Scenario.SLOW, Cause.CRAWLERS)).isFalse();
        assertThat(harmed(5, Scenario.SLOW, Cause.UNKNOWN)).as("within a minute").isFalse();
        assertThat(harmed(6, Scenario.QUICK_AGAIN, null)).isTrue();
        assertThat(told(7, Action.HOLD, State.NI2, Scenario.STEADY)).isFalse();
    }

    private boolean held(int second, Scenario scenario) {
        return told(second, Action.HOLD, State.I2, scenario);
    }

    @Test
    void aReasonIsToldWhenItBeginsAndAgainAfterAnAction() {
        assertThat(told(0, Action.MITIGATE, State.I2, Scenario.MITIGATION)).isTrue();
        assertThat(held(1, Scenario.NOTHING_LEFT)).isTrue();
        assertThat(held(2, Scenario.NOTHING_LEFT)).isFalse();
        assertThat(held(3, Scenario.COOLING_DOWN)).as("no reason of its own").isFalse();
        assertThat(held(500, Scenario.NOTHING_LEFT)).as("still the same").isFalse();
        assertThat(told(501, Action.ESCALATE, State.I2, Scenario.ESCALATION)).isTrue();
        assertThat(held(502, Scenario.NOTHING_LEFT)).isTrue();
    }

    @Test
    void reasonsThatTakeTurnsAreToldOnceAMinuteEach() {
        int count = 0;
        for (int second = 0; second < 600; second++) {
            count += held(second, second % 2 == 0 ? Scenario.BELOW_TARGET : Scenario.NOTHING_LEFT) ? 1 : 0;
        }
        assertThat(count).isBetween(10, 20);
        assertThat(held(600 - 86_400, Scenario.BELOW_TARGET)).as("the clock was set back").isTrue();
    }

    @Test
    void everyConfirmedContextIsToldOnce() {
        assertThat(told(0, Action.HOLD, State.NI2, Scenario.STEADY)).isTrue();
        for (int second = 1; second < 60; second += 3) {
            State state = second / 3 % 2 == 0 ? State.I2 : State.NI2;
            assertThat(told(second, Action.HOLD, State.T, Scenario.STEADY)).isFalse();
            assertThat(told(second + 1, Action.HOLD, state, Scenario.STEADY)).isTrue();
            assertThat(told(second + 2, Action.HOLD, state, Scenario.STEADY)).isFalse();
        }
    }

    @Test
    void aResponseTimeThatHoversAroundTheTargetOnTheTopLevelFillsNoJournal(@TempDir Path directory) throws Exception {
        try (ScriptedLoop agent = new ScriptedLoop(directory, Optional.empty())) {
            agent.loop.start("");
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            agent.run(120, (second, sample) -> ScriptedLoop.loud(sample));
            assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
            int before = Written.entries(agent.config.journal()).size();
            agent.run(600, (second, sample) ->
                    ScriptedLoop.measured(sample, second % 2 == 0 ? 0.09 : 0.11, 85, 1.0, 0.5));
            assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
            assertThat(Written.entries(agent.config.journal()).size() - before).isBetween(1, 25);
        }
    }
}
