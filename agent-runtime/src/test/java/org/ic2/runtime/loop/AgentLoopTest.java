// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.executor.Limits;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loop with a scripted brain, a scripted clock and a server in memory: what holds whatever a brain decides. */
class AgentLoopTest {

    private static final Settings BASE = Plain.settings(650, 5000, 50, 0);
    private static final Settings AWAY = BASE.with(Plain.THREADS, 400).with(Plain.LEVEL, 2);
    private static final Set<Knob> LEVERS = Set.of(Plain.THREADS, Plain.TIMEOUT, Plain.LEVEL);
    private static final OperatorRequest A_MINUTE = new OperatorRequest("me", Optional.of(Duration.ofMinutes(1)));

    @TempDir
    private Path directory;

    private final FakeActuator server = new FakeActuator(BASE, Plain.THREADS, Plain.TIMEOUT, Plain.LEVEL);
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos;
    private Path file;
    private Journal journal;
    private Executor executor;
    private ScriptedBrain brain;
    private AgentLoop loop;

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    @BeforeEach
    void start() throws Exception {
        file = directory.resolve("journal.jsonl");
        journal = new Journal(file, clock, BASE.knobs());
        build(mandate(Mode.ACT, true, LEVERS));
        loop.start("");
    }

    @AfterEach
    void end() throws Exception {
        executor.close();
        journal.close();
    }

    private static AgentPolicy mandate(Mode mode, boolean restoreOnExit, Set<Knob> levers) {
        Bounds bounds = new Bounds(Plain.settings(300, 5000, 50, 0), Plain.settings(650, 30_000, 400, 4));
        return new AgentPolicy("shop", mode, restoreOnExit, new Limits(BASE, bounds, levers, Duration.ofSeconds(10), 40),
                Map.of("threads", "a", "timeout", "a", "level", "a"));
    }

    private void build(AgentPolicy mandate) {
        executor = new Executor(Map.of("web.httpd", server), mandate.limits(), journal, clock, () -> nanos);
        brain = new ScriptedBrain(BASE);
        loop = new AgentLoop(new AgentLoop.Parts(mandate, brain, brain, executor, journal, new StateStore(file), clock, () -> nanos));
    }

    /** As after a kill -9: nothing was said to the loop before. */
    private void restart(AgentPolicy mandate) throws Exception {
        executor.close();
        journal.close();
        journal = new Journal(file, clock, BASE.knobs());
        build(mandate);
        loop.start("");
    }

    private void tick() throws InterruptedException {
        pass(Duration.ofSeconds(1));
        loop.tick();
    }

    private void pass(Duration time) {
        now = now.plus(time);
        nanos += time.toNanos();
    }

    /** One turn that applies something; the next ones want nothing. */
    private void decide(Settings desired) throws InterruptedException {
        pass(Duration.ofSeconds(10));
        brain.wish = ScriptedBrain.Wish.apply(desired);
        tick();
        brain.wish = ScriptedBrain.Wish.HOLD;
    }

    private Settings running() {
        return BASE.with(Settings.of(server.values));
    }

    private List<Entry> entries() throws IOException {
        return new JournalReader(BASE.knobs()).latest(file).stream().map(Line::entry).toList();
    }

    private List<String> kinds() throws IOException {
        return entries().stream().map(Entry::kind).toList();
    }

    @Test
    void aDecisionIsAppliedAndItsOutcomeIsPublished() throws Exception {
        decide(AWAY);
        assertThat(running()).isEqualTo(AWAY);
        assertThat(brain.outcomes.get(0).result()).get().isInstanceOf(Result.Applied.class);
        assertThat(brain.outcomes.get(0).epoch()).isEqualTo(1);
        assertThat(entries()).filteredOn(Entry.Intent.class::isInstance).singleElement()
                .satisfies(entry -> assertThat(entry.decision().orElseThrow().path("by").asText()).isEqualTo("script"));
        tick();
        assertThat(brain.intervals).extracting(TurnInterval::firstEpoch).containsExactly(0L, 0L);
        assertThat(brain.intervals).extracting(TurnInterval::lastEpoch).containsExactly(0L, 1L);
        assertThat(brain.intervals.get(1).believed()).isEqualTo(AWAY);
    }

    @Test
    void theIntentIsInTheJournalWhenTheServerIsAsked() throws Exception {
        List<List<String>> written = new ArrayList<>();
        server.beforeOrder = () -> {
            try {
                written.add(kinds());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
        decide(AWAY);
        loop.stop("the test ends");
        assertThat(written).containsExactly(List.of("start", "intent"), List.of("start", "intent", "applied", "intent"));
    }

    @Test
    void theEndRestoresTheBaseline() throws Exception {
        decide(AWAY);
        loop.stop("the test ends");
        assertThat(running()).isEqualTo(BASE);
        assertThat(kinds()).endsWith("intent", "applied", "stop");
        assertThat(entries().get(entries().size() - 1).running()).contains(BASE);
    }

    @Test
    void theEndAsksAgainAServerThatAnsweredAndDidNotRestore() throws Exception {
        decide(AWAY);
        server.manner = FakeActuator.Manner.IGNORES;
        server.beforeOrder = () -> server.manner = server.orders > 2 ? FakeActuator.Manner.OBEYS : FakeActuator.Manner.IGNORES;
        loop.stop("the test ends");
        assertThat(server.orders).isEqualTo(3);
        assertThat(running()).isEqualTo(BASE);
    }

    @Test
    void theEndLeavesValuesThatAPersonWantedOrTheFileKeeps() throws Exception {
        assertThat(loop.applyByHand(AWAY, "by hand", OperatorRequest.by("me"))).isInstanceOf(Result.Applied.class);
        loop.stop("the test ends");
        assertThat(running()).as("a person").isEqualTo(AWAY);
        restart(mandate(Mode.ACT, false, LEVERS));
        loop.resume("me");
        decide(AWAY.with(Plain.LEVEL, 3));
        loop.stop("the test ends");
        assertThat(running()).as("on-exit").isEqualTo(AWAY.with(Plain.LEVEL, 3));
    }

    @Test
    void anEndBeforeTheStartChangesNothing() throws Exception {
        loop.applyByHand(AWAY, "by hand", OperatorRequest.by("me"));
        int orders = server.orders;
        build(mandate(Mode.ACT, true, LEVERS));
        loop.stop("ended by an error");
        assertThat(server.orders).isEqualTo(orders);
        assertThat(running()).isEqualTo(AWAY);
    }

    @ParameterizedTest
    @EnumSource(value = Mode.class, names = "ACT", mode = EnumSource.Mode.EXCLUDE)
    void aModeThatDoesNotActSendsNothingAndWritesItsDecisions(Mode mode) throws Exception {
        restart(mandate(mode, true, LEVERS));
        decide(AWAY);
        loop.stop("the test ends");
        assertThat(server.orders).isZero();
        assertThat(kinds()).endsWith("decision", "stop");
    }

    @Test
    void aStartAfterACrashRestoresTheBaseline() throws Exception {
        decide(AWAY);
        assertThat(loop.left()).isPresent();
        restart(mandate(Mode.ACT, true, LEVERS));
        assertThat(running()).isEqualTo(BASE);
        assertThat(brain.inForce()).isEqualTo(BASE);
        assertThat(loop.left()).isEmpty();
    }

    @Test
    void aStartAfterACrashRestoresWhatCouldNotBeReachedAsSoonAsItCan() throws Exception {
        decide(AWAY);
        server.manner = FakeActuator.Manner.DEAD;
        restart(mandate(Mode.ACT, true, LEVERS));
        tick();
        assertThat(brain.unsure).containsExactlyInAnyOrderElementsOf(LEVERS);
        server.manner = FakeActuator.Manner.OBEYS;
        tick();
        tick();
        assertThat(running()).isEqualTo(BASE);
        assertThat(brain.unsure).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mode.class, names = "ACT", mode = EnumSource.Mode.EXCLUDE)
    void aStartThatDoesNotActRestoresNothing(Mode mode) throws Exception {
        decide(AWAY);
        restart(mandate(mode, true, LEVERS));
        assertThat(running()).isEqualTo(AWAY);
        assertThat(loop.left()).as("nor does its end").isEmpty();
    }

    @Test
    void aStartKeepsWhatAPersonWanted() throws Exception {
        loop.applyByHand(AWAY, "by hand", OperatorRequest.by("me"));
        restart(mandate(Mode.ACT, true, LEVERS));
        assertThat(running()).isEqualTo(AWAY);
        assertThat(brain.manual()).contains("by hand");
    }

    @Test
    void aValueThatTheServerDidNotTakeIsNotBelieved() throws Exception {
        server.manner = FakeActuator.Manner.IGNORES;
        decide(AWAY);
        assertThat(brain.outcomes.get(0).result()).get().isInstanceOf(Result.Failed.class);
        assertThat(executor.believed()).isEqualTo(BASE);
        assertThat(kinds()).endsWith("intent", "failed");
    }

    @Test
    void everyTenthTurnReadsWhatRuns() throws Exception {
        server.values.put(Plain.THREADS, 500);
        for (int turn = 1; turn < 10; turn++) {
            tick();
        }
        assertThat(executor.believed()).isEqualTo(BASE);
        tick();
        assertThat(executor.believed()).isEqualTo(BASE.with(Plain.THREADS, 500));
    }

    @Test
    void anOrderWithoutAnOutcomeIsFollowedByTheBaselineAndItsKnobsAreMissingMeanwhile() throws Exception {
        server.manner = FakeActuator.Manner.SILENT;
        decide(AWAY);
        assertThat(executor.open()).containsExactlyInAnyOrder(Plain.THREADS, Plain.LEVEL);
        tick();
        assertThat(brain.unsure).containsExactlyInAnyOrder(Plain.THREADS, Plain.LEVEL);
        server.manner = FakeActuator.Manner.OBEYS;
        int orders = server.orders;
        tick();
        tick();
        assertThat(server.orders).as("though the server shows the baseline").isEqualTo(orders + 1);
        assertThat(executor.open()).isEmpty();
        assertThat(brain.told).endsWith("undone");
    }

    @Test
    void aJournalThatCannotBeWrittenBringsBackTheBaseline() throws Exception {
        executor.close();
        journal.close();
        Files.delete(file);
        Files.createSymbolicLink(file, Path.of("/dev/full"));
        journal = new Journal(file, clock, BASE.knobs());
        build(mandate(Mode.ACT, true, LEVERS));
        loop.start("");
        decide(AWAY);
        assertThat(server.orders).isZero();
        assertThat(loop.unwritten()).isPresent();
        server.values.putAll(AWAY.only(LEVERS).values());
        executor.readRunning();
        tick();
        assertThat(running()).isEqualTo(BASE);
    }

    @Test
    void foreignChangesStayAndUnwantedOwnValuesGoBack() throws Exception {
        decide(AWAY);
        server.values.put(Plain.THREADS, 500);
        brain.wish = new ScriptedBrain.Wish(Verdict.Step.ENTER_MANUAL, Optional.of(AWAY.with(Plain.LEVEL, 0)), false);
        tick();
        assertThat(running()).isEqualTo(BASE.with(Plain.THREADS, 500));
        assertThat(brain.manual()).contains("scripted");
        assertThat(kinds()).contains("manual");
    }

    @Test
    void manualModeLastsUntilTheTimeIsOver() throws Exception {
        decide(AWAY);
        assertThat(loop.pause("paused by hand", A_MINUTE).done()).isTrue();
        pass(Duration.ofSeconds(58));
        tick();
        assertThat(brain.manual()).isPresent();
        assertThat(brain.outcomes.get(brain.outcomes.size() - 1).manualUntil()).isPresent();
        tick();
        assertThat(brain.manual()).isEmpty();
        assertThat(kinds()).endsWith("manual", "resume");
        assertThat(running()).isEqualTo(AWAY);
    }

    @Test
    void aChangeByHandOutsideTheBoundsChangesNoOwner() throws Exception {
        assertThat(loop.applyByHand(BASE.with(Plain.THREADS, 299), "by hand", OperatorRequest.by("me"))).isInstanceOf(Result.Refused.class);
        assertThat(brain.manual()).isEmpty();
        assertThat(kinds()).doesNotContain("manual");
    }

    @Test
    void knobsOfTheOldConfigurationAreRestoredBeforeTheNewOne() throws Exception {
        decide(AWAY);
        AgentPolicy without = mandate(Mode.ACT, true, Set.of(Plain.THREADS, Plain.TIMEOUT));
        server.manner = FakeActuator.Manner.DEAD;
        assertThat(loop.prepareFor(without)).get().asString().contains("could not be restored");
        server.manner = FakeActuator.Manner.OBEYS;
        assertThat(loop.prepareFor(without)).isEmpty();
        assertThat(running()).isEqualTo(BASE);
    }

    @Test
    void aNewConfigurationGoesOnWithWhatWasLearnedAndTheEarlierLoopTakesNoMoreOrders() throws Exception {
        decide(AWAY);
        brain.memory = "learned";
        AgentLoop earlier = loop;
        assertThat(earlier.prepareFor(mandate(Mode.ACT, true, LEVERS))).isEmpty();
        build(mandate(Mode.ACT, true, LEVERS));
        loop.continueFrom(earlier);
        assertThat(brain.memory).isEqualTo("learned");
        assertThat(executor.epoch()).isEqualTo(1);
        assertThat(executor.believed()).isEqualTo(AWAY);
        assertThat(earlier.applyByHand(BASE, "by hand", OperatorRequest.by("me"))).isInstanceOf(Result.Refused.class);
        assertThat(earlier.resume("me").done()).isFalse();
        loop.stop("the test ends");
        assertThat(running()).isEqualTo(BASE);
    }

    @Test
    void manualModeStaysThoughNothingElseIsRememberedAfterAReload() throws Exception {
        loop.pause("paused by hand", A_MINUTE);
        brain.memory = "";
        AgentLoop earlier = loop;
        build(mandate(Mode.ACT, true, LEVERS));
        loop.continueFrom(earlier);
        assertThat(brain.manual()).contains("paused by hand");
        pass(Duration.ofMinutes(1));
        tick();
        assertThat(brain.manual()).isEmpty();
    }

    @Test
    void learnedStateOutlivesARestart() throws Exception {
        brain.memory = "learned";
        loop.stop("the test ends");
        restart(mandate(Mode.ACT, true, LEVERS));
        assertThat(brain.memory).isEqualTo("learned");
    }
}
