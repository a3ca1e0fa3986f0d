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

    private Live live(ComparePlan plan, boolean terminal) {
        return new Live(new PrintStream(said, true, StandardCharsets.UTF_8), terminal, folder, plan, Duration.ofMinutes(2), () -> now);
    }

    private static ComparePlan plan(List<Neighbour> neighbours) {
        return new ComparePlan(List.of(Arm.LADDER), neighbours, "same-core", 1, Duration.ofSeconds(24),
                Duration.ofSeconds(6), Duration.ofSeconds(6), Duration.ofSeconds(2), Duration.ZERO, 10, 3,
                new AgentSettings(Duration.ofSeconds(1), Duration.ofMillis(60), Duration.ofSeconds(10), "mod-status", Optional.empty(),
                        List.of()), Subject.USUAL);
    }

    private void add(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A run whose load writes a line each half second past a full one, with this response time. */
    private List<String> run(ComparePlan plan, boolean terminal, IntToDoubleFunction responseTime) throws IOException {
        PlannedRun slot = plan.slots().get(0);
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
            if (second == 8) {
                add(journal, "{\"time\": \"2026-01-31T12:00:07.900Z\", \"kind\": \"decision\", \"action\": \"HOLD\", \"reason\": \"not yet\"}\n");
            }
            live.at(run, Duration.ofSeconds(second));
        }
        add(client, "garbage\n,,,\n1e99,steady,x,y\n");
        live.end(run);
        return said.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void eachPhaseHasItsOwnFiguresAndNoneOfThePhaseBefore() throws Exception {
        // 0.03 s in the quiet, and beside the neighbour, who comes after 6 s and 18 s, 0.5 s and 0.7 s
        List<String> lines = run(plan(List.of(Neighbour.of("dcopy-low"))), false, second -> second <= 6 ? 0.03 : second <= 12 ? 0.5
                : second <= 18 ? 0.04 : 0.7);
        List<String> own = new ArrayList<>();
        for (String line : lines) {
            assertThat(line).startsWith("run 1 of 1, arm d (").contains(" beside dcopy-low, round 1: ");
            own.add(line.substring(line.indexOf("round 1: ") + "round 1: ".length()));
        }
        assertThat(own).containsExactly("starting, load 10 users", "neighbour off, 2 min left in all",
                "the page of IC\u00b2 while this run lasts: http://127.0.0.1:4711/",
                "neighbour off: RT 0.030 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting", "neighbour ON, 2 min left in all",
                "neighbour ON: RT 0.500 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting, HOLD: not yet",
                "neighbour off, 2 min left in all",
                "neighbour off: RT 0.040 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting", "neighbour ON, 2 min left in all",
                "neighbour ON: RT 0.700 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting", "done");
    }

    @Test
    void theLineThatChangesShowsNoSecondOfThePhaseBefore() throws Exception {
        List<String> shown = new ArrayList<>();
        run(plan(List.of(Neighbour.of("dcopy-low"))), true, second -> second <= 6 ? 0.03 : 0.5).forEach(line ->
                shown.addAll(List.of(line.split("\r\u001b\\[K"))));
        assertThat(shown).filteredOn(line -> line.contains(") neighbour ON ")).hasSize(12)
                .allMatch(line -> line.contains("RT 0.500 s, normal 0.030 s") || line.contains("RT -, normal 0.030 s"));
        assertThat(shown).anyMatch(line -> line.endsWith("neighbour ON: RT 0.500 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting,"
                + " HOLD: not yet"));
    }

    @Test
    void withoutANeighbourTheWholeRunIsOnePhase() throws Exception {
        assertThat(run(plan(List.of()), false, second -> 0.03)).hasSize(5).anyMatch(line ->
                line.endsWith("no neighbour: RT 0.030 s, 100.0 pages/s, normal RT 0.030 s | IC\u00b2 starting, HOLD: not yet"));
    }
}
