// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the applier moves and does not move, on a host in memory. */
class ApplierTest {

    private static final long SECOND = 1_000_000_000;
    private static final double FREE = 512.0 * FakeBackend.MIB;

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private final AtomicLong nanos = new AtomicLong();
    private Journal journal;
    private Applier applier;
    private Guest web;
    private Guest batch;

    @BeforeEach
    void start() throws Exception {
        web = host.start("web", "7", GuestClass.LS1, 256, 0, 512);
        batch = host.start("batch", "8", GuestClass.NLS, 256, 1000, 512);
        begin("boot 1");
    }

    @AfterEach
    void end() throws IOException {
        journal.close();
    }

    /** A process begins: what the one before knew is on the disk, or lost. */
    private void begin(String boot) throws IOException {
        if (journal != null) {
            journal.close();
        }
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        Ownership owners = new Ownership(List.of(new Claim("joint", EnumSet.of(KnobKind.CAP, KnobKind.MEMORY), Set.of("web", "batch")),
                new Claim("schedule", EnumSet.of(KnobKind.WEIGHT, KnobKind.TSLICE, KnobKind.RATELIMIT), Set.of())));
        KnobLimits floors = new KnobLimits(host.ranges, Map.of("web", new KnobLimits.CpuRange(0.1, 0.9), "batch", new KnobLimits.CpuRange(0.01, 1)));
        applier = new Applier(new ApplierParts(host, journal, new Snapshot(directory.resolve("snapshot.json"), boot), owners, floors,
                100, true, Clock.systemUTC(), nanos::get));
    }

    private Applier.Report turn(KnobProposal... proposals) throws InterruptedException {
        return turn(FREE, proposals);
    }

    private Applier.Report turn(double free, KnobProposal... proposals) throws InterruptedException {
        nanos.addAndGet(100 * SECOND);
        applier.observe(host.guests, host.pools);
        return applier.apply("t", List.of(proposals), free);
    }

    private static KnobProposal cap(Guest guest, int value) {
        return proposal(GuestKnob.of(KnobKind.CAP, guest), value, "joint");
    }

    private static KnobProposal memory(Guest guest, int value) {
        return proposal(GuestKnob.of(KnobKind.MEMORY, guest), value, "joint");
    }

    private static KnobProposal weight(Guest guest, int value) {
        return proposal(GuestKnob.of(KnobKind.WEIGHT, guest), value, "schedule");
    }

    private static KnobProposal proposal(GuestKnob knob, int value, String controller) {
        return new KnobProposal(knob, value, controller, new Rationale("as the test says", Map.of()));
    }

    private RestoreResult restore() throws InterruptedException {
        return applier.restore("test", ChangeRequest.Origin.OPERATOR, "the test ends");
    }

    @Test
    void whatIsProposedIsSetAndPutBackExactly() throws Exception {
        Applier.Report report = turn(cap(batch, 500), weight(web, 512));

        assertThat(report.held()).isEmpty();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(500);
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(512);
        assertThat(applier.inForce().get(GuestKnob.of(KnobKind.CAP, batch))).isEqualTo(500);

        RestoreResult result = restore();

        assertThat(result.isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(256);
        assertThat(host.orders).contains("batch's cap = exactly 1000", "web's weight = exactly 256");
        assertThat(restore().restored()).isEmpty();
    }

    @Test
    void theOriginalIsOnTheDiskBeforeTheFirstWrite() throws Exception {
        host.manner = FakeBackend.Manner.DIES_BEFORE;
        try {
            turn(cap(batch, 500));
        } catch (FakeBackend.KilledError e) {
            assertThat(Files.readString(directory.resolve("snapshot.json"))).contains("\"original\":1000", "\"ours\":[1000,500]",
                    "exactly 1000");
            return;
        }
        throw new AssertionError("expected to die");
    }

    /** Killed between the snapshot and the write, between the write and its outcome, at the first change and at the second. */
    @Test
    void afterEachKillTheNextStartPutsEverythingBack() throws Exception {
        for (FakeBackend.Manner death : List.of(FakeBackend.Manner.DIES_BEFORE, FakeBackend.Manner.DIES_AFTER)) {
            for (int changes = 0; changes <= 2; changes++) {
                for (int i = 0; i < changes; i++) {
                    assertThat(turn(cap(batch, 700 - 100 * i), memory(web, 400 - i), weight(web, 300 + i)).held()).isEmpty();
                }
                host.manner = death;
                try {
                    turn(cap(batch, 450), memory(web, 390), weight(web, 999));
                } catch (FakeBackend.KilledError e) {
                    host.manner = FakeBackend.Manner.OBEYS;
                }
                begin("boot 1");
                RestoreResult result = applier.restore("start", ChangeRequest.Origin.RECOVERY, "an earlier agent left it");

                assertThat(result.problems()).as("%s after %d changes", death, changes).isEmpty();
                assertThat(result.foreign()).isEmpty();
                assertThat(host.values.values()).containsExactly(30, 1000, 256, 0, 512, 256, 1000, 512);
            }
        }
    }

    @Test
    void aKillInTheMiddleOfARestoreIsMadeGoodToo() throws Exception {
        turn(cap(batch, 500), memory(web, 400), weight(web, 300));
        for (FakeBackend.Manner death : List.of(FakeBackend.Manner.DIES_BEFORE, FakeBackend.Manner.DIES_AFTER)) {
            host.manner = death;
            try {
                restore();
            } catch (FakeBackend.KilledError e) {
                host.manner = FakeBackend.Manner.OBEYS;
            }
            begin("boot 1");
        }

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.values.values()).containsExactly(30, 1000, 256, 0, 512, 256, 1000, 512);
    }

    @Test
    void aForeignValueIsRespectedUntilSomebodySaysResume() throws Exception {
        turn(cap(batch, 500));
        host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(cap(batch, 400)).held()).singleElement().asString().contains("batch's cap was set to 640 by somebody else");
        assertThat(applier.givenUp()).hasSize(1);
        assertThat(restore().foreign()).hasSize(1);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);

        begin("boot 1");
        assertThat(turn(cap(batch, 400)).held()).singleElement().asString().contains("set by somebody else");

        applier.resume();
        assertThat(turn(cap(batch, 400)).held()).isEmpty();
        restore();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
    }

    private void theirsIsLeftAlone(int orders) throws Exception {
        assertThat(host.value(KnobKind.CAP, batch)).as("not overwritten").isEqualTo(640);
        assertThat(applier.givenUp().values()).singleElement().asString()
                .contains("batch's cap was set to 640 by somebody else while it was moved");
        assertThat(turn(cap(batch, 400)).held()).singleElement().asString().contains("by somebody else");
        assertThat(restore().isAtBaseline()).isTrue();
        begin("boot 1");
        assertThat(restore().foreign()).containsExactly("batch's cap");
        assertThat(host.orders).hasSize(orders);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);

        applier.resume();
        assertThat(turn(cap(batch, 400)).held()).isEmpty();
        restore();
        assertThat(host.value(KnobKind.CAP, batch)).as("theirs is the baseline now").isEqualTo(640);
    }

    @Test
    void whatSomebodySetsBetweenOurFirstOrderAndTheLookAtItIsTheirs() throws Exception {
        host.afterOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(cap(batch, 500)).done()).isEmpty();

        theirsIsLeftAlone(1);
    }

    @Test
    void whatSomebodySetsBetweenALaterOrderAndTheLookAtItIsTheirs() throws Exception {
        turn(cap(batch, 500));
        host.afterOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(cap(batch, 400), weight(web, 300)).done()).containsExactly("web's weight 256 -> 300");

        assertThat(host.orders).containsExactly("batch's cap = 500", "batch's cap = 400", "web's weight = 300");
        assertThat(restore().foreign()).containsExactly("batch's cap");
        theirsIsLeftAlone(4);
    }

    @Test
    void whatSomebodySetsBetweenTheTurnsLookAndOurOrderIsTheirs() throws Exception {
        host.beforeOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(cap(batch, 500)).done()).isEmpty();

        theirsIsLeftAlone(0);
    }

    @Test
    void whatSomebodySetsDuringARestoreIsTheirs() throws Exception {
        turn(cap(batch, 500));
        host.afterOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(restore().foreign()).containsExactly("batch's cap");

        theirsIsLeftAlone(2);
    }

    /** An order without an answer may come into force at any time, so the baseline is sent whatever is seen. */
    @Test
    void whileAnOrderHasNoAnswerWhatIsSeenIsNobodys() throws Exception {
        turn(cap(batch, 600));
        host.manner = FakeBackend.Manner.SILENT;
        turn(cap(batch, 500));
        host.setByOthers(KnobKind.CAP, batch, 640);
        host.manner = FakeBackend.Manner.OBEYS;

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void aForeignChangeWhileNoAgentRanStays() throws Exception {
        turn(cap(batch, 500), weight(web, 300));
        host.setByOthers(KnobKind.CAP, batch, 640);
        begin("boot 1");

        RestoreResult result = restore();

        assertThat(result.foreign()).singleElement().asString().contains("batch's cap (640)");
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(256);
    }

    @Test
    void whatSomebodySetsBeforeWeEverMovedItIsTheBaseline() throws Exception {
        turn();
        host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(cap(batch, 400)).held()).isEmpty();
        restore();

        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
    }

    @Test
    void aGuestStartedAnewIsLeftAsItStarts() throws Exception {
        turn(cap(batch, 500));
        host.end(batch);
        Guest again = new Guest("9", batch.uuid(), "batch", 1, batch.memMin(), batch.memMax(), GuestClass.NLS, Double.NaN, Double.NaN);
        host.guests.add(again);
        host.setByOthers(KnobKind.CAP, again, 500);     // what we had set for the one before, by chance
        host.setByOthers(KnobKind.MEMORY, again, 512);
        host.setByOthers(KnobKind.WEIGHT, again, 256);

        restore();

        assertThat(host.value(KnobKind.CAP, again)).isEqualTo(500);
        assertThat(turn(cap(again, 400)).held()).isEmpty();
        restore();
        assertThat(host.value(KnobKind.CAP, again)).isEqualTo(500);
    }

    @Test
    void afterABootNothingIsPutBack() throws Exception {
        turn(cap(batch, 500));
        begin("boot 2");

        assertThat(restore().restored()).isEmpty();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(500);
    }

    @Test
    void oneGuestsFailureIsRolledBackAlone() throws Exception {
        host.manners.put("batch", FakeBackend.Manner.REFUSES);

        Applier.Report report = turn(cap(web, 500), cap(batch, 500), weight(web, 300));

        assertThat(report.done()).hasSize(2);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
        assertThat(host.value(KnobKind.CAP, web)).isEqualTo(500);
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(300);
    }

    @Test
    void whoMissesTheGoalTwiceIsLeftAlone() throws Exception {
        host.manners.put("batch", FakeBackend.Manner.IGNORES);

        assertThat(turn(memory(batch, 400), memory(web, 400)).done()).hasSize(1);
        assertThat(turn(memory(batch, 400)).held()).isNotEmpty();
        int orders = host.orders.size();

        assertThat(turn(memory(batch, 400)).held()).singleElement().asString().contains("left alone");
        assertThat(host.orders).hasSize(orders);
        host.manners.clear();
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(512);
    }

    @Test
    void whatHasNoAnswerIsRestoredBeforeItMovesAgain() throws Exception {
        turn(cap(batch, 600));
        host.manner = FakeBackend.Manner.SILENT;
        turn(cap(batch, 500));
        assertThat(applier.inForce().has(GuestKnob.of(KnobKind.CAP, batch))).isFalse();
        host.manner = FakeBackend.Manner.OBEYS;

        turn(cap(batch, 500));

        assertThat(host.orders).contains("batch's cap = exactly 1000");
        assertThat(turn(cap(batch, 500)).held()).isEmpty();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(500);
    }

    @Test
    void noStepIsLargerThanAllowedAndNoFloorIsCrossed() throws Exception {
        turn(cap(web, 1), memory(batch, 1));

        assertThat(host.value(KnobKind.CAP, web)).isEqualTo(450);    // from no limit: from the most that it may have
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(384);
        List<Integer> caps = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            turn(cap(web, 0), cap(batch, 0), memory(batch, 0));
            caps.add(host.value(KnobKind.CAP, web));
        }
        assertThat(caps).containsExactly(230, 120, 100, 100, 100);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(50);
        assertThat(host.value(KnobKind.MEMORY, batch)).isGreaterThanOrEqualTo(64);
        turn(cap(web, 900));
        assertThat(host.value(KnobKind.CAP, web)).isEqualTo(250);
        for (int i = 0; i < 20; i++) {
            turn(memory(batch, 0));
        }
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(64);
    }

    @Test
    void memoryGrowsOnlyIntoWhatIsFreeAfterTheOthersHaveShrunk() throws Exception {
        turn(memory(web, 600), memory(batch, 400));

        assertThat(host.orders).containsExactly("batch's memory = 400", "web's memory = 600");
        host.orders.clear();
        host.gradual = true;

        Applier.Report report = turn(10.0 * FakeBackend.MIB, memory(web, 700), memory(batch, 380));
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(630);
        assertThat(report.held()).isEmpty();
        host.gradual = false;
        assertThat(turn(0, memory(web, 700), memory(batch, 360)).held()).as("a lower limit frees nothing").singleElement().asString()
                .contains("no memory is free");
        assertThat(turn(0, memory(web, 700)).held()).singleElement().asString().contains("no memory is free");
        assertThat(turn(Double.NaN, memory(web, 700)).held()).singleElement().asString().contains("is unknown");
    }

    @Test
    void theBestClassGrowsFirst() throws Exception {
        turn(30.0 * FakeBackend.MIB, memory(batch, 540), memory(web, 540));

        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(540);
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(514);
    }

    @Test
    void aKnobRestsAfterAChange() throws Exception {
        turn(weight(web, 300));
        nanos.addAndGet(10 * SECOND);
        applier.observe(host.guests, host.pools);

        assertThat(applier.apply("t", List.of(weight(web, 400)), FREE).held()).singleElement().asString().contains("rests for 15 s");
        nanos.addAndGet(10 * SECOND);
        assertThat(applier.apply("t", List.of(weight(web, 400)), FREE).held()).isEmpty();
    }

    @Test
    void onlyTheOwnerMovesAKnob() throws Exception {
        assertThat(turn(proposal(GuestKnob.of(KnobKind.CAP, batch), 500, "schedule")).held()).singleElement().asString()
                .contains("schedule does not own it, joint does");
        assertThat(host.orders).isEmpty();
    }

    @Test
    void theHostsOwnDomainIsNeverCapped() throws Exception {
        Guest dom0 = host.start("web", "0", GuestClass.HOST, 256, 0, 900);

        assertThat(turn(cap(dom0, 500), weight(dom0, 512)).done()).containsExactly("web's weight 256 -> 512");
        assertThat(host.value(KnobKind.CAP, dom0)).isZero();
    }

    @Test
    void theTimeSliceGrowsBeforeTheRateLimitAndShrinksAfterIt() throws Exception {
        GuestKnob slice = GuestKnob.of(KnobKind.TSLICE, host.pools.get(0));
        GuestKnob limit = GuestKnob.of(KnobKind.RATELIMIT, host.pools.get(0));
        turn(proposal(limit, 40_000, "schedule"), proposal(slice, 50, "schedule"));
        turn(proposal(slice, 5, "schedule"), proposal(limit, 1000, "schedule"));

        assertThat(host.orders).containsExactly("pool's tslice = 50", "pool's ratelimit = 40000", "pool's ratelimit = exactly 1000",
                "pool's tslice = 5");
    }

    @Test
    void whatTheBackendObjectsToIsNotDone() throws Exception {
        host.objection = java.util.Optional.of("its weight's share is below its cap");

        assertThat(turn(cap(batch, 500)).held()).containsExactly("its weight's share is below its cap");
        assertThat(host.orders).isEmpty();
    }

    @Test
    void whatIsDoneTogetherIsAskedAboutTogetherRightBefore() throws Exception {
        turn(cap(batch, 500), weight(web, 200), weight(batch, 300), memory(web, 600));
        assertThat(host.asked).as("all weights, with what shrinks; then stage by stage").containsExactly(
                Map.of(GuestKnob.of(KnobKind.CAP, batch), 500, GuestKnob.of(KnobKind.WEIGHT, web), 200, GuestKnob.of(KnobKind.WEIGHT, batch), 300),
                Map.of(GuestKnob.of(KnobKind.CAP, batch), 500, GuestKnob.of(KnobKind.WEIGHT, web), 200),
                Map.of(GuestKnob.of(KnobKind.WEIGHT, batch), 300, GuestKnob.of(KnobKind.MEMORY, web), 600));

        host.objection = java.util.Optional.of("not now");
        host.objectedTo.retainAll(Set.of(KnobKind.WEIGHT));
        Applier.Report report = turn(cap(batch, 400), weight(web, 100), memory(web, 9999), proposal(GuestKnob.of(KnobKind.CAP, web), 500, "x"));
        assertThat(report.done()).containsExactly("batch's cap 500 -> 400", "web's memory 600 -> 900");
        assertThat(report.held()).containsExactly("web's cap: x does not own it, joint does", "not now");
        assertThat(report.objected()).containsExactly("not now");
    }

    @Test
    void guestsComeAndGo() throws Exception {
        turn(cap(batch, 500));
        Guest third = host.start("web", "12", GuestClass.LS2, 256, 800, 300);
        assertThat(turn(cap(third, 500), cap(batch, 400)).held()).isEmpty();
        host.end(third);
        assertThat(turn(cap(batch, 300)).held()).isEmpty();

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void withoutADiskForTheSnapshotNothingMoves() throws Exception {
        Files.createDirectory(directory.resolve("snapshot.json.new"));

        assertThat(turn(cap(batch, 500)).held()).singleElement().asString().contains("nothing is moved that could not be restored");
        assertThat(host.orders).isEmpty();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void onAFullDiskNothingLeadsAwayAndARestoreIsPossible() throws Exception {
        turn(cap(batch, 500));
        Path fresh = Files.createSymbolicLink(directory.resolve("snapshot.json.new"), Path.of("/dev/full"));

        assertThat(turn(cap(batch, 400)).held()).singleElement().asString().startsWith("nothing is moved that could not be restored: cannot write ");
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(500);
        assertThat(restore().problems()).singleElement().asString().startsWith("cannot write ");
        assertThat(host.value(KnobKind.CAP, batch)).as("it is at the baseline, only not written down").isEqualTo(1000);

        Files.delete(fresh);
        begin("boot 1");
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
        assertThat(restore().restored()).isEmpty();
    }

    @Test
    void withoutAJournalNothingButARestoreIsDone() throws Exception {
        turn(cap(batch, 500));
        journal.close();
        Files.delete(directory.resolve("journal.jsonl"));
        Files.createDirectory(directory.resolve("journal.jsonl"));
        begin("boot 1");

        assertThat(turn(cap(batch, 400)).held()).singleElement().asString().contains("nothing is applied without a journal");
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void aHostThatCannotBeReadKeepsItsSnapshot() throws Exception {
        turn(cap(batch, 500));
        host.unreadable = true;

        assertThat(restore().problems()).singleElement().asString().contains("what runs cannot be told: no answer");
        host.unreadable = false;
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void aBalloonOnItsWayIsOurs() throws Exception {
        turn(memory(batch, 400));
        host.setByOthers(KnobKind.MEMORY, batch, 450);
        begin("boot 1");
        host.gradual = true;

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(512);
    }

    @Test
    void whatBeginsOutsideOfItsRangeComesIntoItByStepsAndHoldsNobodyUp() throws Exception {
        host.setByOthers(KnobKind.MEMORY, web, 4096);
        host.setByOthers(KnobKind.CAP, web, 5000);
        host.setByOthers(KnobKind.CAP, batch, 10);
        begin("boot 1");
        List<Integer> memory = new ArrayList<>();
        List<Integer> caps = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            assertThat(turn(cap(web, 500), cap(batch, 200), memory(web, 800), memory(batch, 400), weight(web, 512)).held()).isEmpty();
            memory.add(host.value(KnobKind.MEMORY, web));
            caps.add(host.value(KnobKind.CAP, web));
        }
        assertThat(memory).as("a quarter less at most, of which 1024 MiB are allowed").containsExactly(3072, 2304, 1728, 1296, 972, 800);
        assertThat(caps).as("half at most").containsExactly(2500, 1250, 630, 500, 500, 500);
        assertThat(host.value(KnobKind.CAP, batch)).as("2.5 times as much at most").isEqualTo(200);
        assertThat(host.orders).contains("batch's cap = 25", "batch's cap = 60", "batch's cap = 150");
        assertThat(host.value(KnobKind.MEMORY, batch)).isEqualTo(400);
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(512);

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(4096);
        assertThat(host.value(KnobKind.CAP, web)).isEqualTo(5000);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(10);
    }

    @Test
    void memoryBelowItsFloorGrowsIntoWhatIsFree() throws Exception {
        host.setByOthers(KnobKind.MEMORY, web, 40);
        begin("boot 1");
        assertThat(turn(10.0 * FakeBackend.MIB, memory(web, 800)).held()).isEmpty();
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(50);
        assertThat(turn(memory(web, 800)).held()).isEmpty();
        assertThat(host.value(KnobKind.MEMORY, web)).as("half as much more").isEqualTo(75);
    }

    /** Whatever the host does with an order, and wherever this process ends: floors hold, and the next start is at the baseline. */
    @Test
    void onARandomWalkFloorsHoldAndEveryStartIsAtTheBaseline() throws Exception {
        SplittableRandom random = new SplittableRandom(17);
        List<Integer> atBaseline = List.copyOf(host.values.values());
        for (int life = 0; life < 60; life++) {
            FakeBackend.Manner[] manners = FakeBackend.Manner.values();
            try {
                for (int i = 0; i < 6; i++) {
                    host.manners.put("web", random.nextInt(3) == 0 ? manners[random.nextInt(manners.length)] : FakeBackend.Manner.OBEYS);
                    host.manners.put("batch", random.nextInt(3) == 0 ? manners[random.nextInt(manners.length)] : FakeBackend.Manner.OBEYS);
                    turn(cap(web, random.nextInt(-100, 2000)), cap(batch, random.nextInt(-100, 2000)), memory(web, random.nextInt(2000)),
                            memory(batch, random.nextInt(2000)), weight(web, random.nextInt(70_000)));
                    assertThat(host.value(KnobKind.CAP, web)).matches(value -> value == 0 || value >= 100 && value <= 900);
                    assertThat(host.value(KnobKind.CAP, batch)).isBetween(50, 1000);
                    assertThat(host.value(KnobKind.MEMORY, web)).isBetween(64, 1024);
                    assertThat(host.value(KnobKind.MEMORY, batch)).isBetween(64, 1024);
                }
            } catch (FakeBackend.KilledError e) {
                assertThat(snapshotFile()).exists();
            }
            host.manners.clear();
            begin("boot 1");
            assertThat(restore().isAtBaseline()).isTrue();
            assertThat(host.values.values()).as("life %d", life).containsExactlyElementsOf(atBaseline);
            applier.resume();
        }
    }

    private Path snapshotFile() {
        return directory.resolve("snapshot.json");
    }

    /** Memory of web that was more than doubled, in turns. */
    private void grow() throws InterruptedException {
        turn(memory(web, 768));
        turn(memory(web, 1024));
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(1024);
        host.orders.clear();
    }

    @Test
    void memoryShrinksToTheBaselineByAQuarterAtATime() throws Exception {
        grow();

        assertThat(restore().isAtBaseline()).isTrue();

        assertThat(host.orders).containsExactly("web's memory = 768", "web's memory = 576", "web's memory = exactly 512");
        host.setByOthers(KnobKind.MEMORY, batch, 700);
        turn(memory(batch, 525));
        host.orders.clear();
        restore();
        assertThat(host.orders).as("up at once").containsExactly("batch's memory = exactly 700");
    }

    @Test
    void aKillBetweenTwoStepsOfARestoreIsMadeGoodAndNoStepIsTakenForSomebodyElses() throws Exception {
        for (FakeBackend.Manner death : List.of(FakeBackend.Manner.DIES_BEFORE, FakeBackend.Manner.DIES_AFTER)) {
            grow();
            for (int kills = 0; kills < 2; kills++) {
                host.manner = death;
                try {
                    restore();
                } catch (FakeBackend.KilledError e) {
                    host.manner = FakeBackend.Manner.OBEYS;
                }
                begin("boot 1");
            }
            assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(death == FakeBackend.Manner.DIES_AFTER ? 576 : 1024);

            RestoreResult result = restore();

            assertThat(result.foreign()).isEmpty();
            assertThat(result.isAtBaseline()).isTrue();
            assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(512);
        }
        grow();
        host.setByOthers(KnobKind.MEMORY, web, 770);
        assertThat(restore().foreign()).singleElement().asString().contains("web's memory (770)");
    }

    @Test
    void noGuestIsRestoredBelowWhatItLivesOn() throws Exception {
        grow();
        host.indispensable.put("web", 600);

        RestoreResult result = restore();

        assertThat(result.problems()).singleElement().asString().contains("stays at 768 MiB while it is restored to 512 MiB",
                "its guest lives on 600 MiB now");
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(768);
        begin("boot 1");
        host.indispensable.put("web", 512);
        assertThat(restore().isAtBaseline()).as("a later start tries again").isTrue();
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(512);
    }

    @Test
    void aBalloonThatStopsDuringItsRestoreIsNotPressed() throws Exception {
        host.gradual = true;
        grow();
        host.balloonEnds = 700;

        RestoreResult result = restore();

        assertThat(result.problems()).singleElement().asString().contains("stays at 700 MiB while it is restored to 512 MiB", "in time");
        assertThat(host.orders).as("asked once").containsExactly("web's memory = 768", "web's memory = 576", "web's memory = 700");
        host.balloonEnds = 0;
        assertThat(restore().isAtBaseline()).isTrue();
    }

    @Test
    void theStepsEndAtTheBaselineAndNoneIsLargerThanAQuarter() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            int from = random.nextInt(1, 1 << random.nextInt(1, 31));
            int baseline = random.nextInt(1, 1 << random.nextInt(1, 31));
            List<Integer> steps = MemoryRestoreSteps.of(KnobKind.MEMORY, from, baseline);
            assertThat(steps.get(steps.size() - 1)).isEqualTo(baseline);
            int before = from;
            for (int step : steps) {
                assertThat(step >= baseline && step >= Math.min(before - 1, (int) (before * 3L / 4)) || from <= baseline).isTrue();
                before = step;
            }
        }
        assertThat(MemoryRestoreSteps.of(KnobKind.MEMORY, 1024, 0)).as("no limit").containsExactly(0);
        assertThat(MemoryRestoreSteps.of(KnobKind.CAP, 1000, 10)).containsExactly(10);
    }

    /** A machine starts in a group whose limit was lowered: the limit is back in the same turn, and the others go on. */
    @Test
    void aKnobThatAGuestHasNoMoreIsRestoredAtOnce() throws Exception {
        turn(memory(web, 448), cap(batch, 500));
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(448);
        host.lacking.add(KnobKind.MEMORY);
        Applier.Report report = turn(memory(web, 448));
        assertThat(host.value(KnobKind.MEMORY, web)).isEqualTo(512);
        assertThat(report.held()).contains("restored web's memory to 512, as it may be moved no more");
        assertThat(report.moved()).as("tenants are told").containsExactly(GuestKnob.of(KnobKind.MEMORY, web));
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(500);
        assertThat(turn(cap(batch, 400)).held()).isEmpty();
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(400);
        host.setByOthers(KnobKind.MEMORY, web, 300);
        turn();
        assertThat(host.value(KnobKind.MEMORY, web)).as("nothing of it is ours").isEqualTo(300);
        host.setByOthers(KnobKind.CAP, batch, 700);
        turn();
        assertThat(applier.givenUp()).containsOnlyKeys(GuestKnob.of(KnobKind.CAP, batch));
    }
}
