// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.executor.ChangeRequest.Origin;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No order skips a safety step, and the journal always knows. */
class ExecutorTest {

    private static final Settings BASE = Plain.settings(650, 5000, 50, 0);
    private static final Settings AWAY = Plain.settings(400, 15_000, 50, 1);
    private static final Bounds BOUNDS =
            new Bounds(Plain.settings(300, 5000, 50, 0), Plain.settings(650, 30_000, 400, 4));
    private static final Limits SAFETY = new Limits(BASE, BOUNDS, Plain.TIER,
            Duration.ofSeconds(10), 5);

    private static final Set<String> BACK = Set.of("RESTORE", "UNDO", "STEP_DOWN");

    private final AtomicLong nanos = new AtomicLong();
    private final FakeActuator httpd = new FakeActuator(BASE, Plain.THREADS, Plain.TIMEOUT,
            Plain.LEVEL);
    private final FakeActuator php = new FakeActuator(BASE, Plain.POOL);
    private Instant wall = Instant.parse("2026-01-01T00:00:00Z");
    private Path file;

    @BeforeEach
    void place(@TempDir Path directory) {
        file = directory.resolve("journal.jsonl");
    }

    private Journal journal() throws IOException {
        return new Journal(file, Clock.fixed(wall, ZoneOffset.UTC), BASE.knobs());
    }

    private Map<String, Actuator> actuators() {
        Map<String, Actuator> actuators = new LinkedHashMap<>();
        actuators.put("web.httpd", httpd);
        actuators.put("web.php", php);
        return actuators;
    }

    private Executor executor(Journal journal) {
        return new Executor(actuators(), SAFETY, journal, Clock.fixed(wall, ZoneOffset.UTC), nanos::get);
    }

    private static ChangeRequest order(String action, Settings desired) {
        return new ChangeRequest("d-1", Origin.DECISION, action, "because", desired, BACK.contains(action),
                Optional.empty());
    }

    private List<Entry> entries() throws IOException {
        return new JournalReader(BASE.knobs()).latest(file).stream().map(Line::entry).toList();
    }

    private List<String> kinds() throws IOException {
        return entries().stream().map(Entry::kind).toList();
    }

    @Test
    void appliesVerifiesAndWritesIntentBeforeOutcome() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            Result result = executor.execute(order("MITIGATE", AWAY));
            assertThat(result).isInstanceOf(Result.Applied.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 400)
                    .containsEntry(Plain.TIMEOUT, 15_000).containsEntry(Plain.LEVEL, 1);
            assertThat(php.orders).as("nothing of its levers changed").isZero();
            assertThat(executor.epoch()).isEqualTo(1);
            assertThat(kinds()).containsExactly("intent", "applied");
            assertThat(entries().get(0)).isEqualTo(new Entry.Intent(wall, new Entry.Request("d-1",
                    "DECISION", "MITIGATE", "because"), Optional.of(BASE), Optional.of(AWAY), Optional.empty()));
        }
    }

    @Test
    void refusesValuesOutsideTheBoundsFromEveryCaller() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            for (Origin origin : Origin.values()) {
                Result result = executor.execute(new ChangeRequest("x", origin, "APPLY", "r",
                        BASE.with(Plain.THREADS, 299), false, Optional.empty()));
                assertThat(result).isInstanceOf(Result.Refused.class);
                assertThat(result.text()).contains("threads 299").contains("300");
            }
            assertThat(httpd.orders).isZero();
        }
    }

    @Test
    void aLeverThatIsNotAllowedIsNotEvenPutBack() throws Exception {
        Settings idle = Plain.settings(1, 1, 1, 0);      // as read where the file says nothing of them
        Limits ladder = new Limits(idle, new Bounds(idle, idle.with(Plain.LEVEL, 4)), Set.of(Plain.LEVEL),
                Duration.ZERO, 5);
        try (Journal journal = journal(); Executor executor = new Executor(Map.of("web.httpd", httpd), ladder, journal,
                Clock.fixed(wall, ZoneOffset.UTC), nanos::get)) {
            for (Origin origin : Origin.values()) {
                assertThat(executor.execute(new ChangeRequest("x", origin, "MITIGATE", "r", idle.with(Plain.LEVEL, 2),
                        false, Optional.empty()))).isInstanceOf(Result.Applied.class);
                assertThat(executor.execute(new ChangeRequest("x", origin, "RESTORE", "r", idle, true, Optional.empty())))
                        .isInstanceOf(Result.Applied.class);
            }
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650)
                    .containsEntry(Plain.TIMEOUT, 5000).containsEntry(Plain.LEVEL, 0);
        }
    }

    @Test
    void keepsTheCoolDownButNeverForARestore() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", AWAY));
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
            Result early = executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2)));
            assertThat(early).isInstanceOf(Result.Refused.class);
            assertThat(early.text()).contains("cool-down");
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("MITIGATE", AWAY))).isInstanceOf(Result.Applied.class);
        }
    }

    @Test
    void aStepBackThatWasTooEarlyIsTakenBackWithinTheCoolDown() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2)));
            nanos.addAndGet(Duration.ofSeconds(60).toNanos());
            executor.execute(order("STEP_DOWN", AWAY.with(Plain.LEVEL, 1)));
            nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            assertThat(executor.execute(order("STEP_UP", AWAY.with(Plain.LEVEL, 2)))).isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            assertThat(executor.execute(order("STEP_UP", AWAY.with(Plain.LEVEL, 3))).text()).contains("cool-down");
            assertThat(executor.actionsInLastHour()).isEqualTo(3);
        }
    }

    @Test
    void keepsTheBudgetOverARestartAndNeverRefusesARestore() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            for (int i = 0; i < 4; i++) {
                executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 1 + i % 2)));
                nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            }
        }
        wall = wall.plusSeconds(60);
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            assertThat(executor.actionsInLastHour()).isEqualTo(4);
            assertThat(executor.epoch()).as("epochs go on").isEqualTo(4);
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 3))))
                    .isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            Result spent = executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 4)));
            assertThat(spent).isInstanceOf(Result.Refused.class);
            assertThat(spent.text()).isEqualTo("budget: 5 of 5 actions in the last hour; held back until 2026-01-01T00:59:50Z");
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(executor.execute(order("MITIGATE", AWAY))).isInstanceOf(Result.Applied.class);
        }
    }

    private static ChangeRequest byHand(Settings desired) {
        return ChangeRequest.byHand(desired, "because", "uid 1000 (ann)");
    }

    @Test
    void trialsOfPeopleDoNotSpendTheBudgetOfTheAgent() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            for (int trial = 0; trial < 8; trial++) {
                for (int level = 1; level <= 4; level++) {
                    assertThat(executor.execute(byHand(BASE.with(Plain.LEVEL, level)))).isInstanceOf(Result.Applied.class);
                }
                executor.execute(ChangeRequest.restore("check", Origin.OPERATOR, "tried", BASE));
                nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            }
            assertThat(executor.actionsInLastHour()).isZero();
            assertThat(executor.budget()).isEqualTo(new BudgetUse(0, 8, 5, Optional.empty()));
            assertThat(executor.execute(order("MITIGATE", AWAY))).isInstanceOf(Result.Applied.class);
        }
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            assertThat(executor.budget()).as("after a restart").matches(use -> use.actions() == 1 && use.byHand() == 8 && !use.spent());
        }
    }

    @Test
    void peopleHaveABudgetOfTheirOwnAndTheWayBackIsAlwaysOpen() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            for (int i = 0; i < 60; i++) {
                assertThat(executor.execute(byHand(AWAY))).isInstanceOf(Result.Applied.class);
                assertThat(executor.execute(byHand(BASE))).isInstanceOf(Result.Applied.class);
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            Result refused = executor.execute(byHand(AWAY));
            assertThat(refused).isInstanceOf(Result.Refused.class);
            assertThat(refused.text()).isEqualTo("budget: the baseline was left by hand 60 times in the last hour, and 60 are allowed"
                    + " (safety.actions-per-hour); held back until 2026-01-01T00:59:01Z; \"ic2 restore\" always works");
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("MITIGATE", AWAY))).as("the agent's").isInstanceOf(Result.Applied.class);
            assertThat(executor.execute(byHand(AWAY.with(Plain.LEVEL, 2)))).as("further away: not left anew").isInstanceOf(Result.Applied.class);
            assertThat(executor.execute(byHand(BASE))).isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(executor.execute(byHand(AWAY))).isInstanceOf(Result.Applied.class);
        }
    }

    @Test
    void theNextExecutorOfTheSameProcessGoesOnWithEpochAndBudget() throws Exception {
        try (Journal journal = journal()) {
            try (Executor executor = executor(journal)) {
                executor.execute(order("MITIGATE", AWAY));
            }
            try (Executor next = executor(journal)) {
                assertThat(next.epoch()).isEqualTo(1);
                assertThat(next.actionsInLastHour()).isEqualTo(1);
            }
        }
    }

    @Test
    void aClockStepBackNeitherLiftsNorProlongsTheCoolDown() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", AWAY));
        }
        wall = wall.minus(Duration.ofDays(30));     // the clock was set back between two runs
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2))))
                    .as("an action in the future counts as just now").isInstanceOf(Result.Refused.class);
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2))))
                    .isInstanceOf(Result.Applied.class);
        }
    }

    @Test
    void rollsBackWhenTheServerIgnoresTheOrder() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            httpd.manner = FakeActuator.Manner.IGNORES;
            Result result = executor.execute(order("MITIGATE", AWAY));
            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(((Result.Failed) result).running()).contains(BASE);
            assertThat(result.text()).contains("threads should be 400 and is 650");
            assertThat(kinds()).containsExactly("intent", "failed");
        }
    }

    @Test
    void anExecutorOfANewConfigurationGoesOnCountingAndLettingRest() throws Exception {
        php.rest = Duration.ofSeconds(120);
        Settings all = AWAY.with(Plain.POOL, 400);
        try (Journal journal = journal(); Executor first = executor(journal)) {
            assertThat(first.execute(order("MITIGATE", all))).isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
            httpd.manner = FakeActuator.Manner.DEAD;
            try (Executor next = executor(journal)) {
                next.continueFrom(first);
                assertThat(next.epoch()).isEqualTo(1);
                assertThat(next.actionsInLastHour()).isEqualTo(1);
                assertThat(next.believed()).isEqualTo(all);
                assertThat(next.unknown()).containsExactlyElementsOf(first.unknown());
                httpd.manner = FakeActuator.Manner.OBEYS;
                assertThat(next.execute(order("ESCALATE", all.with(Plain.LEVEL, 2))).text()).contains("cool-down");
                nanos.addAndGet(Duration.ofSeconds(6).toNanos());
                assertThat(next.execute(order("ESCALATE", AWAY.with(Plain.POOL, 300))).text())
                        .contains("rests");
            }
        }
    }

    @Test
    void rollsBackTheFirstServerWhenTheSecondRefuses() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            php.manner = FakeActuator.Manner.REFUSES;
            Result result = executor.execute(order("MITIGATE", AWAY.with(Plain.POOL, 400)));
            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(result.text()).contains("not with me");
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650).containsEntry(Plain.LEVEL, 0);
        }
    }

    @Test
    void aRestoreTriesEveryServerThoughOneIsDead() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", AWAY.with(Plain.POOL, 400)));
            httpd.manner = FakeActuator.Manner.DEAD;
            Result result = executor.execute(order("RESTORE", BASE));
            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(result.text()).contains("connection refused");
            assertThat(php.values).containsEntry(Plain.POOL, 50);
        }
        assertThat(JournalReplay.of(new JournalReader(BASE.knobs()).latest(file), BASE).leftBehind()).isPresent();
    }

    @Test
    void aRestoreAsksEveryServerBeforeItWaitsForOne() throws Exception {
        List<Integer> askedOfPhp = new ArrayList<>();
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            httpd.beforeRead = () -> {
                if (httpd.orders > 0) {
                    askedOfPhp.add(php.orders);
                }
            };
            executor.execute(order("MITIGATE", AWAY.with(Plain.POOL, 400)));
            assertThat(askedOfPhp).as("on the way out one after the other").containsExactly(0);
            httpd.orders = 0;
            askedOfPhp.clear();
            httpd.manner = FakeActuator.Manner.IGNORES;
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Failed.class);
            assertThat(askedOfPhp).hasSizeGreaterThan(1).containsOnly(2);
            assertThat(php.values).containsEntry(Plain.POOL, 50);
        }
    }

    @Test
    void aServerThatCannotBeReadHoldsUpNothingThatDoesNotMoveIt() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", AWAY));
            php.manner = FakeActuator.Manner.DEAD;
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2))))
                    .isInstanceOf(Result.Applied.class);
            assertThat(php.reads).as("it is not even asked").isZero();
            assertThat(executor.execute(order("RESTORE", BASE.with(Plain.LEVEL, 2))))
                    .isInstanceOf(Result.Applied.class);
            assertThat(executor.execute(order("STEP_DOWN", BASE.with(Plain.LEVEL, 1))))
                    .isInstanceOf(Result.Applied.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650).containsEntry(Plain.LEVEL, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RESTORE", "UNDO"})
    void aPartOfTheWayBackIsGoneThoughAServerOnItIsDead(String action) throws Exception {
        Settings all = AWAY.with(Plain.POOL, 400).with(Plain.LEVEL, 2);
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            assertThat(executor.execute(order("MITIGATE", all))).isInstanceOf(Result.Applied.class);
            php.manner = FakeActuator.Manner.DEAD;
            Result result = executor.execute(order(action, BASE.with(Plain.LEVEL, 2)));
            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(result.text()).contains("connection refused").doesNotContain("rolled back");
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650)
                    .containsEntry(Plain.TIMEOUT, 5000).containsEntry(Plain.LEVEL, 2);
            assertThat(executor.believed()).isEqualTo(BASE.with(Plain.POOL, 400)
                    .with(Plain.LEVEL, 2));
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            Result away = executor.execute(order("MITIGATE", AWAY.with(Plain.POOL, 300)));
            assertThat(away).as("away from it goes what can be read back").isInstanceOf(Result.Applied.class);
            assertThat(away.text()).contains("threads 400", "pool 400",
                    "left out: fake server: connection refused");
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.POOL, 300))))
                    .isInstanceOf(Result.Refused.class);
        }
    }

    @Test
    void aLeverOfAnActuatorThatRestsIsLeftOutAndTheOthersMove() throws Exception {
        php.rest = Duration.ofSeconds(120);
        Settings all = AWAY.with(Plain.POOL, 400);
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", all));
            assertThat(executor.execute(order("RESTORE", BASE))).as("the way back never rests")
                    .isInstanceOf(Result.Applied.class);
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            Result result = executor.execute(order("MITIGATE", all));
            assertThat(result).isInstanceOf(Result.Applied.class);
            assertThat(result.text()).contains("left out: fake server was changed 11 s ago").contains("rests for 120 s");
            assertThat(httpd.values).containsEntry(Plain.THREADS, 400).containsEntry(Plain.LEVEL, 1);
            assertThat(php.values).containsEntry(Plain.POOL, 50);
            List<Entry> entries = entries();
            assertThat(((Entry.Intent) entries.get(4)).desired()).contains(AWAY);
            assertThat(((Entry.Applied) entries.get(5)).leftOut()).contains("rests for 120 s");
        }
    }

    @Test
    void aJournalThatTakesNothingStopsEverythingButARestore() throws Exception {
        Files.createSymbolicLink(file, Path.of("/dev/full"));
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            Result result = executor.execute(order("MITIGATE", AWAY));
            assertThat(result).isInstanceOf(Result.Refused.class);
            assertThat(result.text()).contains("without a journal");
            assertThat(httpd.orders).isZero();
            assertThat(journal.failure()).contains("expected a regular file");
            httpd.values.put(Plain.THREADS, 400);
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650);
        }
    }

    @Test
    void aLineCutShortByACrashSpoilsNothing() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            executor.execute(order("MITIGATE", AWAY));
        }
        Files.writeString(file, "{\"time\":\"2026-01-01T00:00:00Z\",\"kind\":\"inte", StandardOpenOption.APPEND);
        try (Journal journal = journal()) {
            assertThat(journal.history()).hasSize(2);
            journal.append(new Entry.Resume(wall, "handed back", "me"));
            assertThat(kinds()).containsExactly("intent", "applied", "resume");
        }
    }

    @Test
    void aCrashInTheMiddleOfAnApplyIsSeenByTheNextStart() throws Exception {
        try (Journal journal = journal()) {
            journal.append(new Entry.Intent(wall, new Entry.Request("d-7", "DECISION", "MITIGATE", "because"),
                    Optional.of(BASE), Optional.of(AWAY), Optional.empty()));
        }
        JournalReplay past = JournalReplay.of(new JournalReader(BASE.knobs()).latest(file), BASE);
        assertThat(past.leftBehind()).get().asString().contains("middle of d-7").contains("threads 400");
        assertThat(past.actions()).hasSize(1);
        assertThat(past.lastAway()).isPresent();
    }

    @Test
    void aLongJournalIsShortenedAndStillKnowsManualMode() throws Exception {
        StringBuilder old = new StringBuilder();
        String filler = "x".repeat(10_000);
        for (int i = 0; i < 1700; i++) {
            old.append("{\"time\":\"2025-01-01T00:00:00Z\",\"kind\":\"note\",\"text\":\"").append(filler).append("\"}\n");
        }
        old.append("{\"time\":\"2025-01-01T00:00:00Z\",\"kind\":\"manual\",\"reason\":\"by hand\"}\n");
        Files.writeString(file, old);
        try (Journal journal = journal()) {
            assertThat(JournalReplay.of(journal.history(), BASE).manual()).contains("by hand");
            assertThat(Files.size(file)).isLessThan(3_000_000);
            assertThat(Files.size(file.resolveSibling("journal.jsonl.1"))).isEqualTo(old.length());
        }
    }

    @Test
    void oneAgentAtATime() throws Exception {
        try (Journal journal = journal()) {
            assertThatThrownBy(this::journal).isInstanceOf(IOException.class).hasMessageContaining("another agent");
            assertThat(journal.failure()).isNull();
        }
    }

    @Test
    void anOrderWithoutAnOutcomeIsUnknownUntilAnotherOneIsInForce() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            httpd.manner = FakeActuator.Manner.SILENT;
            Result result = executor.execute(order("MITIGATE", AWAY.with(Plain.POOL, 400)));
            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(((Result.Failed) result).running()).as("a reading tells nothing").isEmpty();
            assertThat(httpd.orders).as("one deadline a turn").isEqualTo(1);
            httpd.manner = FakeActuator.Manner.OBEYS;
            assertThat(executor.readRunning()).isEqualTo(BASE);
            assertThat(executor.open()).containsExactlyInAnyOrderElementsOf(httpd.levers());
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            assertThat(executor.execute(order("ESCALATE", AWAY.with(Plain.LEVEL, 2))).text())
                    .contains("unknown", "the baseline comes first");
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            assertThat(httpd.orders).as("though the server showed the baseline").isEqualTo(2);
            assertThat(executor.isAtBaseline()).isTrue();

            httpd.arrive();
            executor.readRunning();
            assertThat(executor.open()).as("what comes late is our own").isNotEmpty();
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650).containsEntry(Plain.LEVEL, 0);
        }
    }

    @Test
    void anInterruptedOrderHasNoOutcomeAndTheJournalSaysSo() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            httpd.manner = FakeActuator.Manner.SLOW;
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> executor.execute(order("MITIGATE", AWAY))).isInstanceOf(InterruptedException.class);
            assertThat(kinds()).containsExactly("intent", "failed");
            assertThat(JournalReplay.of(journal.history(), BASE).open()).containsExactly(AWAY.without(Set.of(Plain.POOL)));
            httpd.manner = FakeActuator.Manner.OBEYS;
            assertThat(executor.execute(ChangeRequest.restore("exit", Origin.EXIT, "ends", BASE)))
                    .isInstanceOf(Result.Applied.class);
            assertThat(httpd.orders).isEqualTo(2);
            assertThat(JournalReplay.of(journal.history(), BASE).leftBehind()).isEmpty();
        }
    }

    @Test
    void anOrderOfAKilledAgentIsOpenForTheNextOne() throws Exception {
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            httpd.manner = FakeActuator.Manner.SILENT;
            executor.execute(order("MITIGATE", AWAY));
            php.manner = FakeActuator.Manner.OBEYS;
            executor.execute(order("RESTORE", BASE.with(Plain.LEVEL, 1)));
        }
        httpd.manner = FakeActuator.Manner.OBEYS;
        try (Journal journal = journal(); Executor executor = executor(journal)) {
            assertThat(JournalReplay.of(journal.history(), BASE).leftBehind()).isPresent();
            executor.readRunning();
            assertThat(executor.open()).containsExactlyInAnyOrderElementsOf(httpd.levers());
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            assertThat(httpd.orders).isEqualTo(3);
            assertThat(php.orders).as("nothing was sent there").isZero();
            assertThat(JournalReplay.of(journal.history(), BASE).leftBehind()).isEmpty();
        }
    }

    @Test
    void anIndependentActuatorFailsAlone() throws Exception {
        php.manner = FakeActuator.Manner.REFUSES;
        try (Journal journal = journal(); Executor executor = Executor.ofIndependent(actuators(), SAFETY, journal,
                Clock.fixed(wall, ZoneOffset.UTC), nanos::get)) {
            Settings desired = AWAY.with(Plain.POOL, 60);
            Result result = executor.execute(new ChangeRequest("x", Origin.DECISION, "APPLY", "r", desired, false,
                    Optional.empty()));

            assertThat(result).isInstanceOf(Result.Failed.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 400);
            assertThat(executor.believed()).isEqualTo(AWAY);
            assertThat(entries().get(1).running()).contains(AWAY);
        }
    }

    @Test
    void aBaselineOutsideTheBoundsIsRestored() throws Exception {
        Limits narrow = new Limits(BASE, new Bounds(Plain.settings(300, 5000, 50, 0), Plain.settings(500, 30_000, 400, 4)),
                Plain.TIER, Duration.ZERO, 5);
        try (Journal journal = journal(); Executor executor = new Executor(Map.of("web.httpd", httpd), narrow, journal,
                Clock.fixed(wall, ZoneOffset.UTC), nanos::get)) {
            assertThat(executor.execute(order("MITIGATE", AWAY))).isInstanceOf(Result.Applied.class);
            assertThat(executor.execute(order("RESTORE", BASE))).isInstanceOf(Result.Applied.class);
            assertThat(httpd.values).containsEntry(Plain.THREADS, 650);
        }
    }
}
