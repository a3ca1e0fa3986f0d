// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.ic2.agent.cli.Ic2;
import org.ic2.agent.config.AgentConfig;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.DecisionResult;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.loop.OperatorRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The loop from sample to running value, with a scripted clock: life, faults, and an hour of nonsense. */
class AgentLoopTest {

    private Path directory;
    private ScriptedLoop agent;

    @BeforeEach
    void place(@TempDir Path temporary) throws Exception {
        directory = temporary;
        agent = ScriptedLoop.started(directory);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    @Test
    void mitigatesWhileTheNeighbourIsLoudAndRestoresAfterwards() throws Exception {
        assertThat(agent.board.sinceTurn()).isEmpty();
        agent.calm(120);
        assertThat(agent.board.sinceTurn()).hasValue(Duration.ZERO);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        agent.loud(60);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        assertThat(agent.running().get(Lever.MITIGATION)).isPositive();
        assertThat(agent.state()).isEqualTo("I2");
        agent.calm(600);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.violations).isEmpty();
        List<Entry> journal = Written.entries(agent.config.journal());
        assertThat(journal).anySatisfy(entry -> {
            assertThat(entry).isInstanceOf(Entry.Intent.class);
            assertThat(entry.decision().orElseThrow().get("numbers").has("response_time")).isTrue();
            assertThat(entry.reason()).isNotBlank();
        });
        assertThat(journal.get(journal.size() - 1)).isInstanceOfAny(Entry.Applied.class, Entry.Decided.class);
    }

    @Test
    void looksCloselyFromTheFirstSuspiciousSampleUntilItIsDecided() throws Exception {
        agent.calm(120);
        agent.loud(1);
        assertThat(agent.state()).isEqualTo("T");
        assertThat(agent.parts).isZero();
        assertThat(agent.turn().plus(agent.turn())).isEqualTo(Duration.ofMillis(400));
        assertThat(agent.parts).isEqualTo(2);
        assertThat(agent.state()).isEqualTo("I2");
        assertThat(agent.running().get(Lever.MITIGATION)).isPositive();
        assertThat(agent.turn()).isEqualTo(Duration.ofSeconds(1));
        agent.reload("suspicious-interval: off");
        agent.calm(200);
        agent.loud(1);
        assertThat(agent.turn()).isEqualTo(Duration.ofSeconds(1));
        assertThat(agent.parts).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"observe", "advise"})
    void inModesWithoutActionsDecisionsAreRecorded(String mode) throws Exception {
        agent.reload("mode: " + mode);
        agent.calm(120);
        agent.loud(60);
        agent.calm(120);
        assertThat(agent.httpd.orders).isZero();
        List<Entry> seen = Written.entries(agent.config.journal()).stream().filter(Entry.Decided.class::isInstance)
                .toList();
        assertThat(seen).extracting(entry -> entry.decision().orElseThrow().path("state").asText())
                .containsSubsequence("NI2", "I2", "NI2");
        assertThat(seen).allSatisfy(entry -> assertThat(((Entry.Decided) entry).mode()).isEqualTo(mode));
    }

    @Test
    void aNeighbourWhoWasThereFirstIsNamedInsteadOfLearned() throws Exception {
        agent.loud(60);
        assertThat(agent.brain.state().medians().count()).isZero();
        assertThat(Written.entries(agent.config.journal())).filteredOn(entry -> Written.scenario(entry).equals("IC2-05"))
                .singleElement().satisfies(entry -> assertThat(entry.reason()).contains("steal 0.5 > 0.1"));
        assertThat(agent.board.latest().orElseThrow().decision().evidence()).anyMatch(line -> line.contains("steal 0.5"));
    }

    @Test
    void anHourOfOscillatingNoisyMissingAndAbsurdSamplesLeadsToFewActions() throws Exception {
        agent.calm(120);
        int before = agent.httpd.orders;
        Random random = new Random(20260101);
        agent.run(3600, (second, sample) -> {
            switch (random.nextInt(8)) {
                case 0 -> ScriptedLoop.calm(sample);
                case 1 -> ScriptedLoop.loud(sample);
                case 2 -> sample.set(Metric.THROUGHPUT, 50);
                case 3 -> ScriptedLoop.measured(sample, 1e9, 1e12, 400, -7);
                case 4 -> ScriptedLoop.measured(sample, Double.NaN, Double.POSITIVE_INFINITY, Double.NaN, 2);
                case 5 -> ScriptedLoop.measured(sample, 0, 0, 0, 0);
                case 6 -> ScriptedLoop.measured(sample, random.nextDouble() * 3, random.nextDouble() * 200,
                        random.nextDouble(), random.nextDouble());
                default -> {
                    if (second / 30 % 2 == 0) {
                        ScriptedLoop.loud(sample);
                    } else {
                        ScriptedLoop.calm(sample);
                    }
                }
            }
        });
        assertThat(agent.violations).isEmpty();
        assertThat(agent.httpd.orders - before).as("the budget of 40 an hour").isLessThanOrEqualTo(40);
        agent.calm(1200);
        assertThat(agent.running()).as("when sense returns, so does the baseline").isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void anHourOfATierThatSwingsEveryMinuteStaysWithinTheBudget() throws Exception {
        agent.calm(120);
        int before = agent.httpd.orders;
        agent.run(3600, (second, sample) -> {
            if (second / 60 % 2 == 0) {
                ScriptedLoop.loud(sample);
            } else {
                ScriptedLoop.calm(sample);
            }
        });
        assertThat(agent.httpd.orders - before).isLessThanOrEqualTo(40);
        assertThat(agent.violations).isEmpty();
    }

    /** Four minutes loud, four quiet, as in the experiments; in how many cycles the budget ran out. */
    private long budgetSpent(int actionsPerHour, int cycles) throws Exception {
        Path place = Files.createDirectory(directory.resolve("budget" + actionsPerHour));
        long spent = 0;
        try (ScriptedLoop scheduled = ScriptedLoop.withSafety(place,
                "{cool-down: 10s, actions-per-hour: " + actionsPerHour + "}")) {
            scheduled.loop.start("");
            scheduled.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            for (int i = 0; i < cycles; i++) {
                scheduled.run(240, (second, sample) -> ScriptedLoop.loud(sample));
                scheduled.run(240, (second, sample) -> ScriptedLoop.calm(sample));
                assertThat(scheduled.running()).as("the way back is never held up").isEqualTo(ScriptedLoop.BASE);
            }
            assertThat(scheduled.executor.actionsInLastHour()).isLessThanOrEqualTo(actionsPerHour);
            assertThat(scheduled.violations).isEmpty();
            for (Entry entry : Written.entries(scheduled.config.journal())) {
                if (Written.scenario(entry).equals("IC2-14")) {
                    assertThat(entry.reason()).contains(actionsPerHour + " with the way back are allowed");
                    spent++;
                }
            }
        }
        return spent;
    }

    @Test
    void theDocumentedBudgetSufficesForAScheduleAndASmallerOneIsExplained() throws Exception {
        // docs/operations.md, with this ladder: (2 x 4 levels + 1) x (3600 s / 480 s + 1), rounded up
        assertThat(budgetSpent(77, 23)).isZero();
        assertThat(budgetSpent(40, 23)).isPositive();
    }

    @Test
    void withoutUsableSamplesTheBaselineIsRestored() throws Exception {
        agent.calm(120);
        agent.loud(60);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        agent.run(40, (second, sample) -> { });
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(Written.entries(agent.config.journal())).extracting(Written::scenario).contains("IC2-40");
    }

    @Test
    void someoneElsesChangeMeansManualModeUntilResume() throws Exception {
        agent.calm(120);
        agent.httpd.values.put(Lever.MAX_REQUEST_WORKERS, 500);
        agent.calm(5);
        assertThat(agent.state()).isEqualTo("MANUAL");
        agent.loud(60);
        assertThat(agent.running().get(Lever.MAX_REQUEST_WORKERS)).as("it does not fight").isEqualTo(500);
        assertThat(agent.board.latest().orElseThrow().state().manualReason()).get().asString().contains("500");
        agent.loop.resume("me");
        agent.calm(120);
        assertThat(agent.state()).isEqualTo("NI2");
        assertThat(agent.running()).as("manual mode is over, the baseline counts").isEqualTo(ScriptedLoop.BASE);
    }

    /** The configuration with another line, as an edited file would give it. */
    private AgentConfig edited(String line) throws Exception {
        return agent.parse(line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "levers: [max-request-workers, keep-alive-timeout] | mitigation is 4 and is no lever any more",
        "bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 1]} | outside the new",
        "mode: observe | mode observe changes nothing",
        "mode: advise | mode advise changes nothing",
    })
    void knobsThatANewConfigurationCannotRestoreAreRestoredFirst(String line, String reason) throws Exception {
        agent.calm(120);
        agent.loud(120);
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
        assertThat(agent.loop.prepareFor(edited(line).mandate())).isEmpty();
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(Written.entries(agent.config.journal())).anySatisfy(entry -> {
            assertThat(entry).isInstanceOf(Entry.Applied.class);
            assertThat(entry.id()).isEqualTo("reload");
            assertThat(entry.reason()).contains(reason);
        });
    }

    @Test
    void aNewConfigurationIsRefusedWhileWhatItCouldNotRestoreCannotBeRestored() throws Exception {
        agent.calm(120);
        agent.loud(120);
        agent.httpd.manner = FakeActuator.Manner.DEAD;
        assertThat(agent.loop.prepareFor(edited("levers: [keep-alive-timeout]").mandate())).get().asString()
                .contains("mitigation is 4 and is no lever any more").contains("could not be restored");
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
        assertThat(agent.loop.prepareFor(edited("levers: [keep-alive-timeout]").mandate())).isEmpty();
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void aNewConfigurationThatReachesEverythingTakesOverInTheMiddleOfAMitigation() throws Exception {
        agent.calm(120);
        agent.loud(120);
        assertThat(agent.loop.prepareFor(edited("target-response-time: 0.2s").mandate())).isEmpty();
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(4);
    }

    @Test
    void aServerThatRefusesIsNotPesteredAndNothingIsBelievedApplied() throws Exception {
        agent.calm(120);
        agent.httpd.manner = FakeActuator.Manner.REFUSES;
        agent.loud(120);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        assertThat(agent.httpd.orders).as("each failure doubles the pause").isLessThanOrEqualTo(12);
        agent.httpd.manner = FakeActuator.Manner.OBEYS;
        agent.loud(300);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void aClockStepIsNoReasonToAct() throws Exception {
        agent.calm(120);
        int before = agent.httpd.orders;
        agent.stepClock(Duration.ofDays(-3));
        agent.calm(60);
        agent.stepClock(Duration.ofDays(400));
        agent.calm(60);
        assertThat(agent.httpd.orders).isEqualTo(before);
        agent.loud(60);
        assertThat(agent.running()).as("and no reason not to").isNotEqualTo(ScriptedLoop.BASE);
        agent.stepClock(Duration.ofHours(-5));
        agent.loud(20);
        assertThat(agent.violations).isEmpty();
    }

    @Test
    void aJournalThatFillsUpWhileMitigatedRestoresTheBaseline() throws Exception {
        Path full = directory.resolve("full");
        Files.createDirectory(full);
        Files.createSymbolicLink(full.resolve("journal.jsonl"), Path.of("/dev/full"));
        try (ScriptedLoop unlucky = new ScriptedLoop(full, Optional.empty())) {
            unlucky.loop.start("");
            unlucky.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            unlucky.run(60, (second, sample) -> ScriptedLoop.loud(sample));
            assertThat(unlucky.httpd.orders).as("nothing is applied that no journal knows of").isZero();
            unlucky.httpd.values.put(Lever.MITIGATION, 2);
            unlucky.executor.readRunning();
            unlucky.run(1, (second, sample) -> ScriptedLoop.loud(sample));
            assertThat(unlucky.running()).isEqualTo(ScriptedLoop.BASE);
        }
    }

    @Test
    void theEndRestoresAndTheNextStartKnowsWhatWasLearned() throws Exception {
        agent.calm(120);
        int learned = agent.brain.state().medians().count();
        assertThat(learned).isPositive();
        agent.loud(60);
        agent.loop.stop("the test ends");
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        agent.close();
        agent = ScriptedLoop.started(directory);
        agent.calm(1);
        assertThat(agent.brain.state().medians().count()).isGreaterThanOrEqualTo(learned);
        assertThat(agent.executor.actionsInLastHour()).as("the budget survives").isPositive();
    }

    @Test
    void aLoopThatNeverStartedLeavesEverythingAsAPersonWantedIt() throws Exception {
        assertThat(agent.loop.applyByHand(ScriptedLoop.BASE.with(Lever.MITIGATION, 3), "by hand", OperatorRequest.by("me")).word())
                .isEqualTo("applied");
        FakeActuator survivor = agent.httpd;
        agent.close();
        agent = new ScriptedLoop(directory, Optional.empty());
        agent.httpd.values.putAll(survivor.values);
        agent.loop.stop("ended by an error");
        assertThat(agent.running().get(Lever.MITIGATION)).isEqualTo(3);
        assertThat(agent.httpd.orders).isZero();
    }

    @Test
    void afterAnEndWithoutRestoringTheNextStartDoesIt() throws Exception {
        agent.calm(120);
        agent.loud(60);
        FakeActuator survivor = agent.httpd;
        agent.close();      // as kill -9: no stop
        agent = new ScriptedLoop(directory, Optional.empty());
        agent.httpd.values.putAll(survivor.values);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        agent.loop.start("");
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void replayGivesTheLiveRunsDecisionsByteForByteTwice() throws Exception {
        agent.close();
        Path other = directory.resolve("recorded");
        Files.createDirectory(other);
        Path csv = other.resolve("samples.csv");
        List<String> live = new ArrayList<>();
        ControlJson json = new ControlJson();
        Random random = new Random(7);
        agent = new ScriptedLoop(other, Optional.of(new Recorder(csv, List.of())));
        agent.loop.start("");
        for (int i = 0; i < 900; i++) {
            boolean loud = i / 150 % 2 == 1;
            double noise = 0.9 + 0.2 * random.nextDouble();
            agent.run(1, (second, sample) -> {
                if (random.nextInt(20) > 0) {
                    ScriptedLoop.measured(sample, (loud ? 0.45 : 0.04) * noise, (loud ? 85 : 100) * noise,
                            Math.min(1, (loud ? 1.0 : 0.5) * noise), loud ? 0.5 : 0.001);
                }
            });
            live.add(json.write(agent.board.latest().orElseThrow().decision()));
        }
        assertThat(agent.httpd.orders).as("the run has actions to compare").isGreaterThan(3);
        assertThat(replay(csv, json)).isEqualTo(live).isEqualTo(replay(csv, json));
        Path file = Files.writeString(other.resolve("ic2.yaml"), ScriptedLoop.configuration(other));
        for (int i = 0; i < 2; i++) {
            StringWriter out = new StringWriter();
            CommandLine verb = Ic2.commandLine();
            verb.setOut(new PrintWriter(out));
            assertThat(verb.execute("replay", "-c", file.toString(), "--json", csv.toString())).isZero();
            assertThat(out.toString().lines().toList()).as("the verb").isEqualTo(live);
        }
    }

    private List<String> replay(Path csv, ControlJson json) throws Exception {
        ControllerState state = ControllerState.initial(agent.config.policy().baseline());
        List<String> decisions = new ArrayList<>();
        for (Sample sample : SamplesCsv.read(csv.toString(), Files.readAllLines(csv))) {
            DecisionResult decided = Controller.decide(state, sample, agent.config.policyFor(true));
            state = decided.state();
            decisions.add(json.write(decided.decision()));
        }
        return decisions;
    }

    @Test
    void aRecordingGoesOnWithItsOwnColumnsAndOntoARegularFileOnly() throws Exception {
        Path csv = directory.resolve("more.csv");
        for (int i = 0; i < 2; i++) {
            try (Recorder recorder = new Recorder(csv, List.of())) {
                recorder.record(Sample.at(java.time.Instant.EPOCH).build());
            }
        }
        assertThat(Files.readAllLines(csv)).hasSize(3);
        for (String other : List.of(SamplesCsv.header() + ",colour\n", "x".repeat(100_000), SamplesCsv.header())) {
            Files.writeString(csv, other);
            assertThatThrownBy(() -> new Recorder(csv, List.of())).isInstanceOf(IOException.class).hasMessageContaining("other columns");
        }
        Path fifo = directory.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        for (Path none : List.of(fifo, directory, Path.of("/dev/full"))) {
            assertThatThrownBy(() -> new Recorder(none, List.of())).isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a regular file at " + none);
        }
    }

    @Test
    void aRecordingOntoAFullDiskEndsAloneAndQuietly() throws Exception {
        Path csv = directory.resolve("full.csv");
        Path elsewhere = directory.resolve("elsewhere");
        Files.createDirectory(elsewhere);
        Recorder recorder = new Recorder(csv, List.of());
        recorder.record(Sample.at(java.time.Instant.EPOCH).build());
        recorder.close();
        recorder.record(Sample.at(java.time.Instant.EPOCH).build());
        assertThat(Files.readAllLines(csv)).hasSize(2);
    }
}
