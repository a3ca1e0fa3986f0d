// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Exit codes, help, and the verbs that work without a running agent. */
class CommandLineTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path config;

    @BeforeEach
    void place() throws Exception {
        config = directory.resolve("ic2.yaml");
        Files.writeString(config, """
                application: shop
                members: {web: {role: web}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s]}
                levers: [max-request-workers, keep-alive-timeout]
                journal: %s
                """.formatted(directory.resolve("journal.jsonl")));
    }

    private int ic2(String... arguments) {
        CommandLine line = Ic2.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "check", "status", "watch", "events", "report", "apply", "restore", "pause", "resume", "replay",
        "explain"})
    void everyVerbHasHelp(String verb) {
        assertThat(ic2(verb, "--help")).isZero();
        assertThat(out.toString()).contains("ic2 " + verb).contains("--config");
    }

    @Test
    void theListOfVerbsHasAWholeSentenceForEach() {
        Ic2.commandLine().getSubcommands().forEach((verb, line) -> {
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            assertThat((usage.header().length > 0 ? usage.header() : usage.description())[0]).as(verb).endsWith(".");
        });
    }

    @Test
    void initSaysInOneLineThatThereIsNothingToSetUpOrToTakeBack() {
        assertThat(ic2("init", "--help")).isZero();
        assertThat(ic2("init", "--dry-run", "--yes")).isEqualTo(2);
        err.getBuffer().setLength(0);
        assertThat(ic2("init", "--yes", "--root", directory.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith("ic2: there is no Apache httpd here").hasLineCount(1);
        err.getBuffer().setLength(0);
        assertThat(ic2("init", "--remove", "--root", directory.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith("ic2: there is nothing to remove").hasLineCount(1);
    }

    @Test
    void usageAndBadConfigurationAreTwo() throws Exception {
        assertThat(ic2("dance")).isEqualTo(2);
        assertThat(ic2("apply", "-c", config.toString())).isEqualTo(2);
        assertThat(ic2("run", "-c", directory.resolve("none").toString())).isEqualTo(2);
        assertThat(ic2("run", "-c", config.toString(), "--mode", "fight")).isEqualTo(2);
        Files.writeString(config, Files.readString(config) + "turbo: on\n");
        assertThat(ic2("explain", "-c", config.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("ic2.yaml:7: turbo: unknown key");
    }

    @Test
    void haproxyIsItsFileOrWithoutOneItsStatistics() throws Exception {
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), "backend web\n  server other 10.0.0.9:80\n");
        Files.writeString(config, """
                application: shop
                members:
                  web:
                    role: web
                    sensors: {lb: {type: haproxy, socket: %s, backend: web, server: web1}}
                    actuators: {balancer: {type: haproxy-agent, listen: "127.0.0.1:9777", allow: [127.0.0.1], control: %s}}
                baseline: {share: 100}
                bounds: {share: [20, 100]}
                journal: %s
                """.formatted(directory.resolve("h.sock"), directory.resolve("c.sock"), directory.resolve("journal.jsonl")));
        assertThat(ic2("check", "--haproxy", file.toString(), "-c", config.toString())).isEqualTo(1);
        assertThat(out.toString()).contains(file + ": no server's line is of 127.0.0.1").doesNotContain("HAProxy's statistics:");
        for (String[] words : new String[][] {{"check", "--haproxy", "-c", config.toString()}, {"check", "-c", config.toString(), "--haproxy"}}) {
            out.getBuffer().setLength(0);
            assertThat(ic2(words)).isEqualTo(1);
            assertThat(out.toString()).contains("HAProxy's statistics: cannot connect to " + directory.resolve("h.sock"));
        }
    }

    @Test
    void aTimeThatIsNoneIsToldInOneLineAndNothingIsDone() {
        for (String verb : new String[] {"pause", "restore"}) {
            err.getBuffer().setLength(0);
            assertThat(ic2(verb, "-c", config.toString(), "--for", "2")).isEqualTo(2);
            assertThat(err.toString()).startsWith("ic2: --for: expected a duration with its unit").hasLineCount(1);
            assertThat(ic2(verb, "-c", config.toString(), "--for", "0s")).isEqualTo(1);
            assertThat(out.toString()).contains("for: expected a duration of more than nothing");
        }
        assertThat(ic2("restore", "-c", config.toString(), "--for", "2h", "--if-left")).isEqualTo(2);
        assertThat(ic2("pause", "-c", config.toString(), "--for", "2h")).as("also when no agent runs").isZero();
        assertThat(ic2("events", "-c", config.toString())).isZero();
        assertThat(out.toString()).containsPattern("manual: paused by hand; uid \\d+.*; until 20");
    }

    @Test
    void failuresAreOneAndSayWhatToDo() {
        assertThat(ic2("status", "-c", config.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("no agent answers").doesNotContain("\tat ");
        assertThat(ic2("events", "-c", config.toString())).isEqualTo(1);
        assertThat(ic2("apply", "-c", config.toString(), "--mxc", "400")).isEqualTo(1);
        assertThat(out.toString()).contains("no actuator moves max-request-workers");
    }

    @Test
    void restoreWithoutAnAgentRestoresWhatItCanAndNamesWhatItCannot() throws Exception {
        Path threads = Files.writeString(directory.resolve("threads"), "400\n");
        Files.writeString(config, """
                application: shop
                members:
                  web:
                    role: web
                    actuators:
                      pool: {type: exec, lever: php-max-children, set: [/bin/false, "{value}"], get: [/bin/false]}
                      threads: {type: exec, lever: max-request-workers, set: [sh, -c, "echo {value} > %s"], get: [cat, %s]}
                baseline: {max-request-workers: 650, php-max-children: 50}
                bounds: {max-request-workers: [300, 650], php-max-children: [50, 400]}
                levers: [max-request-workers, php-max-children]
                journal: %s
                """.formatted(threads, threads, directory.resolve("journal.jsonl")));
        assertThat(ic2("restore", "-c", config.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("/bin/false failed");
        assertThat(threads).hasContent("650");
    }

    @Test
    void applyWarnsUntilAnAgentHasRun() throws Exception {
        Path threads = Files.writeString(directory.resolve("threads"), "650\n");
        Path journal = directory.resolve("journal.jsonl");
        Files.writeString(config, """
                application: shop
                members:
                  web:
                    role: web
                    actuators:
                      threads: {type: exec, lever: max-request-workers, set: [sh, -c, "echo {value} > %s"], get: [cat, %s]}
                baseline: {max-request-workers: 650}
                bounds: {max-request-workers: [300, 650]}
                levers: [max-request-workers]
                journal: %s
                """.formatted(threads, threads, journal));
        for (String value : new String[] {"400", "410"}) {
            err.getBuffer().setLength(0);
            assertThat(ic2("apply", "-c", config.toString(), "--mxc", value)).as(err.toString()).isZero();
            assertThat(threads).hasContent(value);
            assertThat(err.toString()).startsWith("ic2: warning: no agent has ever run with the journal " + journal).hasLineCount(1);
        }
        err.getBuffer().setLength(0);
        assertThat(ic2("restore", "-c", config.toString())).isZero();
        assertThat(err.toString()).as("the way back").isEmpty();
        Files.writeString(journal, "{\"time\":\"2026-01-01T00:00:00Z\",\"kind\":\"start\",\"mode\":\"observe\"}\n", StandardOpenOption.APPEND);
        assertThat(ic2("apply", "-c", config.toString(), "--mxc", "400")).isZero();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void explainPrintsTreeRulesAndBounds() {
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("NO_INTERFERENCE").contains("llc-miss-rate")
                .contains("max-request-workers").contains("from 300 to 650");
    }

    /** What a restore costs at most and how long it takes follows from the keys, and is printed. */
    @Test
    void explainPrintsWhatARestoreMayCostAndHowLongItTakes() throws Exception {
        Files.writeString(config, Files.readString(config).replace("5s}", "5s, mitigation: 0}")
                .replace("30s]}", "30s], mitigation: [0, 4]}").replace("timeout]", "timeout, mitigation]"));
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("more than 10s or in more than 3000 requests", "up to 32m (safety.longest-hold)",
                "the baseline is back within 79s, after tries that failed within 64m 9s");
        Files.writeString(config, Files.readString(config) + "safety: {cool-down: 5s, probe-time: 3s, probe-requests: 200, longest-hold: 10m}\n");
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("more than 3s or in more than 200 requests", "up to 10m (safety.longest-hold)",
                "the baseline is back within 44s, after tries that failed within 20m 9s");
    }

    @Test
    void explainPrintsWhatLevelsLeaveAsItIsAssumedOrWasLearned() throws Exception {
        Files.writeString(config, Files.readString(config).replace("5s}", "5s, mitigation: 0}")
                .replace("30s]}", "30s], mitigation: [0, 4]}").replace("timeout]", "timeout, mitigation]"));
        LevelEffects learned = new LevelEffects(Map.of("mitigation 0 -> 3", MedianWindow.of(0.4, 0.3, 0.35)), MedianWindow.of(), 0,
                null, MedianWindow.of());
        Settings running = Lever.settings(650, 5000, 1, 0);
        ControllerState state = ControllerState.initial(running);
        Files.writeString(directory.resolve("state.json"), new ControlJson().write(new ControllerState(state.state(), 0, 0,
                0, running, state.learning(), state.ledger(), null, null, state.backoff(), null, state.counters(), null,
                null, learned, null, null, null)));
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("  level 1, mitigation 1: 0.9, assumed\n"
                + "  level 2, mitigation 2: 0.9, assumed\n  level 3, mitigation 3: 0.35, learned in 3 stays\n");
        Files.writeString(directory.resolve("state.json"), "{}");
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("  what was learned cannot be read: ").contains("mitigation 3: 0.5, assumed");
    }

    @Test
    void aCountOfNoIntervalsIsRefused() {
        assertThat(ic2("watch", "-c", config.toString(), "--count", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--count: expected at least 1, got 0");
    }

    @Test
    void textOfFilesAndServersCannotControlTheTerminal() throws Exception {
        Path tree = directory.resolve("tree.json");
        String shipped = new String(getClass().getResourceAsStream("/org/ic2/agent/tenant/by-hand.json").readAllBytes(), StandardCharsets.UTF_8);
        Files.writeString(tree, shipped.replace("\"by hand,", "\"by \\u001b[2J\\u009b2Jhand,"));
        Files.writeString(config, Files.readString(config) + "detector: {model: " + tree + "}\n");
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("made: by ?[2J?2Jhand").contains("\nRules\n  ").doesNotContain("\u001b", "\u009b");
        Files.writeString(config, """
                application: shop
                members:
                  web:
                    role: web
                    actuators:
                      threads: {type: exec, lever: max-request-workers, set: [sh, -c, "printf '\\\\033[2Jno'; false {value}"], get: [echo, 400]}
                baseline: {max-request-workers: 650}
                bounds: {max-request-workers: [300, 650]}
                levers: [max-request-workers]
                journal: %s
                """.formatted(directory.resolve("journal.jsonl")));
        assertThat(ic2("restore", "-c", config.toString())).as(err.toString()).isEqualTo(1);
        assertThat(out.toString()).contains("?[2Jno").doesNotContain("\u001b");
    }

    @Test
    void ladderListsTheApplicationsAndPrintsTheLinesOfOne() throws Exception {
        assertThat(ic2("ladder")).isZero();
        assertThat(out.toString()).contains("wordpress    WordPress\n").contains("nextcloud    Nextcloud (no page can be stored)");
        Path root = Files.createDirectory(directory.resolve("blog"));
        assertThat(ic2("ladder", "wordpress", "--root", root.toString(), "--stock")).isZero();
        assertThat(out.toString()).contains("StandbyApplication \"" + root + "/index.php\"\n")
                .contains("StandbyLevel file \"/var/lib/ic2/ladder/mitigation.map\"\n")
                .contains("Include \"/usr/share/doc/ic2/httpd-online/docs/status.conf\"\n").doesNotContain("Define", "mitigation.conf");
        assertThat(err.toString()).as("a file that httpd will want").contains("there is no " + root + "/index.php");
        Path own = Files.writeString(directory.resolve("mine.yaml"), "format: 1\napplications: {shop: {name: Shop, front-controller: a.php}}\n");
        assertThat(ic2("ladder", "shop", "--applications", own.toString())).isZero();
        assertThat(out.toString()).contains("StandbyApplication \"/var/www/html/a.php\"");
        assertThat(ic2("ladder", "geeklog")).isEqualTo(2);
        assertThat(err.toString()).contains("expected one of drupal, joomla").contains("/etc/ic2/applications.yaml");
        assertThat(ic2("ladder", "drupal", "--root", "/srv/a\"b")).isEqualTo(2);
        assertThat(ic2("ladder", "drupal", "--root", "/srv/a*")).as("a section for many directories").isEqualTo(2);
        assertThat(ic2("ladder", "--applications", "none.yaml")).isEqualTo(2);
        assertThat(ic2("ladder", "--help")).isZero();
    }

    @Test
    void replayPrintsADecisionForEachSample() throws Exception {
        Path samples = directory.resolve("samples.csv");
        Files.writeString(samples, "time,response_time,throughput,cpu_util\n1.000,0.04,100,0.5\n2.000,0.05,100,0.5\n");
        assertThat(ic2("replay", "-c", config.toString(), samples.toString())).isZero();
        assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.contains("HOLD"));
        Files.writeString(samples, "time,colour\n1,blue\n");
        assertThat(ic2("replay", "-c", config.toString(), samples.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("unknown column 'colour'");
        Files.writeString(samples, "time,response_time\r\n1.000,0.04\n2.000," + "1".repeat(70_000) + "\n");
        assertThat(ic2("replay", "-c", config.toString(), samples.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(samples + ", line 3: expected a line of at most 64 KB");
        Files.writeString(samples, "");
        assertThat(ic2("replay", "-c", config.toString(), samples.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("is empty");
    }

    @Test
    void manualPagesAreMadeOfTheCommands() throws Exception {
        ManualPages.main(new String[] {directory.resolve("man").toString(), directory.resolve("completion/ic2").toString(),
            "../docs/configuration.md"});
        assertThat(directory.resolve("completion/ic2")).content().doesNotStartWith("#!")
                .contains("complete -F _complete_ic2", "--dry-run");
        assertThat(directory.resolve("man/ic2-run.1")).content().contains(".TH \"IC2\\-RUN\"").contains("\\-\\-record")
                .contains("/etc/ic2/ic2.yaml");
        assertThat(directory.resolve("man/ic2.1")).content().contains("check").contains("explain");
    }
}
