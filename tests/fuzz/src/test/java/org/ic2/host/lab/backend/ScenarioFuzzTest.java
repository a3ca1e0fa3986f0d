// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.runtime.yaml.ConfigException;

/** A simulated host's file: it is refused with a word, or time passes in that host. */
class ScenarioFuzzTest {

    @FuzzTest
    void scenario(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            SimHost host = ScenarioFile.read("host.yaml", text);
            assertThat(host.sample(Instant.EPOCH, Duration.ofMillis(1)).guests()).isNotEmpty();
        } catch (ConfigException e) {
            assertThat(e.getMessage()).contains("host.yaml");
        }
    }
}
