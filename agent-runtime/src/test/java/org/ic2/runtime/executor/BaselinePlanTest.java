// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.executor.ChangeRequest.Origin;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plan for the agent's death says what the journal says, and is there before the first command; and what was done by it is known. */
class BaselinePlanTest {

    private static final Settings BASE = Plain.settings(650, 5000, 50, 0);
    private static final Settings AWAY = BASE.with(Plain.THREADS, 400).with(Plain.LEVEL, 3);
    private static final Limits LIMITS = new Limits(BASE, new Bounds(Plain.settings(300, 5000, 50, 0), Plain.settings(650, 30_000, 400, 4)),
            Plain.TIER, Duration.ofSeconds(10), 50);
    private static final String NOTHING = "state baseline\nend\n";

    private final FakeActuator httpd = new FakeActuator(BASE, Plain.THREADS, Plain.TIMEOUT, Plain.LEVEL);
    private final FakeActuator php = new FakeActuator(BASE, Plain.POOL);
    private final Map<String, Actuator> actuators = new LinkedHashMap<>();
    private final AtomicLong nanos = new AtomicLong();

    @TempDir
    private Path directory;

    private Path file;
    private Journal journal;
    private Executor executor;

    @BeforeEach
    void start() throws Exception {
        Map<Knob, RestoreRoute.Name> names = Map.of(Plain.THREADS, new RestoreRoute.Name("MaxRequestWorkers", "-", "MaxRequestWorkers"),
                Plain.TIMEOUT, new RestoreRoute.Name("KeepAliveTimeout", "ms", "KeepAliveTimeoutMs"),
                Plain.LEVEL, new RestoreRoute.Name("MITIGATION", "-", RestoreRoute.VARIABLE));
        httpd.route = RestoreRoute.helper(Endpoint.parse("/run/helper.sock"), URI.create("http://127.0.0.1:81/status?auto"), names);
        actuators.put("web.httpd", httpd);
        actuators.put("web.php", php);
        file = directory.resolve("journal.jsonl");
        open(true, true);
    }

    private void open(boolean restores, boolean local) throws IOException {
        journal = new Journal(file, Clock.systemUTC(), BASE.knobs());
        BaselineOutcome.takeUp(journal, BASE.knobs(), BASE);
        executor = new Executor(actuators, LIMITS, journal, Clock.systemUTC(), nanos::get);
        journal.accompany(new BaselinePlan(file, actuators, LIMITS, restores, local, Set.of(Path.of("/run/ic2/locks/the+httpd"))));
    }

    @AfterEach
    void end() throws Exception {
        journal.close();
    }

    private Path plan() {
        return directory.resolve("baseline.plan");
    }

    /** Without the lines that name the form and the plan. */
    private String planned() throws IOException {
        String text = Files.readString(plan());
        assertThat(text).startsWith("ic2-baseline 1\nid ");
        return text.substring(text.indexOf("state "));
    }

    private Result order(Settings desired) throws Exception {
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());
        return executor.execute(new ChangeRequest("d-1", Origin.DECISION, "MITIGATE", "because", desired, desired.equals(BASE), Optional.empty()));
    }

    private JournalReplay past() {
        return JournalReplay.of(journal.history(), BASE);
    }

    /** As ic2-baseline writes it. */
    private void outcome(String lines) throws IOException {
        String id = Files.readString(plan()).lines().skip(1).findFirst().orElseThrow();
        Files.writeString(directory.resolve("baseline.outcome"), "ic2-baseline 1\n" + id + "\nbegun 1790000000000\nmillis 31\n" + lines + "end\n");
    }

    private void killAndStart() throws IOException {
        journal.close();
        open(true, true);
    }

    @Test
    void thePlanIsThereWhenTheServerIsAskedAndSaysWhatIsInForceAfterwards() throws Exception {
        String[] seen = new String[1];
        httpd.beforeRead = () -> {
            try {
                seen[0] = Files.exists(plan()) ? planned() : null;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThat(order(AWAY)).isInstanceOf(Result.Applied.class);
        String httpdLines = """
                lock %s/journal.jsonl.lock
                lock /run/ic2/locks/the+httpd
                helper web.httpd /run/helper.sock http://127.0.0.1:81/status?auto
                knob threads 650 MaxRequestWorkers - MaxRequestWorkers %s
                knob timeout 5000 KeepAliveTimeout ms KeepAliveTimeoutMs 5000
                knob level 0 MITIGATION - variable %s
                end
                """;
        assertThat(seen[0]).isEqualTo("state away\nopen\n" + httpdLines.formatted(directory, "400,650", "0,3"));
        assertThat(planned()).isEqualTo("state away\n" + httpdLines.formatted(directory, "400", "3"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(plan()))).isEqualTo("rw-------");
        assertThat(order(BASE)).isInstanceOf(Result.Applied.class);
        assertThat(planned()).isEqualTo(NOTHING);
    }

    @Test
    void withoutTheAgentTheKnobsThatOnlyItCanRestoreAreNamed() throws Exception {
        order(AWAY);
        assertThat(planned()).doesNotContain("rest ");
        order(AWAY.with(Plain.POOL, 100));
        assertThat(planned()).contains("rest web.php\n").contains("helper web.httpd");
        order(BASE.with(Plain.POOL, 100));
        assertThat(planned()).contains("rest web.php\n").doesNotContain("helper");
    }

    @Test
    void withAnUnknownOutcomeEachPossibleValueIsTheAgents() throws Exception {
        order(AWAY);
        httpd.manner = FakeActuator.Manner.SILENT;
        assertThat(order(AWAY.with(Plain.LEVEL, 4))).isInstanceOf(Result.Failed.class);
        assertThat(planned()).startsWith("state away\nopen\n").contains("knob level 0 MITIGATION - variable 3,4\n");
    }

    @Test
    void withoutAPlanNothingIsAppliedButTheWayBack() throws Exception {
        order(AWAY);
        Files.delete(plan());
        Files.createDirectories(plan().resolve("full"));
        int orders = httpd.orders;
        assertThat(order(AWAY.with(Plain.LEVEL, 4)).text()).contains("nothing is applied without a journal")
                .contains("cannot write " + plan() + ", from which the baseline is restored");
        assertThat(httpd.orders).isEqualTo(orders);
        assertThat(journal.failure()).contains(plan().toString());
        assertThat(order(BASE)).isInstanceOf(Result.Applied.class);
        assertThat(Settings.of(httpd.values)).isEqualTo(BASE.only(httpd.levers()));
    }

    @Test
    void aPlanThatIsNotTrueAnyMoreAndCannotBeReplacedIsRemoved() throws Exception {
        order(AWAY);
        Files.createDirectories(directory.resolve("baseline.plan.new").resolve("in the way"));
        journal.append(new Entry.Manual(Instant.now(), "by hand", Optional.empty(), ""));
        assertThat(plan()).doesNotExist();
    }

    @Test
    void valuesOfAPersonAreNotRestoredUntilManualModeEnds() throws Exception {
        order(AWAY);
        journal.append(new Entry.Manual(Instant.now(), "by hand", Optional.empty(), ""));
        assertThat(planned()).isEqualTo(NOTHING);
        journal.append(new Entry.Resume(Instant.now(), "a person handed back", ""));
        assertThat(planned()).startsWith("state away\nlock ");
    }

    @Test
    void anAgentThatKeepsWhatItHasSetLeavesNothingToRestore() throws Exception {
        journal.close();
        open(false, true);
        order(AWAY);
        assertThat(planned()).isEqualTo(NOTHING);
    }

    @Test
    void serversElsewhereAreLeftToTheAgent() throws Exception {
        journal.close();
        open(true, false);
        order(AWAY);
        assertThat(planned()).contains("rest web.httpd\n").doesNotContain("helper");
    }

    @Test
    void aPageBehindTlsOrANameIsLeftToTheAgent() {
        for (String page : List.of("https://127.0.0.1/status?auto", "http://web.example/status?auto")) {
            assertThat(RestoreRoute.map("/map", URI.create(page), Plain.LEVEL, Map.of())).as(page).isEmpty();
        }
        assertThat(RestoreRoute.map("/map", URI.create("http://[::1]:81/status?auto"), Plain.LEVEL, Map.of())).isPresent();
        assertThat(RestoreRoute.helper(Endpoint.parse("127.0.0.1:82"), URI.create("http://localhost/status?auto"), Map.of())).isEmpty();
    }

    @Test
    void theJournalLearnsWhatWasRestoredAndNothingIsLeftBehind() throws Exception {
        order(AWAY);
        long epoch = past().epoch();
        outcome("knob threads 650 restored\nknob timeout 5000 same\nknob level 0 restored\n");
        killAndStart();
        assertThat(past().leftBehind()).isEmpty();
        assertThat(past().inForce()).contains(BASE);
        assertThat(past().epoch()).isEqualTo(epoch + 1);
        assertThat(past().actions()).contains(Instant.ofEpochMilli(1_790_000_000_000L));
        assertThat(Files.readString(file)).contains("ic2-baseline restored the baseline");
        assertThat(directory.resolve("baseline.outcome")).doesNotExist();
        assertThat(plan()).doesNotExist();
    }

    @Test
    void valuesSetByAPersonAreInForceInManualMode() throws Exception {
        order(AWAY);
        outcome("knob threads 500 foreign\nknob timeout 5000 same\nknob level 0 restored\n");
        killAndStart();
        assertThat(past().inForce()).contains(BASE.with(Plain.THREADS, 500));
        assertThat(past().manual()).contains("after the agent had ended somebody else set threads 500");
    }

    @Test
    void openRestoresStayOpen() throws Exception {
        order(AWAY);
        outcome("knob timeout 5000 same\nleft web.httpd no answer\n");
        killAndStart();
        assertThat(past().leftBehind()).isPresent();
        assertThat(past().open()).isNotEmpty();
        assertThat(Files.readString(file)).contains("no answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "knob level 0\n", "knob thread-pool 1 restored\n", "knob level 0 open\n",
        "knob level 9999999999 same\n", "left\n", "end\n"})
    void anOutcomeThatMakesNoSenseChangesNothing(String lines) throws Exception {
        order(AWAY);
        outcome(lines.isEmpty() ? "knob level 0 same\nno " : lines);
        killAndStart();
        assertThat(past().leftBehind()).isPresent();
        assertThat(directory.resolve("baseline.outcome")).doesNotExist();
    }

    @Test
    void anOutcomeOfAnEarlierPlanChangesNothing() throws Exception {
        order(AWAY);
        outcome("knob threads 650 restored\nknob level 0 restored\n");
        order(AWAY.with(Plain.LEVEL, 4));
        killAndStart();
        assertThat(past().leftBehind()).isPresent();
    }

    @Test
    void anOutcomeIsNoNewsInManualMode() throws Exception {
        order(AWAY);
        outcome("knob threads 650 restored\nknob level 0 restored\n");
        String planned = Files.readString(plan());
        journal.append(new Entry.Manual(Instant.now(), "by hand", Optional.empty(), ""));
        Files.writeString(plan(), planned);
        killAndStart();
        assertThat(past().inForce()).contains(AWAY);
    }
}
