// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A person changes one value by hand while the agent has others away from the baseline. */
class ManualModeTest {

    private static final Settings LEFT = ScriptedLoop.BASE.with(Lever.MAX_REQUEST_WORKERS, 500);

    private ScriptedLoop agent;

    @BeforeEach
    void mitigated(@TempDir Path directory) throws Exception {
        agent = ScriptedLoop.started(directory);
        agent.calm(120);
        agent.loud(60);
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
        assertThat(agent.running().get(Lever.KEEP_ALIVE_TIMEOUT)).isGreaterThan(5000);
        agent.httpd.values.put(Lever.MAX_REQUEST_WORKERS, 500);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    @Test
    void theAgentsOwnValuesGoBackAndThePersonsStays() throws Exception {
        agent.loud(3);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(agent.running()).isEqualTo(LEFT);
        agent.loud(60);
        assertThat(agent.running()).isEqualTo(LEFT);
        assertThat(Written.entries(agent.config.journal())).anySatisfy(entry -> {
            assertThat(entry).isInstanceOf(Entry.Manual.class);
            assertThat(entry.reason()).contains("max-request-workers from", "to 500", "own values are restored",
                    "mitigation 4 -> 0");
        });
        assertThat(agent.loop.resume("me").text()).contains("manual mode is over");
        agent.calm(120);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void aRefusedRestoreIsRepeatedLater() throws Exception {
        agent.httpd.manner = FakeActuator.Manner.REFUSES;
        agent.loud(15);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        agent.loud(15);
        assertThat(agent.running()).isEqualTo(LEFT);
        assertThat(agent.state()).isEqualTo("MANUAL");
    }
}
