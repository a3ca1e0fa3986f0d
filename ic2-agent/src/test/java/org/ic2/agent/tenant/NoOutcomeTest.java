// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Set;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.executor.FakeActuator.Manner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes that nobody heard of again: the agent restores all the same, and knows its own when they come late. */
class NoOutcomeTest {

    private Path directory;
    private ScriptedLoop agent;

    @BeforeEach
    void place(@TempDir Path temporary) throws Exception {
        directory = temporary;
        agent = ScriptedLoop.started(directory);
        agent.calm(120);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    /** Beside the neighbour until a mitigation was sent and got no answer. */
    private void sendWithoutAnAnswer() throws Exception {
        agent.httpd.manner = Manner.SILENT;
        while (agent.httpd.orders == 0) {
            agent.loud(1);
        }
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void theEndRestoresThoughTheServerShowsTheBaseline() throws Exception {
        sendWithoutAnAnswer();
        agent.httpd.manner = Manner.OBEYS;
        agent.loop.stop("the test ends");
        assertThat(agent.httpd.orders).isEqualTo(2);
        assertThat(agent.executor.isAtBaseline()).isTrue();
    }

    @Test
    void theNextTurnRestoresItAndALateOutcomeIsItsOwn() throws Exception {
        sendWithoutAnAnswer();
        agent.httpd.manner = Manner.OBEYS;
        agent.calm(1);
        assertThat(agent.httpd.orders).isEqualTo(2);
        assertThat(agent.brain.state().ledger().failures()).as("it counts as a failure").isEqualTo(1);
        agent.httpd.arrive();
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        agent.calm(3);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        agent.httpd.values.put(Lever.MITIGATION, 1);
        agent.calm(3);
        assertThat(agent.state()).as("but only once").isEqualTo("MANUAL");
    }

    @Test
    void aServerThatNeverAnswersIsAskedAgainAndAgainAndNothingLeadsAwayMeanwhile() throws Exception {
        sendWithoutAnAnswer();
        agent.loud(60);
        assertThat(agent.httpd.orders).isBetween(6, 14);
        agent.httpd.manner = Manner.OBEYS;
        agent.httpd.arrive();
        agent.calm(9);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        agent.loud(120);
        assertThat(agent.running()).as("and it is not in manual mode").isNotEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void afterKillNineTheStartRestoresAndTheLateChangeIsRestoredToo() throws Exception {
        sendWithoutAnAnswer();
        FakeActuator survivor = agent.httpd;
        var late = survivor.sent();
        agent.close();      // as kill -9: no stop
        agent = new ScriptedLoop(directory, java.util.Optional.empty());
        agent.loop.start("");
        assertThat(agent.httpd.orders).as("though the server shows the baseline").isEqualTo(1);
        agent.calm(5);
        agent.httpd.values.putAll(late.values());
        agent.calm(3);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
    }

    @Test
    void anEndInTheMiddleOfAStartRestoresToo() throws Exception {
        sendWithoutAnAnswer();
        agent.close();      // as kill -9
        agent = new ScriptedLoop(directory, java.util.Optional.empty());
        agent.httpd.manner = Manner.SLOW;
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> agent.loop.start("")).isInstanceOf(InterruptedException.class);
        agent.httpd.manner = Manner.OBEYS;
        agent.loop.stop("the test ends");
        assertThat(agent.httpd.orders).isEqualTo(2);
        assertThat(agent.executor.isAtBaseline()).isTrue();
    }

    @Test
    void aReloadThatTakesTheLeverAwayWaitsForAnOutcome() throws Exception {
        sendWithoutAnAnswer();
        assertThat(agent.loop.prepareFor(agent.parse("levers: [keep-alive-timeout]").mandate())).get().asString()
                .contains("is unknown and is no lever any more");
        agent.reload("target-response-time: 0.2s");
        assertThat(agent.executor.open()).isNotEqualTo(Set.of());
        agent.httpd.manner = Manner.OBEYS;
        agent.calm(2);
        assertThat(agent.executor.isAtBaseline()).isTrue();
    }
}
