// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ic2.runtime.testing.Waiting;
import org.junit.jupiter.api.Test;

class ProcessesTest {

    @Test
    void aServerThatDoesNotAnswerIsEndedWithItsChildren() throws Exception {
        Process master = new ProcessBuilder("sh", "-c", "sleep 1000 & wait").start();
        Processes server = new Processes(master);
        Waiting.until("its child", () -> master.descendants().count() == 1);
        ProcessHandle child = master.descendants().findFirst().orElseThrow();
        assertThatThrownBy(() -> server.awaitStart("its page", () -> {
            throw new AssertionError("403");
        })).hasMessage("403");
        assertThat(server.alive()).isFalse();
        assertThat(child.isAlive()).isFalse();
    }
}
