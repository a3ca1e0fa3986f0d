// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.learn.Unrest;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recorded hour beside a neighbour who never went: steal between a quarter and a half, always. */
class NeverQuietHostTest {
    private static final String CONFIG = """
            application: shop
            members:
              web:
                role: web
                sensors: {response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}, system: {type: sysstat}}
                actuators: {httpd: {type: httpd-online, apachectl: /bin/false}}
            baseline: {mitigation: 0}
            bounds: {mitigation: [0, 4]}
            levers: [mitigation]
            """;

    @TempDir
    private Path directory;
    private List<Sample> loud;

    @BeforeEach
    void recording() throws Exception {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(
                Path.of("../training/data/steady/steady-1/samples.csv.gz"))), StandardCharsets.UTF_8))) {
            loud = SamplesCsv.read("steady-1", lines.lines().toList()).stream().filter(sample -> sample.member().equals("web")).skip(60).limit(900).toList();
        }
    }

    private Policy policy(String more) throws Exception {
        AgentConfig config = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(directory.resolve("ic2.yaml"), CONFIG + more);
        return config.policyFor(false);
    }

    /** How many samples it takes until what is normal is known, and what is known then. */
    private ControllerState learned(Policy policy, int[] samples) {
        ControllerState state = ControllerState.initial(policy.baseline());
        for (Sample sample : loud) {
            state = Controller.decide(state, sample, policy).state();
            samples[0]++;
            if (state.learning().ready()) {
                return state;
            }
        }
        throw new AssertionError("nothing was learned in " + loud.size() + " samples");
    }

    @Test
    void theLineThatIsOfferedEndsTheWaiting() throws Exception {
        int[] without = {0};
        ControllerState state = learned(policy(""), without);
        assertThat(without[0]).isGreaterThan(Unrest.NEVER_QUIET);
        String problem = QuietCheck.problem(policy(""), state.learning()).orElseThrow();
        assertThat(problem).contains("this host is never quiet", "steal, median 0.", "is above 0.1", "users are protected all the same");
        String line = problem.substring(problem.indexOf("never-normal: "));
        assertThat(line).matches("never-normal: \\{steal: 0\\.\\d+}");
        int[] with = {0};
        ControllerState better = learned(policy(line + "\n"), with);
        assertThat(with[0]).as("with " + line).isLessThan(60);
        assertThat(better.learning().unrest().always()).isFalse();
        assertThat(QuietCheck.problem(policy(line + "\n"), better.learning())).isEmpty();
    }
}
