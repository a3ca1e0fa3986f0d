// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person reads while runs are made: each phase with its own figures, and where the agent's page is. */
class LiveTest {

    private static final Instant BEGIN = Instant.parse("2026-01-31T12:00:00Z");

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private Instant now = BEGIN;
    private Optional<String> remote = Optional.empty();

    private Live live(ComparePlan plan, boolean terminal) {
        return new Live(new PrintStream(said, true, StandardCharsets.UTF_8), terminal, folder, plan, Duration.ofMinutes(2), () -> now, remote);
    }

    private static ComparePlan plan(List<Neighbour> neighbours) {
        return new ComparePlan(List.of(Arm.OFF, Arm.LADDER), neighbours, "same-core", 1, Duration.ofSeconds(24),
                Duration.ofSeconds(6), Duration.ofSeconds(6), Duration.ofSeconds(2), Duration.ZERO, 10, 3,
                new AgentSettings(Duration.ofSeconds(1), Duration.ofMillis(60), Duration.ofSeconds(10), "mod-status", Optional.empty(),
                        List.of()), TestSubject.USUAL);
    }

    private void add(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A run whose load writes a line each half second past a full one, with this response time. */
    private List<String> run(ComparePlan plan, boolean terminal, IntToDoubleFunction responseTime) throws IOException {
        PlannedRun slot = plan.slots().get(1);
        RunPlan run = plan.run(slot);
        Live live = live(plan, terminal);
        live.next(slot);
        live.begin(run);
        Path client = folder.resolve(run.id()).resolve(Recording.CLIENT);
        Path journal = Live.agentHome(folder, Arm.LADDER).resolve(Event.FILE);
        add(client, "time,phase,throughput,response_time\n1769860790.0,ramp_up,1,9\n");
        for (int second = 0; second < 24; second++) {
            now = BEGIN.plusSeconds(second);
            if (second > 0) {
                add(client, (now.getEpochSecond() - 0.5) + ",steady,100," + responseTime.applyAsDouble(second) + "\n");
            }
            if (second == 2) {
                add(folder.resolve(run.id()).resolve("agent.log"), "ic2: cannot ask http://127.0.0.1:8088/server-status?auto\n"
                        + "ic2: managing shop in mode act, http://127.0.0.1:4711, /x/control.sock, /x/status.sock\n");
            }
            if (second == 4) {
                add(folder.resolve(run.id()).resolve("agent.log"), "ic2: cannot ask http://127.0.0.1:8088/server-status?auto\n"
                        + "ic2: managing shop in mode act, http://127.0.0.1:4712, /x/control.sock, /x/status.sock\n");
            }
            if (second == 1) {
                add(journal, "{\"time\":\"2026-01-31T12:00:00.500Z\",\"kind\":\"start\",\"configuration\":{\"mxc\":240,\"kat\":1.0,\"php\":60,\"mitigation\":0}}\n");
            }
            if (second == 8) {
                add(journal, "{\"time\":\"2026-01-31T12:00:07.900Z\",\"kind\":\"applied\",\"action\":\"MITIGATE\",\"reason\":\"\",\"configuration\":{\"mxc\":240,\"kat\":1.5,\"php\":60,\"mitigation\":5}}\n");
            }
            if (second == 14) {
                add(journal, "{\"time\":\"2026-01-31T12:00:13.800Z\",\"kind\":\"intent\",\"action\":\"RESTORE\",\"reason\":\"\",\"decision\":"
                        + "{\"state\":\"NI2\"}}\n{\"time\":\"2026-01-31T12:00:13.900Z\",\"kind\":\"applied\",\"action\":\"RESTORE\",\"reason\":\"\",\"configuration\":{\"mxc\":240,\"kat\":1.0,\"php\":60,\"mitigation\":0}}\n");
            }
            live.at(run, Duration.ofSeconds(second));
        }
        add(client, "garbage\n,,,\n1e99,steady,x,y\n");
        live.end(run);
        return said.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void eachPhaseHasItsOwnFiguresAndNoneOfThePhaseBefore() throws Exception {
        // 0.03 s without interference, and beside the neighbour, who comes after 6 s and 18 s, 0.5 s and 0.7 s
        List<String> lines = run(plan(List.of(Neighbour.of("dcopy-low"))), false, second -> second <= 6 ? 0.03 : second <= 12 ? 0.5
                : second <= 18 ? 0.04 : 0.7);
        assertThat(lines).allMatch(line -> line.length() <= 80).containsExactly("with IC\u00b2: starting, 10 users; 2 min left in all",
                "with IC\u00b2: neighbour off for 6 s", "with IC\u00b2: the agent's page: http://127.0.0.1:4711/",
                "with IC\u00b2: neighbour off: 100.0 pages/s, 0.030 s a page, normally 0.030 s", "with IC\u00b2: neighbour ON for 6 s",
                "with IC\u00b2: IC\u00b2 sets level 5, keep-alive 1500ms",
                "with IC\u00b2: neighbour ON: 100.0 pages/s, 0.500 s a page, normally 0.030 s", "with IC\u00b2: neighbour off for 6 s",
                "with IC\u00b2: IC\u00b2 sets baseline",
                "with IC\u00b2: neighbour off: 100.0 pages/s, 0.040 s a page, normally 0.030 s", "with IC\u00b2: neighbour ON for 6 s",
                "with IC\u00b2: neighbour ON: 100.0 pages/s, 0.700 s a page, normally 0.030 s", "with IC\u00b2: done");
    }

    @Test
    void theLineThatChangesFitsATerminalAndShowsNoSecondOfThePhaseBefore() throws Exception {
        List<String> shown = new ArrayList<>();
        run(plan(List.of(Neighbour.of("dcopy-low"))), true, second -> second <= 6 ? 0.03 : 0.5).forEach(line ->
                shown.add(line.replaceAll("\u001b\\[(K|\\?7[lh])", "")));
        assertThat(shown).allMatch(line -> line.length() <= 80);
        assertThat(shown).filteredOn(line -> line.startsWith("[1/2] with IC\u00b2: neighbour ON ")).hasSize(12)
                .allMatch(line -> line.contains("| 0.500 s a page, normally 0.030 s |") || line.contains("| - a page, normally 0.030 s |"))
                .anyMatch(line -> line.endsWith(" s | level 5"));
        assertThat(shown).anyMatch(line -> line.startsWith("[1/2] with IC\u00b2: neighbour off ") && line.endsWith(" s | calm"));
    }

    @Test
    void withoutANeighbourTheWholeRunIsOnePhase() throws Exception {
        assertThat(run(plan(List.of()), false, second -> 0.03)).hasSize(7).anyMatch(line ->
                line.endsWith("no neighbour: 100.0 pages/s, 0.030 s a page, normally 0.030 s"));
    }

    @Test
    void withoutADisplayTheSshTunnelToThePageIsPrinted() throws Exception {
        remote = Live.remote(Map.of("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.9 22"));
        assertThat(run(plan(List.of()), false, second -> 0.03)).containsSubsequence("with IC\u00b2: the agent's page: http://127.0.0.1:4711/",
                "  from your own machine: ssh -L 4711:127.0.0.1:4711 192.0.2.9");
        assertThat(Live.remote(Map.of("DISPLAY", ":0", "SSH_CONNECTION", "192.0.2.7 50000 192.0.2.9 22"))).isEmpty();
        assertThat(Live.remote(Map.of())).isPresent();
    }
}
