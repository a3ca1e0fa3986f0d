// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After an edit of the configuration, the same mover of a lever means the same server, reached in the same way. */
class MoversTest {

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
    private static Object mover(String text, String lever) throws ConfigException {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), text).mandate().movers().get(lever);
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
    void otherSettingsUnderTheSameNameAreAnotherMover(String right, String edited) throws Exception {
        assertThat(CONFIG).contains(right);
        assertThat(mover(CONFIG.replace(right, edited), "mitigation")).isNotNull().isNotEqualTo(mover(CONFIG, "mitigation"));
    }

    @Test
    void theFirstActuatorOfTheFileMovesALever() throws Exception {
        String text = CONFIG.replace("      httpd: {", "      mine: {type: exec, lever: mitigation, set: [set, '{value}'],"
                + " get: [get]}\n      httpd: {");
        assertThat(mover(text, "mitigation")).isNotEqualTo(mover(CONFIG, "mitigation"));
        assertThat(mover(text, "keep-alive-timeout")).isEqualTo(mover(CONFIG, "keep-alive-timeout"));
    }

    @Test
    void theSameSettingsInAnotherFormAreTheSameMover() throws Exception {
        assertThat(mover(CONFIG.replace("httpd: {type: httpd-online, apachectl: /usr/sbin/apachectl,",
                "apache: {apachectl: [/usr/sbin/apachectl], type: httpd-online,"), "mitigation")).isEqualTo(mover(CONFIG, "mitigation"));
        assertThat(mover(CONFIG.replace("mitigation-variable: MITIGATION", "mitigation-variable: \"MITIGATION\""),
                "mitigation")).isEqualTo(mover(CONFIG, "mitigation"));
    }
}
