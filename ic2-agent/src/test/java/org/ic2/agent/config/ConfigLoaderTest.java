// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.Condition;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration file: what is accepted, and that every mistake is named with its line and key. */
class ConfigLoaderTest {

    private static final String EXAMPLE = """
            application: shop
            interval: 1s                     # the paper: 5s
            mode: act
            members:                         # one IC2 instance manages one application group
              web:
                role: web
                host: localhost              # or ssh://user@host (strict known_hosts)
                sensors:
                  response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}
                  system:   {type: sysstat}
                  counters: {type: perf, target: {pid-file: /run/qemu/web.pid}, host: "ssh://root@hypervisor"}
                actuators:
                  httpd: {type: httpd-online, apachectl: /usr/sbin/apachectl}
                  php:   {type: php-fpm, pool: /etc/php/8.2/fpm/pool.d/www.conf}
              db: {role: database, host: "ssh://ic2@db", sensors: {system: {type: sysstat}}}
            baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50, mitigation: 0}
            bounds:   {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], php-max-children: [50, 400], mitigation: [0, 4]}
            detector: {type: tree, model: classifier.json}
            knowledge-base: rules.yaml
            levers:   [keep-alive-timeout, max-request-workers, php-max-children, mitigation]
            target-response-time: 0.5s
            safety:   {cool-down: 10s, actions-per-hour: 60, stale-after: 15s, on-exit: restore}
            journal:  /var/lib/ic2/journal.jsonl
            http:     {listen: "127.0.0.1:9464"}
            """;
    /** The same as a server of a cluster. */
    private static final String SHARED = EXAMPLE.replace("    actuators:\n", "    actuators:\n      balancer: {type: haproxy-agent, listen: '10.0.0.11:9777',"
            + " allow: [10.0.0.5]}\n").replace("mitigation: 0}", "mitigation: 0, share: 100}").replace("mitigation: [0, 4]}",
            "mitigation: [0, 4], share: [30, 100]}").replace("mitigation]", "mitigation, share]");

    private final ConfigLoader loader = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());

    private AgentConfig parse(String text) throws ConfigException {
        return loader.parse(Path.of("ic2.yaml"), text);
    }

    /** Off until chosen; then it needs neither baseline nor bounds. */
    @Test
    void theWallIsALeverWhereAnActuatorHasIt() throws Exception {
        assertThat(parse(EXAMPLE).policy().baseline().has(Wall.FLAG)).isFalse();
        String walled = EXAMPLE.replace("apachectl: /usr/sbin/apachectl", "apachectl: /usr/sbin/apachectl, wall: true");
        assertThat(parse(walled).policy().levers()).as("the file names the levers").doesNotContain(Wall.FLAG);
        AgentConfig config = parse(walled.replace("mitigation]", "mitigation, wall]"));
        assertThat(config.policy().levers()).contains(Wall.FLAG);
        assertThat(config.policy().baseline().get(Wall.FLAG)).isZero();
        assertThat(config.policy().bounds().highest().get(Wall.FLAG)).isEqualTo(Wall.UP);
        assertThatThrownBy(() -> parse(EXAMPLE.replace("mitigation]", "mitigation, wall]"))).hasMessageContaining("levers");
        assertThatThrownBy(() -> parse(walled.replace("mitigation: 0}", "mitigation: 0, wall: 2}").replace("mitigation: [0, 4]}",
                "mitigation: [0, 4], wall: [0, 2]}"))).hasMessageContaining("baseline.wall").hasMessageContaining("expected 0 (down) or 1 (up)");
        assertThatThrownBy(() -> parse(walled.replace("wall: true", "wall: yes"))).hasMessageContaining("wall");
    }

    /** A wall after a level that the ladder does not have would never go up. The shipped rules are for every ladder. */
    @Test
    void aWallBeyondTheLadderIsRefusedInARulesFile(@TempDir Path directory) throws Exception {
        String walled = EXAMPLE.replace("apachectl: /usr/sbin/apachectl", "apachectl: /usr/sbin/apachectl, wall: true")
                .replace("mitigation]", "mitigation, wall]");
        String small = walled.replace("mitigation: [0, 4]", "mitigation: [0, 2]");
        assertThat(parse(small).policy().ladder().highest()).isEqualTo(2);
        Files.writeString(directory.resolve("mine.yaml"), Shipped.text(Shipped.RULES));
        Path file = directory.resolve("ic2.yaml");
        assertThat(loader.load(Files.writeString(file, walled.replace("rules.yaml", "mine.yaml")))).isNotNull();
        Files.writeString(file, small.replace("rules.yaml", "mine.yaml"));
        assertThatThrownBy(() -> loader.load(file)).isInstanceOf(ConfigException.class).hasMessageContaining("ic2.yaml:19: knowledge-base: ")
                .hasMessageMatching(".*mine.yaml:\\d+: causes.slow-dependency.wall: expected .*, 0 to 2, the ladder's last, got 3");
        assertThat(loader.load(Files.writeString(file, small.replace("rules.yaml", "mine.yaml").replace(", wall]", "]")))).as("no wall, no matter").isNotNull();
    }

    @Test
    void aStepAlongTheLadderIsComputedOrOneLevel() throws ConfigException {
        assertThat(parse(EXAMPLE).policy().ladderStep()).isEqualTo(LadderStep.COMPUTED);
        assertThat(parse(EXAMPLE + "ladder-step: one\n").policy().ladderStep()).isEqualTo(LadderStep.ONE);
        assertThatThrownBy(() -> parse(EXAMPLE + "ladder-step: two\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("ladder-step: expected").hasMessageContaining("two");
    }

    @Test
    void neverNormalBoundsAreConfigured() throws ConfigException {
        assertThat(parse(EXAMPLE + "never-normal: {steal: 0.45}\n").policy().knowledge().neverNormal()).extracting(Condition::describe)
                .containsExactly("steal > 0.45", "run_delay > 0.9", "memory_pressure > 0.1");
        for (String[] wrong : new String[][] {{"{cpu_util: 0.5}", "of steal, run_delay, memory_pressure"}, {"{steal: 45}", "a share from 0 to 1, got 45.0"},
            {"{steal: much}", "never-normal.steal"}, {"7", "never-normal"}}) {
            assertThatThrownBy(() -> parse(EXAMPLE + "never-normal: " + wrong[0] + "\n")).as(wrong[0]).isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("ic2.yaml:25: never-normal").hasMessageContaining(wrong[1]);
        }
    }

    @Test
    void theCostOfATrialRestoreIsConfigured() throws ConfigException {
        assertThat(parse(EXAMPLE).policy().probing()).isEqualTo(Probing.USUAL);
        assertThat(parse(EXAMPLE.replace("on-exit: restore", "probe-time: 4s, probe-requests: 500, longest-hold: 10m")).policy().probing())
                .isEqualTo(new Probing(Duration.ofSeconds(4), 500, Duration.ofMinutes(10)));
        Probing slow = parse(EXAMPLE.replace("cool-down: 10s", "cool-down: 40m").replace("stale-after: 15s", "stale-after: 60s")
                .replace("interval: 1s ", "interval: 20s ")).policy().probing();
        assertThat(slow.longestHold()).as("no hold is shorter than the cool-down").isEqualTo(Duration.ofMinutes(40));
        assertThat(slow.time()).as("one interval at least").isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void theCausesForWhichItActsAreThoseThatHaveALever() throws ConfigException {
        assertThat(parse(EXAMPLE).policy().acts()).containsExactly(Cause.NEIGHBOUR);
        assertThat(parse(EXAMPLE + "act: []\n").policy().acts()).isEmpty();
        assertThat(parse(EXAMPLE + "act: [surge, neighbour, crawlers, dearer-pages, slow-dependency, limit]\n").policy().acts())
                .containsExactlyInAnyOrder(Cause.NEIGHBOUR, Cause.CRAWLERS, Cause.DEARER_PAGES, Cause.SURGE, Cause.SLOW_DEPENDENCY, Cause.LIMIT);
        for (String wrong : List.of("crawler", "Surge", "\"\"", "3")) {
            assertThatThrownBy(() -> parse(EXAMPLE + "act: [" + wrong + "]\n")).as(wrong).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("act: expected causes for which there is a lever, of neighbour, crawlers, dearer-pages, surge,"
                            + " slow-dependency, limit, got \"").hasMessageNotContaining("\n");
        }
        for (String advised : List.of("own-batch-work", "unknown")) {
            assertThatThrownBy(() -> parse(EXAMPLE + "act: [neighbour, " + advised + "]\n")).isInstanceOf(ConfigException.class)
                    .hasMessageEndingWith("got \"" + advised + "\", which is only advised");
        }
        assertThatThrownBy(() -> parse(EXAMPLE + "act: {crawlers: yes}\n")).isInstanceOf(ConfigException.class);
    }

    @Test
    void theFileOfAHarmIsNamedByItsWholePath() throws ConfigException {
        assertThat(parse(EXAMPLE).overloadFile()).isEmpty();
        assertThat(parse(EXAMPLE + "overload-file: /var/lib/ic2/overload\n").overloadFile()).contains(Path.of("/var/lib/ic2/overload"));
        for (String wrong : List.of("overload", "/", "./x")) {
            assertThatThrownBy(() -> parse(EXAMPLE + "overload-file: " + wrong + "\n")).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("overload-file: expected a file by its whole path, such as /var/lib/ic2/overload, got");
        }
    }

    @Test
    void howMuchOthersCanServeIsARatioAndSaidOnlyWhereItCounts() throws ConfigException {
        String asking = SHARED.replace("    sensors:\n", "    sensors:\n      cluster: {type: haproxy, socket: /run/haproxy.sock, backend: web, server: web1}\n")
                + "share: computed\n";
        assertThat(parse(asking).policy().sharing().headroom()).isEqualTo(1.5);
        assertThat(parse(asking + "share-headroom: 2.5\n").policy().sharing().headroom()).isEqualTo(2.5);
        for (String wrong : List.of("0.9", "-1", "much", ".nan")) {
            assertThatThrownBy(() -> parse(asking + "share-headroom: " + wrong + "\n")).as(wrong).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("share-headroom: expected");
        }
        assertThatThrownBy(() -> parse(SHARED + "share: computed\nshare-headroom: 2\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("share-headroom: needs a sensor that tells the others' shares");
        assertThatThrownBy(() -> parse(SHARED + "share-headroom: 2\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("share-headroom: only with share: computed");
    }

    @Test
    void aShareIsComputedOnlyWhereTheFileSaysSoAndNoLevelMovesIt() throws ConfigException {
        assertThat(parse(SHARED).policy().sharing()).isNull();
        assertThat(parse(SHARED + "share: by-hand\n").policy().sharing()).isNull();
        assertThat(parse(SHARED + "share: computed\n").policy().sharing().knob().key()).isEqualTo("share");
        assertThatThrownBy(() -> parse(EXAMPLE + "share: computed\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("share: computed needs the lever share and an actuator");
        assertThatThrownBy(() -> parse(SHARED + "share: computed\nladder: [{share: 50}, {mitigation: 1}]\n"))
                .isInstanceOf(ConfigException.class).hasMessageContaining("which no level moves");
        assertThatThrownBy(() -> parse(SHARED + "share: guessed\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("share: expected one of by-hand, computed");
    }

    @Test
    void aCloseLookTakesAFifthOfTheIntervalUnlessTheFileSaysOtherwise() throws ConfigException {
        assertThat(pace("interval: 1s ", "")).isEqualTo(new SamplingInterval(Duration.ofSeconds(1), Duration.ofMillis(200)));
        assertThat(pace("interval: 5s ", "")).isEqualTo(new SamplingInterval(Duration.ofSeconds(5), Duration.ofSeconds(1)));
        assertThat(pace("interval: 500ms ", "")).isEqualTo(new SamplingInterval(Duration.ofMillis(500), Duration.ofMillis(200)));
        assertThat(pace("interval: 200ms ", "")).isEqualTo(SamplingInterval.steady(Duration.ofMillis(200)));
        assertThat(pace("interval: 1s ", "250ms")).isEqualTo(new SamplingInterval(Duration.ofSeconds(1), Duration.ofMillis(250)));
        assertThat(pace("interval: 1s ", "off")).isEqualTo(SamplingInterval.steady(Duration.ofSeconds(1)));
        for (String wrong : List.of("100ms", "2s")) {
            assertThatThrownBy(() -> pace("interval: 1s ", wrong)).isInstanceOf(ConfigException.class).hasMessageContaining(
                    "suspicious-interval: expected 200ms to the interval of 1s, or off, got " + wrong);
        }
        assertThatThrownBy(() -> pace("interval: 1s ", "soon")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("suspicious-interval").hasMessageContaining("soon");
    }

    private SamplingInterval pace(String interval, String close) throws ConfigException {
        return parse(EXAMPLE.replace("interval: 1s ", interval)
                + (close.isEmpty() ? "" : "suspicious-interval: " + close + "\n")).policy().pace();
    }

    @Test
    void readsTheWholeExample() throws ConfigException {
        AgentConfig config = parse(EXAMPLE);
        assertThat(config.application()).isEqualTo("shop");
        assertThat(config.interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.mode()).isEqualTo(Mode.ACT);
        assertThat(config.members()).extracting(MemberConfig::name).containsExactly("web", "db");
        assertThat(config.managed().sensors()).extracting(MemberConfig.SensorConfig::label)
                .containsExactly("web.response", "web.system", "web.counters");
        assertThat(config.managed().sensors().get(2).host()).get().hasToString("ssh://root@hypervisor");
        assertThat(config.members().get(1).sensors().get(0).host()).get().hasToString("ssh://ic2@db");
        assertThat(config.policy().baseline()).isEqualTo(Lever.settings(650, 5000, 50, 0));
        assertThat(config.policy().bounds().highest()).isEqualTo(Lever.settings(650, 30_000, 400, 4));
        assertThat(config.policy().detector()).isInstanceOf(Detector.Tree.class);
        assertThat(config.policy().targetResponseTime()).isEqualTo(0.5);
        assertThat(config.restoreOnExit()).isTrue();
        assertThat(config.http()).get().extracting(http -> http.listen().getPort()).isEqualTo(9464);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "application: shop|aplication: shop|application|missing",
        "mode: act|mode: fight|mode|ic2.yaml:3",
        "interval: 1s |interval: 1 |interval|ic2.yaml:2",
        "interval: 1s |interval: 10ms |at least|ic2.yaml:2",
        "keep-alive-timeout: 5s, php|keep-alive-timeout: 5, php|baseline.keep-alive-timeout|unit",
        "max-request-workers: 650, keep|max-request-workers: 650s, keep|baseline.max-request-workers|without a unit",
        "[300, 650], keep|[300, 600], keep|bounds.max-request-workers|exclude the baseline 650",
        "[300, 650], keep|[650, 300], keep|bounds.max-request-workers|[lowest, highest]",
        "[300, 650], keep|[300], keep|bounds.max-request-workers|[lowest, highest]",
        "system:   {type: sysstat}|system:   {type: sysstats}|members.web.sensors.system.type|sysstat",
        "system:   {type: sysstat}|system:   {type: sysstat, intervall: 1s}|members.web.sensors.system.intervall|unknown key",
        "role: web|role: cache|members|role: web",
        "ssh://ic2@db|ssh://-oProxyCommand=x@db|members.db.host|ssh://user@host",
        "on-exit: restore|on-exit: explode|safety.on-exit|restore, keep",
        "cool-down: 10s|cool-down: ten|safety.cool-down|duration",
        "127.0.0.1:9464|0.0.0.0:9464|http.listen|loopback",
        "\"127.0.0.1:9464\"|\"0.0.0.0:9464\", tls: {certificate: a, key: b}|http.listen|and a token-file",
        "\"127.0.0.1:9464\"|\"0.0.0.0:9464\", token-file: a|http.listen|insecure-read-only",
        "\"127.0.0.1:9464\"|\"0.0.0.0:9464\", insecure-read-only: maybe|http.insecure-read-only|true",
        "\"127.0.0.1:9464\"|\"0.0.0.0:9464\", insecure-read-only: true, token-file: a|http.insecure-read-only|no use",
        "\"127.0.0.1:9464\"|\"127.0.0.1:9464\", tls: {certificate: a}|http.tls.key|missing",
        "\"127.0.0.1:9464\"|\"127.0.0.1:9464\", names: [\"a b\"]|http.names|without a port",
        "rules.yaml|other.yaml|knowledge-base|no file",
        "classifier.json|other.json|detector.model|no file",
        "type: tree|type: oracle|detector.type|tree, cmr",
        "mitigation]|turbo]|levers|turbo",
        "http://127.0.0.1/|https://127.0.0.1/|members.web.sensors.response.url|http",
        "pid-file: /run|pid-fil: /run|members.web.sensors.counters.target.pid-file|required",
        "apachectl: /usr/sbin/apachectl|apachectl: apachectl -k|members.web.actuators.httpd.apachectl|list",
        "levers:   [keep-alive-timeout, max-request-workers, php-max-children, mitigation]|levers:|ic2.yaml:20: levers|nothing",
        "mode: act|mode: null|ic2.yaml:3: mode|nothing",
        "sensors: {system: {type: sysstat}}}|sensors: }|members.db.sensors|nothing",
        "stale-after: 15s|stale-after: 1s|safety.stale-after|at least two intervals, 2s, got 1s",
        "on-exit: restore|probe-time: 500ms|safety.probe-time|the interval or more, 1s, since nothing shorter is measured, got 500ms",
        "on-exit: restore|probe-time: 10|safety.probe-time|unit",
        "on-exit: restore|probe-requests: 0|safety.probe-requests|1 or more, got 0",
        "on-exit: restore|longest-hold: 9s|safety.longest-hold|the cool-down or more, 10s, got 9s",
    })
    void everyMistakeNamesFileLineAndKey(String right, String wrong, String key, String more) {
        assertThat(EXAMPLE).contains(right);
        assertThatThrownBy(() -> parse(EXAMPLE.replace(right, wrong)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:").hasMessageContaining(key)
                .hasMessageContaining(more == null ? key : more);
    }

    @Test
    void namesTheLineOfAMistakeDeepInTheFile() {
        assertThatThrownBy(() -> parse(EXAMPLE.replace("[5s, 30s]", "[5s, 30]"))).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:17: bounds.keep-alive-timeout: ");
        assertThatThrownBy(() -> parse(EXAMPLE.replace("mode: act", "mode: act\nmode: act")))
                .isInstanceOf(ConfigException.class).hasMessageContaining("ic2.yaml:4: mode: given twice");
        assertThatThrownBy(() -> parse(EXAMPLE + "turbo: on\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("ic2.yaml:25: turbo: unknown key; expected one of act, application,");
        assertThatThrownBy(() -> parse("application: [")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("not YAML");
        assertThatThrownBy(() -> parse("")).isInstanceOf(ConfigException.class).hasMessageContaining("empty");
        assertThatThrownBy(() -> parse("- a list")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected keys and values");
    }

    @Test
    void withoutLeversPhpStaysOffAndWhatNothingMovesNeedsNoBounds() throws ConfigException {
        AgentConfig config = parse(EXAMPLE.replaceAll("(?m)^levers:.*\n", "").replaceAll("(?m)^ *php: .*\n", "")
                .replace(", php-max-children: 50", "").replace(", php-max-children: [50, 400]", ""));
        assertThat(config.policy().levers()).containsExactlyInAnyOrder(Lever.MAX_REQUEST_WORKERS,
                Lever.KEEP_ALIVE_TIMEOUT, Lever.MITIGATION);
    }

    @Test
    void aLeverThatNoActuatorMovesIsAMistake() {
        assertThatThrownBy(() -> parse(EXAMPLE.replaceAll("(?m)^ *php: .*\n", "")))
                .isInstanceOf(ConfigException.class).hasMessageContaining("no actuator").hasMessageContaining(
                        "php-max-children");
    }

    @ParameterizedTest
    @ValueSource(strings = {"database", "web"})
    void actuatorsOfAnUnmanagedMemberAreRefused(String role) throws ConfigException {
        String second = EXAMPLE.replace("baseline:", "  other:\n    role: " + role + "\n    actuators:\n      pool: {type: exec,"
                + " lever: max-request-workers, set: [a, \"{value}\"], get: [b]}\nbaseline:");
        assertThatThrownBy(() -> parse(second)).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:18: members.other.actuators: only the managed member has actuators");
        assertThat(parse(second.replaceAll("(?m)^    actuators:\n      pool.*\n", "")).members()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "50  | [100, 400] | 50 children, the baseline",
        "100 | [100, 400] | 50 children, the lowest bound",
        "50  | [50, 300]  | 400 children, the highest bound",
    })
    void poolsThatTheBaselineOrABoundLacksAreAMistake(String baseline, String sizes, String expected)
            throws ConfigException {
        String pools = EXAMPLE.replaceAll("(?m)^( *php: ).*", "$1{type: php-pools, apachectl: a, sizes: " + sizes + "}");
        String text = pools.replace("php-max-children: 50,", "php-max-children: " + baseline + ",");
        assertThatThrownBy(() -> parse(text)).isInstanceOf(ConfigException.class)
                .hasMessage("ic2.yaml:14: members.web.actuators.php.sizes: expected a pool of " + expected
                        + " of php-max-children, got pools of " + sizes);
        parse(text.replace("levers:   [keep-alive-timeout, max-request-workers, php-max-children, ", "levers: ["));
        parse(text.replace(sizes, "[50, 100, 400]"));
    }

    @Test
    void withLongIntervalsThreeOfThemMakeAMitigationStale() throws ConfigException {
        String silent = EXAMPLE.replaceAll("(?m)^safety:.*\n", "");
        assertThat(parse(silent).policy().staleAfter()).isEqualTo(Duration.ofSeconds(15));
        assertThat(parse(silent.replace("interval: 1s", "interval: 10s")).policy().staleAfter())
                .isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void defaultsAreAdviceAndRestore() throws ConfigException {
        AgentConfig config = parse(EXAMPLE.replaceAll("(?m)^(mode|interval|http|safety|journal):.*\n", ""));
        assertThat(config.mode()).isEqualTo(Mode.ADVISE);
        assertThat(config.interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.http()).isEmpty();
        assertThat(config.restoreOnExit()).isTrue();
        assertThat(config.journal()).hasToString("/var/lib/ic2/journal.jsonl");
    }
}
