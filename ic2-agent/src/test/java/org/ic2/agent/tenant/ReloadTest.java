// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.ic2.runtime.journal.Entry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a new configuration takes over from the one before it. */
class ReloadTest {

    private static final String ACTIONS = "control.actions_in_last_hour";

    private Path directory;
    private ScriptedLoop agent;

    @BeforeEach
    void place(@TempDir Path temporary) throws Exception {
        directory = temporary;
        agent = ScriptedLoop.started(directory);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    private double actionsThatCount() {
        return agent.board.latest().orElseThrow().decision().numbers().get(ACTIONS);
    }

    @Test
    void epochAndBudgetGoOnFromWhereTheyAreAndNotFromTheStartOfTheProcess() throws Exception {
        agent.calm(120);
        agent.loud(60);
        long epoch = agent.executor.epoch();
        int actions = agent.executor.actionsInLastHour();
        assertThat(epoch).isPositive();
        agent.reload("target-response-time: 0.2s");
        assertThat(agent.executor.epoch()).isEqualTo(epoch);
        assertThat(agent.executor.actionsInLastHour()).isEqualTo(actions);
        agent.calm(1);
        assertThat(agent.board.latest().orElseThrow().sampled().managed().straddlesEpochs()).isFalse();
        assertThat(actionsThatCount()).isEqualTo(actions);
    }

    @Test
    void adviceIsNoActionOnceTheAgentActs() throws Exception {
        agent.reload("mode: advise");
        agent.calm(120);
        agent.loud(60);
        assertThat(actionsThatCount()).isGreaterThan(1);
        assertThat(agent.httpd.orders).isZero();
        agent.reload("mode: act");
        agent.calm(1);
        assertThat(actionsThatCount()).isZero();
        assertThat(agent.brain.state().backoff().relapses()).isZero();
        agent.loud(15);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void adviceIsNoActionAfterARestartEither() throws Exception {
        agent.reload("mode: advise");
        agent.calm(120);
        agent.loud(60);
        agent.loop.stop("the test restarts it");
        agent.close();
        agent = ScriptedLoop.started(directory);
        agent.calm(1);
        assertThat(actionsThatCount()).isZero();
        agent.calm(30);
        agent.loud(60);
        assertThat(actionsThatCount()).isGreaterThan(1);
        agent.loop.stop("the test restarts it");
        agent.close();
        agent = ScriptedLoop.started(directory);
        agent.calm(1);
        assertThat(actionsThatCount()).as("what was done still counts").isGreaterThan(1);
        assertThat(Written.entries(agent.config.journal())).anyMatch(entry ->
                entry instanceof Entry.Decided decided && decided.mode().equals("advise"));
    }
}
