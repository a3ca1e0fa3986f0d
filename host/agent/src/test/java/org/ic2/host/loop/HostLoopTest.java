// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.control.FleetHost;
import org.ic2.host.fleet.FleetJson;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop on a host in memory, with the joint controller. */
class HostLoopTest {

    private static final String UUID = "7f3a0d52-1f0b-4c0e-9d3c-0b6d0c7a1e55";
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private final AtomicLong seconds = new AtomicLong();
    private Journal journal;
    private Guest web;
    private HostRecorder recorder;

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
            return BEGIN.plusSeconds(seconds.get());
        }
    };

    @BeforeEach
    void begin() throws Exception {
        web = host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        journal = new Journal(directory.resolve("journal.jsonl"), clock, Set.of());
        recorder = new HostRecorder(directory.resolve("rec.jsonl"), "fake", host.memory(), host.pools());
    }

    @AfterEach
    void end() throws Exception {
        recorder.close();
        journal.close();
    }

    private HostConfig config(Mode mode) throws Exception {
        return config(mode, "");
    }

    private HostConfig config(Mode mode, String more) throws Exception {
        return HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                guests: {web: {class: LS1, memory: [100MiB, 1GiB], cpu: [0.1, 0.9]}}
                controllers: {joint: {guests: [web], knobs: [cap], take: always}}
                journal: journal.jsonl
                """ + more).withMode(mode);
    }

    private HostLoop loop(Mode mode) throws Exception {
        return loop(config(mode));
    }

    private HostLoop loop(HostConfig config) throws Exception {
        HostLoop loop = new HostAgent(config, new HostAgent.Surroundings(host, journal,
                new Snapshot(directory.resolve("snapshot.json"), "boot"), clock, () -> seconds.get() * 1_000_000_000,
                Optional.of(recorder))).loop();
        loop.start("");
        return loop;
    }

    private void turns(HostLoop loop, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            seconds.addAndGet(3);
            loop.turn();
        }
    }

    private long written(String kind) throws Exception {
        long[] count = {0};
        new JournalReader(Set.of()).all(journal.file(), line -> count[0] += line.entry().kind().equals(kind) ? 1 : 0);
        return count[0];
    }

    @Test
    void inModeActTheCapFollowsTheUseAndIsRestoredAtTheEnd() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 5);

        assertThat(host.value(KnobKind.CAP, web)).isBetween(500, 890);
        assertThat(written("applied")).isPositive();

        assertThat(loop.stop("the test ends").isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, web)).isZero();
    }

    /** The use goes up and down, and the cap with it. */
    private void busyTurns(HostLoop loop, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            host.measured.put(GuestMetric.CPU_RUN, seconds.get() / 30 % 2 == 0 ? 0.2 : 0.8);
            turns(loop, 1);
        }
    }

    /** Turns until so many changes of the last hour are made. */
    private void spend(HostLoop loop, int changes) throws InterruptedException {
        for (int turn = 0; loop.last().map(HostTurn::actions).orElse(0) < changes; turn++) {
            assertThat(turn).as("the cap stands still").isLessThan(100);
            busyTurns(loop, 1);
        }
    }

    private List<String> held(HostLoop loop) {
        return loop.last().orElseThrow().held();
    }

    @Test
    void whenTheBudgetIsSpentAllIsRestoredAndBeginsAgainWhenAQuarterIsFree() throws Exception {
        HostLoop loop = loop(config(Mode.ACT, "safety: {actions-per-hour: 8}\n"));
        spend(loop, 2);
        long second = seconds.get();
        spend(loop, 8);
        assertThat(host.value(KnobKind.CAP, web)).as("the last change that is allowed").isNotZero();
        assertThat(held(loop)).isEmpty();

        busyTurns(loop, 1);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        assertThat(held(loop)).containsExactly("8 changes in the last hour, and safety.actions-per-hour is 8: nothing but a restore is done until no more than 6 are left of them");
        int orders = host.orders.size();
        busyTurns(loop, 500);
        assertThat(host.orders).as("nothing is moved while it rests").hasSize(orders);

        seconds.set(second + 3598);     // in the next turn two of the nine are more than an hour ago; the restore is one of them
        busyTurns(loop, 1);
        assertThat(held(loop)).singleElement().asString().startsWith("7 changes");
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        for (int turn = 0; turn < 100 && !held(loop).isEmpty(); turn++) {
            busyTurns(loop, 1);
        }
        busyTurns(loop, 1);
        assertThat(held(loop)).isEmpty();
        assertThat(host.value(KnobKind.CAP, web)).isNotZero();
    }

    @Test
    void aGuestThatIsNotRestoredForAPauseIsAskedAgain() throws Exception {
        HostLoop loop = loop(config(Mode.ACT, "safety: {actions-per-hour: 2}\n"));
        spend(loop, 2);
        host.manner = FakeBackend.Manner.REFUSES;
        busyTurns(loop, 1);
        int orders = host.orders.size();
        busyTurns(loop, 19);
        assertThat(host.orders).as("not each turn").hasSize(orders);
        assertThat(host.value(KnobKind.CAP, web)).isNotZero();

        host.manner = FakeBackend.Manner.OBEYS;
        busyTurns(loop, 1);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
    }

    @Test
    void inModeAdviseNothingIsWrittenToTheHost() throws Exception {
        HostLoop loop = loop(Mode.ADVISE);
        turns(loop, 5);
        loop.stop("the test ends");

        assertThat(host.orders).isEmpty();
        assertThat(directory.resolve("snapshot.json")).doesNotExist();
        assertThat(written("decision")).isPositive();
        assertThat(written("intent")).isZero();
    }

    @Test
    void inModeObserveNobodyIsAsked() throws Exception {
        HostLoop loop = loop(Mode.OBSERVE);
        turns(loop, 3);

        assertThat(host.orders).isEmpty();
        assertThat(written("decision")).isZero();
        assertThat(loop.last().orElseThrow().decided().proposals()).isEmpty();
    }

    @Test
    void aTurnThatIsInterruptedWhileItMeasuresSaysNothingOfTheHost() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 1);
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(loop::turn).isInstanceOf(InterruptedException.class);
        } finally {
            Thread.interrupted();
        }

        assertThat(loop.fault()).isEmpty();
    }

    @Test
    void whatCannotBeMeasuredStopsTheControllersAndIsSaid() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 2);
        int orders = host.orders.size();
        host.unreadable = true;
        turns(loop, 3);

        assertThat(loop.fault()).contains("the host cannot be measured: no answer");
        assertThat(host.orders).hasSize(orders);
        host.unreadable = false;
        turns(loop, 1);
        assertThat(loop.fault()).isEmpty();
    }

    @Test
    void poolsThatCouldNotBeReadAtFirstAreReadInTheNextTurn() throws Exception {
        HostLoop loop = loop(Mode.ADVISE);
        host.poolsUnreadable = true;
        turns(loop, 1);
        assertThat(loop.fault()).contains("no pools");
        host.poolsUnreadable = false;
        turns(loop, 1);

        assertThat(loop.last().orElseThrow().view().cpus()).isEqualTo(2);
        assertThat(loop.last().orElseThrow().view().memory()).isEqualTo(host.memory());
    }

    @Test
    void restoredByHandItIsInManualModeUntilResumeAlsoOverAStart() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 2);

        assertThat(loop.restore("a person").isAtBaseline()).isTrue();
        turns(loop, 2);
        assertThat(host.value(KnobKind.CAP, web)).isZero();

        HostLoop next = loop(Mode.ACT);
        assertThat(next.manual()).contains("restored by hand");
        turns(next, 2);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        assertThat(next.resume("a person")).contains("manual mode is over");
        turns(next, 2);
        assertThat(host.value(KnobKind.CAP, web)).isNotZero();
    }

    @Test
    void aStartPutsBackWhatWasLeftInEveryMode() throws Exception {
        for (Mode mode : Mode.values()) {
            turns(loop(Mode.ACT), 3);
            assertThat(host.value(KnobKind.CAP, web)).isNotZero();

            loop(mode);

            assertThat(host.value(KnobKind.CAP, web)).as("in mode %s", mode).isZero();
        }
    }

    @Test
    void aRecordingDecidedAgainDecidesTheSame() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 4);
        loop.restore("a person");
        turns(loop, 2);
        loop.resume("a person");
        turns(loop, 4);
        recorder.close();

        assertThat(Rerun.of(config(Mode.ACT), directory.resolve("rec.jsonl"), line -> { })).isEqualTo(new Rerun.Outcome(10, 0, ""));

        Path other = Files.writeString(directory.resolve("other.jsonl"),
                Files.readString(directory.resolve("rec.jsonl")).replaceFirst("\"cpu.run\":0.5", "\"cpu.run\":0.7"));
        assertThat(Rerun.of(config(Mode.ACT), other, line -> { }).differing()).isPositive();
    }

    @Test
    void adviceOnARecordingIsWhatIsDecidedAtItsEnd() throws Exception {
        HostLoop loop = loop(Mode.OBSERVE);
        turns(loop, 3);
        loop.stop("the test goes on");
        loop = loop(Mode.ADVISE);
        turns(loop, 6);
        recorder.close();

        Advice advice = Adviser.ofRecording(config(Mode.OBSERVE), directory.resolve("rec.jsonl"));

        Advice.Opinion joint = advice.opinions().get(0);
        assertThat(joint.time()).isEqualTo(clock.instant());
        assertThat(joint.wanted()).isNotEmpty().extracting(Advice.Wanted::proposal)
                .isEqualTo(loop.last().orElseThrow().decided().proposals());
        assertThat(joint.wanted()).allSatisfy(wanted -> assertThat(wanted.next()).as("no host is asked").isEmpty());
        assertThat(host.orders).isEmpty();
    }

    @Test
    void adviceIsThereOnARecordingInWhichNobodyWasAsked() throws Exception {
        turns(loop(Mode.OBSERVE), 3);
        recorder.close();

        assertThat(Adviser.ofRecording(config(Mode.ADVISE), directory.resolve("rec.jsonl")).opinions().get(0).wanted()).isNotEmpty();
    }

    @Test
    void statusSaysWhatThereIs() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        HostVerbs verbs = new HostVerbs(() -> loop);
        assertThat(verbs.look(Json.object().put("verb", "status")).path("status").path("mode").asText()).isEqualTo("act");
        turns(loop, 2);

        JsonNode status = verbs.look(Json.object().put("verb", "status")).path("status");
        assertThat(status.path("guests").get(0).path("name").asText()).isEqualTo("web");
        assertThat(status.path("guests").get(0).path("knobs").path("cap").asInt()).isEqualTo(host.value(KnobKind.CAP, web));
        assertThat(verbs.look(Json.object().put("verb", "restore")).path("ok").asBoolean()).isFalse();
        assertThat(verbs.handle(Json.object().put("verb", "dance"), "").path("text").asText()).contains("expected a verb");
        assertThat(verbs.handle(Json.object().put("verb", "restore"), "a person").path("ok").asBoolean()).isTrue();
        assertThat(host.value(KnobKind.CAP, web)).isZero();
    }

    @Test
    void whoCannotBeAGuestIsSaidWhenItBeginsAndWhenItEnds() throws Exception {
        List<String> logged = Collections.synchronizedList(new ArrayList<>());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getLevel() + " " + entry.getMessage());
            }

            @Override
            public void flush() {
                // nothing is kept back
            }

            @Override
            public void close() {
                // holds nothing
            }
        };
        Logger log = Logger.getLogger(RefusedGuests.class.getName());
        log.addHandler(handler);
        try {
            HostLoop loop = loop(Mode.ACT);
            turns(loop, 2);
            assertThat(logged).isEmpty();
            host.refusedGuests.put("domain 7 (\"a?b\")", "its name has a control character");
            turns(loop, 3);
            assertThat(logged).containsExactly("WARNING domain 7 (\"a?b\") is left alone: its name has a control character");
            assertThat(status(loop).path("left_alone").toString()).contains("domain 7 (\\\"a?b\\\") is left alone: its name");
            host.refusedGuests.clear();
            turns(loop, 2);
            assertThat(logged).hasSize(2).last().isEqualTo("INFO domain 7 (\"a?b\") is left alone no longer: it has ended, or is a guest now");
            assertThat(status(loop).path("left_alone")).isEmpty();
            host.refusedGuests.put("domain 7 (\"a?b\")", "again");
            turns(loop, 2);
            assertThat(logged).hasSize(3);
        } finally {
            log.removeHandler(handler);
        }
    }

    private static JsonNode status(HostLoop loop) throws InterruptedException {
        return new HostVerbs(() -> loop).look(Json.object().put("verb", "status")).path("status");
    }

    private HostLoop loopWithContract(Mode mode) throws Exception {
        return loopWithContract(mode, "");
    }

    private HostLoop loopWithContract(Mode mode, String more) throws Exception {
        Files.createDirectories(directory.resolve("words/notice"));
        Files.createDirectories(directory.resolve("words/tenant"));
        HostConfig plain = config(mode);
        HostConfig config = HostConfigReader.parse(plain.source(), """
                backend: {type: xen}
                guests: {web: {class: LS1, memory: [100MiB, 1GiB], cpu: [0.1, 0.9], response-time: 100ms}}
                controllers: {joint: {guests: [web], knobs: [cap], take: always}}
                contract: {type: directory, path: words}
                journal: journal.jsonl
                """ + more).withMode(mode);
        HostLoop loop = new HostAgent(config, new HostAgent.Surroundings(host, journal,
                new Snapshot(directory.resolve("snapshot.json"), "boot"), clock, () -> seconds.get() * 1_000_000_000,
                Optional.of(recorder))).loop();
        loop.start("");
        return loop;
    }

    @Test
    void tenantsAreHeardAndToldAndTheRecordingHasWhatTheySaid() throws Exception {
        HostLoop loop = loopWithContract(Mode.ACT);
        Path notice = directory.resolve("words/notice/web.json");
        double rt = Double.NaN;
        for (int turn = 0; turn < 600 && (Double.isNaN(rt) || !Files.exists(notice) || !(loop.last().orElseThrow().sample().get(web, GuestMetric.APP_BUSY) > 0)
                || !Files.readString(notice).contains("\"knob\":\"cap\"")); turn++) {
            Files.writeString(directory.resolve("words/tenant/web.json"),
                    "{\"v\":1,\"time\":" + turn + ",\"response_time\":0.05,\"requests\":40,\"busy_until\":" + (turn + 1) + "}");
            turns(loop, 1);
            double told = loop.last().orElseThrow().sample().get(web, GuestMetric.APP_RT);
            rt = Double.isNaN(told) ? rt : told;
        }
        assertThat(rt).isEqualTo(0.05);
        assertThat(Files.readString(notice)).contains("\"run\":").contains("\"knob\":\"cap\"");
        assertThat(loop.last().orElseThrow().sample().get(web, GuestMetric.APP_BUSY)).isEqualTo(1);
        loop.restore("a person");
        awaitText(notice, "\"action\":{\"id\":\"by-hand\",\"knob\":\"cap\"");
        loop.stop("the test ends");
        for (long end = System.nanoTime() + 60_000_000_000L; Files.exists(notice) && System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
        assertThat(notice).doesNotExist();
        recorder.close();
        assertThat(Files.readString(directory.resolve("rec.jsonl"))).contains("\"app.rt\":0.05").contains("\"app.busy\":1.0");
        assertThat(Rerun.of(loop.config(), directory.resolve("rec.jsonl"), line -> { }).differing()).isZero();
    }

    /** The restore that a spent budget brings is a move as any other. */
    @Test
    void tenantsAreToldOfTheRestore() throws Exception {
        HostLoop loop = loopWithContract(Mode.ACT, "safety: {actions-per-hour: 2}\n");
        for (int turn = 0; turn < 100 && loop.last().map(HostTurn::actions).orElse(0) < 2; turn++) {
            busyTurns(loop, 1);
        }
        assertThat(host.value(KnobKind.CAP, web)).isNotZero();
        busyTurns(loop, 1);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        assertThat(loop.last().orElseThrow().report().moved()).containsExactly(GuestKnob.of(KnobKind.CAP, web));
        awaitText(directory.resolve("words/notice/web.json"), "\"settled_at\":" + clock.millis() / 1000);
        loop.stop("the test ends");
    }

    private static void awaitText(Path file, String text) throws IOException {
        for (long end = System.nanoTime() + 60_000_000_000L; !Files.readString(file).contains(text); Thread.onSpinWait()) {
            assertThat(System.nanoTime()).as("%s in %s", text, Files.readString(file)).isLessThan(end);
        }
    }

    @Test
    void guestsOfSeveralPoolsArePlacedEachInItsOwnAndARecordingSaysWhere() throws Exception {
        Guest batch = host.start("batch", "2", GuestClass.NLS, 256, 0, 900);
        host.pools.add(new Pool("other", "credit2", List.of(2, 3)));
        host.homes.putAll(Map.of("1", "other", "2", "pool"));
        host.ranges.put(KnobKind.AFFINITY, new Capabilities.Range(0, 3, 1));
        host.guests().forEach(guest -> host.values.put("affinity " + GuestKnob.of(KnobKind.AFFINITY, guest, 0).target().identity(), -1));
        recorder.close();
        Files.delete(directory.resolve("rec.jsonl"));
        recorder = new HostRecorder(directory.resolve("rec.jsonl"), "fake", host.memory(), host.pools());
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                guests: {web: {class: LS1}, batch: {intensity: 1}}
                controllers: {placement: {period: 3s}}
                journal: journal.jsonl
                """).withMode(Mode.ACT);
        HostLoop loop = new HostAgent(config, new HostAgent.Surroundings(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                clock, () -> seconds.get() * 1_000_000_000, Optional.of(recorder))).loop();
        loop.start("");
        turns(loop, 2);
        recorder.close();

        assertThat(host.get(GuestKnob.of(KnobKind.AFFINITY, web, 0))).isEqualTo(2);
        assertThat(host.get(GuestKnob.of(KnobKind.AFFINITY, batch, 0))).isZero();
        assertThat(Rerun.of(config, directory.resolve("rec.jsonl"), line -> { })).isEqualTo(new Rerun.Outcome(2, 0, ""));
    }

    @Test
    void thePoolsOfCpusAreDividedEachAmongItsOwnAndARecordingSaysWhere() throws Exception {
        host.start("db", "2", GuestClass.NLS, 256, 0, 900);
        host.pools.add(new Pool("other", "credit", List.of(2)));
        host.homes.putAll(Map.of("1", "other", "2", "other"));
        recorder.close();
        Files.delete(directory.resolve("rec.jsonl"));
        recorder = new HostRecorder(directory.resolve("rec.jsonl"), "fake", host.memory(), host.pools());
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                guests: {web: {class: LS1, cpu: [0.6, 0.9]}, db: {class: LS2, cpu: [0.6, 0.9]}}
                controllers: {joint: {guests: [web, db], knobs: [cap], take: always}}
                journal: journal.jsonl
                """).withMode(Mode.ACT);
        host.measured.put(GuestMetric.CPU_RUN, 0.9);
        HostLoop loop = loop(config);
        turns(loop, 1);

        assertThat(loop.last().orElseThrow().decided().proposals()).extracting(proposal -> proposal.value()).containsExactly(500, 500);
        assertThat(held(loop)).containsExactly(
                "joint: alarm: cap: in other the minima of web, db are 1200 CPU/1000 together, and there are 1000");

        host.homes.remove("2");
        turns(loop, 1);
        assertThat(held(loop)).containsExactly("joint: db: cap: in which pool of CPUs it lives is not known");
        recorder.close();
        assertThat(Rerun.of(config, directory.resolve("rec.jsonl"), line -> { })).isEqualTo(new Rerun.Outcome(2, 0, ""));
        host.homes.clear();
        Files.writeString(directory.resolve("old.jsonl"),
                Files.readString(directory.resolve("rec.jsonl")).replaceAll("\"homes\":\\{[^}]*},", ""));
        List<String> old = new ArrayList<>();
        assertThat(Rerun.of(config, directory.resolve("old.jsonl"), old::add).turns()).isEqualTo(2);
        assertThat(old.get(0)).as("an earlier version did not ask").contains("\"held\":{}").contains("\"value\":900");
    }

    @Test
    void aPoolThatGetsAnotherCpuLaterIsDecidedAgainAsItWas() throws Exception {
        recorder.close();
        Files.delete(directory.resolve("rec.jsonl"));
        host.pools.set(0, new Pool("pool", "credit", List.of(0)));
        recorder = new HostRecorder(directory.resolve("rec.jsonl"), "fake", host.memory(), host.pools());
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                guests: {web: {class: LS1, cpu: [0.1, 3]}}
                controllers: {joint: {guests: [web], knobs: [cap], take: always}}
                journal: journal.jsonl
                """).withMode(Mode.ADVISE);
        host.measured.put(GuestMetric.CPU_RUN, 2.0);
        HostLoop loop = loop(config);
        turns(loop, 1);
        assertThat(loop.last().orElseThrow().decided().proposals()).extracting(proposal -> proposal.value()).containsExactly(1000);
        host.pools.set(0, new Pool("pool", "credit", List.of(0, 1)));
        turns(loop, 20);
        assertThat(loop.last().orElseThrow().decided().proposals()).extracting(proposal -> proposal.value()).containsExactly(2000);
        recorder.close();

        assertThat(Files.readAllLines(directory.resolve("rec.jsonl")).stream().filter(line -> line.contains("\"pools\":"))).hasSize(2);
        assertThat(Rerun.of(config, directory.resolve("rec.jsonl"), line -> { })).isEqualTo(new Rerun.Outcome(21, 0, ""));
    }

    private HostLoop loopWithFleet(Mode mode) throws Exception {
        host.end(web);
        web = host.start("web", "1", UUID + "/1", GuestClass.NLS, 256, 0, 900);
        host.start("batch", "2", GuestClass.NLS, 256, 0, 900);
        host.measured.putAll(Map.of(GuestMetric.NET_SOFTIRQ, 2000.0, GuestMetric.MEM_ALLOC, 1e15, GuestMetric.MEM_USED, 3e8));
        Files.writeString(directory.resolve("fleet.yaml"), "this: alpha\nhosts: {alpha: {}, beta: {file: beta.json}}\n");
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                reserve: {memory: 24MiB}
                guests: {web: {class: LS1, intensity: 0.9}, batch: {intensity: 1}}
                controllers:
                  placement:
                    realise: cpupool
                    latency: {s0-us: 500, c-us: 5000, load: irq-per-cpu, k-us: 50, threshold: 5ms}
                    fleet: fleet.yaml
                    migrate: [sh, -c, 'echo "$@" >%s/moved', x, "{id}", "{uuid}", "{from}", "{to}"]
                journal: journal.jsonl
                """.formatted(directory)).withMode(mode);
        HostLoop loop = new HostAgent(config, new HostAgent.Surroundings(host, journal,
                new Snapshot(directory.resolve("snapshot.json"), "boot"), clock, () -> seconds.get() * 1_000_000_000,
                Optional.empty())).loop();
        loop.start("");
        return loop;
    }

    private void beta(String guests) throws Exception {
        Files.writeString(directory.resolve("beta.json"),
                "{\"time\":\"" + clock.instant() + "\",\"memory_free\":4e9,\"cpus\":8,\"guests\":[" + guests + "]}");
    }

    private FleetReport fleetTurn(HostLoop loop, String guests) throws Exception {
        seconds.addAndGet(15);
        beta(guests);
        loop.turn();
        return loop.last().orElseThrow().seen().fleet().orElseThrow();
    }

    @Test
    void statusTellsOtherHostsWhatItsGuestsAreLike() throws Exception {
        HostLoop loop = loopWithFleet(Mode.OBSERVE);
        for (long end = System.nanoTime() + 60_000_000_000L; fleetTurn(loop, "").hosts().size() < 2;) {
            assertThat(System.nanoTime()).as("beta has told").isLessThan(end);    // a turn waits for it a moment only
        }
        JsonNode status = new HostVerbs(() -> loop).look(Json.object().put("verb", "status")).path("status");

        FleetHost told = FleetJson.read("alpha", Json.text(status));
        assertThat(told.memoryFree()).isEqualTo(1000.0 * FakeBackend.MIB);
        assertThat(told.cpus()).isEqualTo(2);
        assertThat(told.guests().get(0).cpu()).isEqualTo(0.5);
        assertThat(told.time()).isEqualTo(clock.instant());
        assertThat(told.guests().get(0).guestClass()).isEqualTo(GuestClass.LS1);
        assertThat(told.guests().get(0).intensity()).isEqualTo(0.9);
        assertThat(told.guests().get(0).latency()).isEqualTo((500e-6 + 5000e-6 * 0.9) / (1 - 50e-6 * 2000 / 0.5));
        assertThat(told.guests().get(0).memory()).as("no limit: more than the host has").isEqualTo(3e8);
        assertThat(told.guests().get(1).latency()).isNaN();
        assertThat(status.path("fleet").path("moves")).isEmpty();
        assertThat(status.path("fleet").path("hosts").get(1).path("name").asText()).isEqualTo("beta");
    }

    @Test
    void inModeAdviseAMoveIsSaidAndNotMade() throws Exception {
        HostLoop loop = loopWithFleet(Mode.ADVISE);
        for (int i = 0; i < 30; i++) {
            fleetTurn(loop, "");
        }
        assertThat(loop.last().orElseThrow().seen().fleet().orElseThrow().moves()).singleElement()
                .satisfies(move -> assertThat(move.name() + " " + move.to()).isEqualTo("web beta"));
        assertThat(Files.readString(journal.file())).containsOnlyOnce("\"migrations\":[{\"guest\":\"" + UUID + "\"");
        assertThat(directory.resolve("moved")).doesNotExist();
    }

    @Test
    void inModeActTheCommandMovesAGuestAndItIsSeenThere() throws Exception {
        HostLoop loop = loopWithFleet(Mode.ACT);
        FleetReport report = fleetTurn(loop, "");
        for (int i = 0; i < 30 && report.moves().isEmpty(); i++) {
            report = fleetTurn(loop, "");
        }
        assertThat(report.moves()).singleElement();
        assertThat(clock.instant()).isAfterOrEqualTo(BEGIN.plusSeconds(300));
        assertThat(Files.readString(journal.file())).contains("\"action\":\"MIGRATE\"", "\"intensity of beta\":0.0");
        long end = System.nanoTime() + 60_000_000_000L;
        while (!Files.exists(directory.resolve("moved")) || Files.size(directory.resolve("moved")) == 0) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(directory.resolve("moved")).hasContent("1 " + UUID + " alpha beta");
        host.end(web);
        String there = "{\"uuid\":\"" + UUID + "/9\",\"id\":\"9\",\"name\":\"web\",\"class\":\"LS1\",\"intensity\":0.9}";
        report = fleetTurn(loop, there);
        while (report.done().isEmpty()) {
            assertThat(System.nanoTime()).as("%s", report).isLessThan(end);
            report = fleetTurn(loop, there);
        }
        assertThat(report.done()).containsExactly("web from alpha to beta");
        assertThat(fleetTurn(loop, there).held()).isEmpty();
        assertThat(Files.readString(journal.file())).contains("\"action\":\"MIGRATED\"");
        assertThat(loop.resume("a person")).contains("not in manual mode");
    }

    @Test
    void aFleetThatIsWrongOrWithoutThisHostIsRefused() throws Exception {
        loopWithFleet(Mode.ADVISE);
        HostConfig config = HostConfigReader.load(Files.writeString(directory.resolve("host.yaml"), """
                backend: {type: xen}
                controllers: {placement: {realise: cpupool, fleet: fleet.yaml, latency: {s0-us: 1, c-us: 1, threshold: 1s}}}
                """));
        HostAgent.Surroundings around = new HostAgent.Surroundings(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                clock, System::nanoTime, Optional.empty());
        Files.writeString(directory.resolve("fleet.yaml"), "hosts: {beta: {file: beta.json}}\n");
        assertThatThrownBy(() -> new HostAgent(config, around)).isInstanceOf(ConfigException.class)
                .hasMessage(directory + "/fleet.yaml: this: missing; an agent must know which of hosts its own is");
        Files.writeString(directory.resolve("fleet.yaml"), "hosts: {beta: {}}\n");
        assertThatThrownBy(() -> new HostAgent(config, around)).isInstanceOf(ConfigException.class)
                .hasMessageContaining("fleet.yaml:1: hosts.beta");
    }

    /** One kill is enough: what was moved of that guest is back, nothing more is moved of it, and everybody is told. */
    @Test
    void aGuestOfWhichTheKernelKillsAProcessIsBroughtToItsBaselineAndLeftAlone() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 5);
        assertThat(host.value(KnobKind.CAP, web)).isPositive();
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 2.0);
        turns(loop, 1);
        assertThat(host.value(KnobKind.CAP, web)).as("its baseline, in the same turn").isZero();
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 0.0);
        turns(loop, 5);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        String why = "web: the kernel killed 2 of its processes for want of memory";
        assertThat(loop.last().orElseThrow().givenUp().values()).containsExactly("web's cap is left alone: " + why);
        JsonNode status = new HostStatus(() -> loop).get();
        assertThat(status.path("alerts")).singleElement().asString().contains(why + "; restored web's cap to 0; \\\"ic2-host resume\\\"");
        assertThat(loop.kills().total(web)).isEqualTo(2);
        assertThat(Files.readString(journal.file())).contains("\"action\":\"OOM_KILL\"");
        loop.resume("a person");
        assertThat(new HostStatus(() -> loop).get().has("alerts")).isFalse();
        turns(loop, 5);
        assertThat(host.value(KnobKind.CAP, web)).isPositive();
    }

    @Test
    void aKillIsNotLostWithATurnThatFails() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 1.0);
        host.poolsUnreadable = true;
        turns(loop, 1);
        assertThat(loop.kills().total(web)).isZero();
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 0.0);
        host.poolsUnreadable = false;
        turns(loop, 1);
        assertThat(loop.kills().total(web)).isEqualTo(1);
    }

    /** With the group its counter goes; the host's own tells. */
    @Test
    void aGuestThatGoesWithAKillIsNamed() throws Exception {
        Guest db = host.start("db", "2", GuestClass.NLS, 256, 0, 900);
        HostLoop loop = loop(Mode.ACT);
        host.hostMeasured.put(HostMetric.MEM_OOM_KILLS, 0.0);
        turns(loop, 2);
        host.end(db);
        turns(loop, 1);
        assertThat(loop.kills().alerts()).as("it has ended").isEmpty();
        db = host.start("db", "3", GuestClass.NLS, 256, 0, 900);
        turns(loop, 1);
        host.hostMeasured.put(HostMetric.MEM_OOM_KILLS, 1.0);
        turns(loop, 1);
        assertThat(loop.kills().alerts()).as("everybody is there").isEmpty();
        host.hostMeasured.put(HostMetric.MEM_OOM_KILLS, 0.0);
        host.end(db);
        turns(loop, 1);
        assertThat(loop.kills().alerts()).singleElement().asString()
                .endsWith("db has gone while the kernel killed 1 processes of no known guest for want of memory");
        assertThat(Files.readString(journal.file())).contains("\"action\":\"OOM_GONE\"");
        host.hostMeasured.put(HostMetric.MEM_OOM_KILLS, 1.0);
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 1.0);
        db = host.start("db", "4", GuestClass.NLS, 256, 0, 900);
        host.guests.remove(web);
        turns(loop, 1);
        assertThat(loop.kills().alerts()).as("a kill of db is none of web").hasSize(2).last().asString().contains("db: the kernel killed 1");
    }

    /** Over a restart and a new configuration. */
    @Test
    void aGuestThatIsLeftAloneAfterAKillStaysSoUntilAPersonHandsBack() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 1.0);
        turns(loop, 1);
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 0.0);
        loop.stop("the test restarts it");
        journal.close();
        journal = new Journal(directory.resolve("journal.jsonl"), clock, Set.of());
        HostLoop next = loop(Mode.ACT);
        turns(next, 5);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        assertThat(next.kills().alerts()).singleElement().asString().startsWith("2026-01-01T00:00:03Z web: the kernel killed 1 of its processes");
        assertThat(next.last().orElseThrow().givenUp().values()).singleElement().asString().endsWith("killed 1 of its processes for want of memory");
        next.resume("a person");
        turns(next, 5);
        assertThat(host.value(KnobKind.CAP, web)).isPositive();
        turns(loop(Mode.ACT), 5);
        assertThat(host.value(KnobKind.CAP, web)).isPositive();
    }

    /** What was given up before is ours all the same, and what is not restored at once is tried again. */
    @Test
    void afterAKillAlsoWhatWasGivenUpIsRestoredAndTriedAgain() throws Exception {
        HostLoop loop = loop(Mode.ACT);
        turns(loop, 5);
        int capped = host.value(KnobKind.CAP, web);
        host.measured.put(GuestMetric.CPU_RUN, 0.1);
        host.refused.add(KnobKind.CAP);
        turns(loop, 10);
        assertThat(loop.last().orElseThrow().givenUp().values()).singleElement().asString().contains("missed its goal");
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 1.0);
        turns(loop, 1);
        assertThat(host.value(KnobKind.CAP, web)).as("it is refused").isEqualTo(capped);
        assertThat(loop.kills().alerts()).singleElement().asString().contains("could not be restored: web's cap");
        host.measured.put(GuestMetric.MEM_OOM_KILLS, 0.0);
        int first = host.orders.size();
        turns(loop, 42);
        assertThat(Files.readString(journal.file()).split("is left alone: ", -1)).as("it is said once").hasSize(2);
        assertThat(host.orders.size() - first).as("quickly at first, then once a minute").isEqualTo(4);
        host.refused.clear();
        turns(loop, 20);
        assertThat(host.value(KnobKind.CAP, web)).isZero();
        int orders = host.orders.size();
        turns(loop, 5);
        assertThat(host.orders).as("it is at the baseline").hasSize(orders);
    }

    @Test
    void whoOnlyAdvisesTellsNothing() throws Exception {
        HostLoop loop = loopWithContract(Mode.ADVISE);
        turns(loop, 3);
        loop.stop("the test ends");
        assertThat(directory.resolve("words/notice")).isEmptyDirectory();
    }

    @Test
    void theFirstEntryIsAStart() throws Exception {
        loop(Mode.ADVISE);
        Entry first = new JournalReader(Set.of()).latest(journal.file()).get(0).entry();

        assertThat(first).isEqualTo(new Entry.Start(BEGIN, "advise", "xen", Optional.empty(), Optional.empty(), ""));
        assertThat(Duration.between(BEGIN, clock.instant())).isZero();
    }
}
