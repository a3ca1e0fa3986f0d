// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.loop.OperatorRequest;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that does not answer when the agent starts, or reads its configuration again: what runs is unknown. */
class UnknownValuesTest {

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

    /** As after kill -9 or a power loss while mitigated: an agent that starts before the server does. */
    private void startBeforeTheServer() throws Exception {
        agent.calm(120);
        agent.loud(60);
        FakeActuator survivor = agent.httpd;
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        agent.close();
        agent = new ScriptedLoop(directory, Optional.empty());
        agent.httpd.values.putAll(survivor.values);
        agent.httpd.manner = FakeActuator.Manner.DEAD;
        agent.loop.start("");
        agent.run(30, (second, sample) -> { });
    }

    @Test
    void aDeadServerAtTheStartIsRestoredWhenItComesBack() throws Exception {
        startBeforeTheServer();
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        agent.calm(15);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).as("what it had set itself was nobody else's change").isNotEqualTo("MANUAL");
        agent.loud(60);
        assertThat(agent.running()).as("and it is not in manual mode").isNotEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void restoresDueAtTheStartStayDueOverAReload() throws Exception {
        startBeforeTheServer();
        agent.reload("target-response-time: 0.2s");
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        agent.calm(15);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
    }

    @Test
    void aPersonWhoTakesOverMeanwhileIsNotOverruled() throws Exception {
        startBeforeTheServer();
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        Settings wanted = ScriptedLoop.BASE.with(Lever.MITIGATION, 3);
        assertThat(agent.loop.applyByHand(wanted, "by hand", OperatorRequest.by("me")).word()).isEqualTo("applied");
        agent.calm(60);
        assertThat(agent.running()).isEqualTo(wanted);
        assertThat(agent.state()).isEqualTo("MANUAL");
    }

    @Test
    void valuesOfAServerThatWasNotThereAtTheStartAreTakenAsTheyAre() throws Exception {
        agent.close();
        agent = new ScriptedLoop(directory, Optional.empty());
        agent.httpd.manner = FakeActuator.Manner.DEAD;
        agent.loop.start("");
        agent.run(25, (second, sample) -> { });
        agent.httpd.values.put(Lever.MAX_REQUEST_WORKERS, 500);
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        agent.calm(60);
        assertThat(agent.state()).isEqualTo("NI2");
        assertThat(agent.running()).as("as at any other start").isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void aReloadWhileTheServerDoesNotAnswerKeepsWhatIsInForce() throws Exception {
        agent.calm(120);
        agent.loud(60);
        Settings mitigated = agent.running();
        agent.httpd.manner = FakeActuator.Manner.DEAD;
        agent.reload("target-response-time: 0.2s");
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        assertThat(agent.executor.believed()).isEqualTo(mitigated);
        agent.loud(30);
        assertThat(agent.state()).isEqualTo("I2");
        agent.calm(600);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }
}
