// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mitigation in force, and an edit of the configuration: does the new one still reach the same server? */
class ReloadCheckTest {

    private static final String CONFIG = """
            application: shop
            mode: act
            members:
              web:
                role: web
                host: localhost
                sensors: {response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}}
                actuators:
                  httpd: {type: httpd-online, apachectl: /usr/sbin/apachectl, mitigation-variable: MITIGATION}
            baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
            bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
            """;
    private static final Settings MITIGATED = Lever.settings(500, 15_000, 1, 2);
    private static final Settings BASE = Lever.settings(650, 5000, 1, 0);

    private static AgentConfig parse(String text) throws ConfigException {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), text);
    }

    private static Optional<String> stranded(String text, Settings running) throws ConfigException {
        return new ReloadCheck(parse(CONFIG).mandate(), parse(text).mandate()).stranded(running, Set.of());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "apachectl: /usr/sbin/apachectl | apachectl: /opt/httpd/bin/apachectl",
        "apachectl: /usr/sbin/apachectl | apachectl: [/usr/sbin/apachectl, -X]",
        "apachectl: /usr/sbin/apachectl | apachectl: /usr/sbin/apachectl, helper: /run/ic2/reconfigure.sock",
        "apachectl: /usr/sbin/apachectl | apachectl: /usr/sbin/apachectl, status-url: 'http://127.0.0.1:81/s?auto'",
        "mitigation-variable: MITIGATION | mitigation-variable: LADDER",
        "http://127.0.0.1/server-status | http://127.0.0.1:8080/server-status",
        "host: localhost | host: 'ssh://ic2@other'",
    })
    void otherSettingsUnderTheSameNameMayBeAnotherServer(String right, String edited) throws Exception {
        assertThat(CONFIG).contains(right);
        String text = CONFIG.replace(right, edited);
        assertThat(stranded(text, MITIGATED)).get().asString().contains("mitigation is 2 and another actuator");
        assertThat(stranded(text, BASE)).as("nothing to put back").isEmpty();
    }

    @Test
    void anActuatorThatComesFirstInTheFileTakesOver() throws Exception {
        String text = CONFIG.replace("      httpd: {", "      mine: {type: exec, lever: mitigation, set: [set, '{value}'],"
                + " get: [get]}\n      httpd: {");
        assertThat(stranded(text, MITIGATED)).get().asString().contains("mitigation is 2 and another actuator")
                .doesNotContain("keep-alive-timeout");
    }

    @Test
    void theSameSettingsInAnotherFormReachTheSameServer() throws Exception {
        assertThat(stranded(CONFIG, MITIGATED)).isEmpty();
        assertThat(stranded(CONFIG.replace("httpd: {type: httpd-online, apachectl: /usr/sbin/apachectl,",
                "apache: {apachectl: [/usr/sbin/apachectl], type: httpd-online,"), MITIGATED)).isEmpty();
        assertThat(stranded(CONFIG.replace("mitigation-variable: MITIGATION", "mitigation-variable: \"MITIGATION\""),
                MITIGATED)).isEmpty();
    }
}
