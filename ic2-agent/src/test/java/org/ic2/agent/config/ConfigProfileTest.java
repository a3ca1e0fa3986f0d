// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.knowledge.control.policy.Safeguards;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.Rule;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code profile: paper} and the keys that it sets. */
class ConfigProfileTest {

    private static final String PAPER = """
            application: shop
            profile: paper
            members:
              web:
                role: web
                sensors:
                  users: {type: faban-log, file: /var/log/faban/driver.log}
                  system: {type: sysstat}
                actuators:
                  httpd: {type: httpd-online, apachectl: apachectl, status-url: "http://127.0.0.1/server-status?auto"}
                  php: {type: php-fpm, pool: /srv/www.conf, pid-file: /run/fpm.pid, command: php-fpm}
            baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50}
            bounds: {max-request-workers: [300, 900], keep-alive-timeout: [5s, 30s], php-max-children: [25, 400]}
            """;
    private static final String COUNTERS = PAPER.replace("      system:",
            "      counters: {type: ocount, target: {pid-file: /run/qemu/web.pid}, host: \"ssh://root@hypervisor\"}\n      system:");

    private final ConfigLoader loader = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());

    private AgentConfig parse(String text) throws ConfigException {
        return loader.parse(Path.of("ic2.yaml"), text);
    }

    @Test
    void oneLineIsThePaperAsPublished() throws ConfigException {
        AgentConfig config = parse(PAPER);
        Policy policy = config.policy();
        assertThat(config.interval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.pace()).isEqualTo(SamplingInterval.steady(Duration.ofSeconds(5)));
        assertThat(policy.levers()).containsExactlyInAnyOrder(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
                Lever.PHP_MAX_CHILDREN);
        assertThat(policy.ladder().highest()).isZero();
        assertThat(policy.safeguards()).isEqualTo(new Safeguards(false, false));
        assertThat(policy.knowledge().rules()).filteredOn(Rule::always).extracting(rule -> rule.row().orElseThrow())
                .containsExactlyInAnyOrder(1, 4, 5);
        assertThat(policy.knowledge().independentSignals()).isEmpty();
        Detector.Tree tree = (Detector.Tree) policy.detector();
        assertThat(tree.model()).isEqualTo(Shipped.classifier(Shipped.PAPER));
        assertThat(tree.model().tree().attributes()).extracting(Attribute::quantity)
                .isSubsetOf(Metric.LOAD_PER_OPERATION, Metric.WORK_DONE, Metric.RESPONSE_TIME);
        assertThat(config.profile()).get().extracting(ConfigProfile::describe).isEqualTo("paper, with all that it sets");
    }

    @Test
    void withoutItNothingOfItHolds() throws ConfigException {
        AgentConfig config = parse(PAPER.replace("profile: paper\n", "").replace("children: 50}", "children: 50, mitigation: 0}")
                .replace("[25, 400]}", "[25, 400], mitigation: [0, 4]}"));
        assertThat(config.profile()).isEmpty();
        assertThat(config.interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.policy().safeguards()).isEqualTo(Safeguards.ALL);
        assertThat(config.policy().knowledge()).isEqualTo(Shipped.rules());
        assertThat(config.policy().levers()).doesNotContain(Lever.PHP_MAX_CHILDREN);
    }

    @Test
    void withCountersTheMissRateDecidesInTwoStates() throws ConfigException {
        assertThat(parse(COUNTERS).policy().detector()).isEqualTo(new Detector.MissRate(0.1, 0.5));
        assertThat(parse(COUNTERS + "target-response-time: 80ms\n").policy().detector()).isEqualTo(new Detector.MissRate(0.1, 0.08));
        assertThat(parse(COUNTERS.replace("ocount", "perf")).policy().detector()).isInstanceOf(Detector.MissRate.class);
        assertThat(parse(COUNTERS + "detector: {type: tree}\n").policy().detector()).isInstanceOf(Detector.Tree.class);
        String elsewhere = PAPER.replace("baseline:", "  db: {role: database, sensors: {counters: {type: perf, target: {pid: 1}}}}\nbaseline:");
        assertThat(parse(elsewhere).policy().detector()).as("counters of another machine").isInstanceOf(Detector.Tree.class);
    }

    @Test
    void keysBesideTheProfileWinAndAreNamed() throws ConfigException {
        AgentConfig config = parse(PAPER + "interval: 1s\nstarvation-guard: on\n");
        assertThat(config.policy().pace()).as("still no fast sampling").isEqualTo(SamplingInterval.steady(Duration.ofSeconds(1)));
        assertThat(config.policy().safeguards()).isEqualTo(new Safeguards(true, false));
        assertThat(config.profile()).get().extracting(ConfigProfile::describe).isEqualTo("paper, but interval, starvation-guard are your own");
        assertThat(parse(PAPER + "restore: guarded\n").profile()).get().extracting(ConfigProfile::own).isEqualTo(List.of("restore"));
        assertThat(parse(PAPER + "knowledge-base: rules.yaml\n").policy().knowledge()).isEqualTo(Shipped.rules());
    }

    @Test
    void theRestartingServerDoesAsWell() throws ConfigException {
        AgentConfig config = parse(PAPER.replace("httpd-online, apachectl: apachectl,", "httpd-basic, tunables: /etc/apache2/tunables.conf, apachectl: apachectl,"));
        assertThat(config.policy().levers()).hasSize(3);
    }

    @Test
    void allThreeMoveTogetherOrTheFileSaysWhich() throws ConfigException {
        String without = PAPER.replaceAll("(?m)^ *php: .*\n", "");
        assertThatThrownBy(() -> parse(without)).isInstanceOf(ConfigException.class)
                .hasMessage("ic2.yaml:2: levers: no actuator of the web member can move php-max-children; add one, or leave the lever out");
        assertThat(parse(without + "levers: [max-request-workers, keep-alive-timeout]\n").policy().levers()).hasSize(2);
        assertThat(parse(PAPER.replaceAll("(?s)    actuators:.*?baseline", "baseline")).policy().levers())
                .as("for recordings, without actuators").hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "profile: paper         | profile: papers        | ic2.yaml:2: profile: expected one of paper, got \"papers\"",
        "profile: paper         | profile: {a: b}        | ic2.yaml:2: profile: expected a single value",
        "profile: paper         | profile: paper\\nstarvation-guard: yes | ic2.yaml:3: starvation-guard: expected one of on, off, got \"yes\"",
        "profile: paper         | profile: paper\\nrestore: never | ic2.yaml:3: restore: expected one of guarded, on-ni2, got \"never\"",
        "members:               | member:                | ic2.yaml:3: members: missing",
        "sensors:               | sensors: here\\n    more: | ic2.yaml:6: members.web.sensors: expected keys and values, got \"here\"",
        "{type: sysstat}        | sysstat                | ic2.yaml:8: members.web.sensors.system: expected keys and values",
        "[300, 900]             | [300, 600]             | bounds.max-request-workers: the bounds [300, 600] exclude the baseline",
    })
    void mistakesAreNamedWithTheirLine(String right, String wrong, String message) {
        assertThat(PAPER).contains(right);
        assertThatThrownBy(() -> parse(PAPER.replace(right, wrong.replace("\\n", "\n")))).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:").hasMessageContaining(message.replace("ic2.yaml:3: members", "members"));
    }
}
