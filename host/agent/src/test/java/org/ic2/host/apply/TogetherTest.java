// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.ic2.host.backend.Capabilities;
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

/** A host on which one order takes weight and cap of a guest. */
class TogetherTest {

    private static final long MINUTE = 60_000_000_000L;

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private Journal journal;
    private Applier applier;
    private Guest web;
    private Guest batch;
    private long nanos;

    @BeforeEach
    void start() throws Exception {
        host.paired = true;
        web = host.start("web", "7", GuestClass.LS1, 256, 0, 512);
        batch = host.start("batch", "8", GuestClass.NLS, 256, 1000, 512);
        begin(host.ranges);
    }

    @AfterEach
    void end() throws IOException {
        journal.close();
    }

    private void begin(Map<KnobKind, Capabilities.Range> ranges) throws IOException {
        if (journal != null) {
            journal.close();
        }
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        Ownership owners = new Ownership(List.of(new Claim("all", EnumSet.of(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY),
                Set.of("web", "batch", "cache"))));
        applier = new Applier(new ApplierParts(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"), owners,
                new KnobLimits(ranges, Map.of()), 1000, true, Clock.systemUTC(), () -> nanos));
    }

    private Applier.Report turn(KnobProposal... proposals) throws InterruptedException {
        nanos += MINUTE;
        applier.observe(host.guests, host.pools);
        return applier.apply("t", List.of(proposals), 0);
    }

    private static KnobProposal to(KnobKind kind, Guest guest, int value) {
        return new KnobProposal(GuestKnob.of(kind, guest), value, "all", new Rationale("as the test says", Map.of()));
    }

    private RestoreResult restore() throws InterruptedException {
        return applier.restore("test", ChangeRequest.Origin.OPERATOR, "the test ends");
    }

    private void bothAreMoved() throws Exception {
        assertThat(turn(to(KnobKind.WEIGHT, batch, 200), to(KnobKind.CAP, batch, 600)).held()).isEmpty();
    }

    private void bothAreAtTheBaseline() {
        assertThat(host.value(KnobKind.WEIGHT, batch)).isEqualTo(256);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    @Test
    void whatMovesTogetherIsOneOrderThereAndBack() throws Exception {
        bothAreMoved();
        turn(to(KnobKind.CAP, batch, 500));

        assertThat(restore().restored()).containsExactlyInAnyOrder("batch's weight to 256", "batch's cap to 1000");

        bothAreAtTheBaseline();
        assertThat(host.orders).containsExactly("batch's weight = 200 and batch's cap = 600", "batch's cap = 500",
                "batch's weight = exactly 256 and batch's cap = exactly 1000");
        assertThat(restore().restored()).isEmpty();
    }

    @Test
    void whatSomebodyElseHasSetDoesNotKeepTheOtherAway() throws Exception {
        bothAreMoved();
        host.setByOthers(KnobKind.CAP, batch, 640);

        RestoreResult result = restore();

        assertThat(result.restored()).containsExactly("batch's weight to 256");
        assertThat(result.foreign()).containsExactly("batch's cap (640)");
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
    }

    @Test
    void norWhereItIsSetBetweenTheOrderAndTheLookAtIt() throws Exception {
        bothAreMoved();
        host.afterOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        RestoreResult result = restore();

        assertThat(result.isAtBaseline()).isTrue();
        assertThat(result.restored()).containsExactly("batch's weight to 256");
        assertThat(result.foreign()).containsExactly("batch's cap");
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
    }

    @Test
    void norWhereItIsSetBetweenTheTurnsLookAndOurOrder() throws Exception {
        host.beforeOrder = () -> host.setByOthers(KnobKind.CAP, batch, 640);

        assertThat(turn(to(KnobKind.WEIGHT, batch, 200), to(KnobKind.CAP, batch, 600)).done())
                .containsExactly("batch's weight 256 -> 200");

        assertThat(applier.givenUp().keySet()).containsExactly(GuestKnob.of(KnobKind.CAP, batch));
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
    }

    @Test
    void whichOfThemDoesNotFollowIsSaid() throws Exception {
        bothAreMoved();
        host.deaf.add(KnobKind.CAP);

        RestoreResult result = restore();

        assertThat(result.restored()).containsExactly("batch's weight to 256");
        assertThat(result.problems()).singleElement().asString().startsWith("batch's cap: ");
        host.deaf.clear();
        assertThat(restore().restored()).containsExactly("batch's cap to 1000");
        bothAreAtTheBaseline();
    }

    @Test
    void afterAnOrderWithoutAnAnswerBothAreRestored() throws Exception {
        host.manner = FakeBackend.Manner.SILENT;
        assertThat(turn(to(KnobKind.WEIGHT, batch, 200), to(KnobKind.CAP, batch, 600)).done()).isEmpty();
        host.manner = FakeBackend.Manner.OBEYS;
        host.setByOthers(KnobKind.CAP, batch, 600);
        host.setByOthers(KnobKind.WEIGHT, batch, 200);

        turn();

        bothAreAtTheBaseline();
        assertThat(host.orders).last().isEqualTo("batch's weight = exactly 256 and batch's cap = exactly 1000");
    }

    @Test
    void whatSomebodyElseHasSetOfBothIsTheirs() throws Exception {
        bothAreMoved();
        host.afterOrder = () -> {
            host.setByOthers(KnobKind.CAP, batch, 640);
            host.setByOthers(KnobKind.WEIGHT, batch, 700);
        };

        turn(to(KnobKind.WEIGHT, batch, 190), to(KnobKind.CAP, batch, 500));

        assertThat(applier.givenUp()).hasSize(2);
        assertThat(turn(to(KnobKind.WEIGHT, batch, 190), to(KnobKind.CAP, batch, 500)).done()).isEmpty();
        assertThat(restore().foreign()).hasSize(2);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(640);
        assertThat(host.value(KnobKind.WEIGHT, batch)).isEqualTo(700);
    }

    @Test
    void whatSomebodyElseHasSetStaysThoughTheOthersOrderHasNoAnswer() throws Exception {
        bothAreMoved();
        host.beforeOrder = () -> host.setByOthers(KnobKind.WEIGHT, batch, 700);
        host.unanswered = 1;

        turn(to(KnobKind.WEIGHT, batch, 190), to(KnobKind.CAP, batch, 500));

        RestoreResult result = restore();
        assertThat(host.value(KnobKind.WEIGHT, batch)).as("not overwritten").isEqualTo(700);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
        assertThat(result.isAtBaseline()).isTrue();
    }

    @Test
    void theOtherIsRestoredAsSoonAsItHasAnAnswer() throws Exception {
        bothAreMoved();
        host.afterOrder = () -> host.setByOthers(KnobKind.WEIGHT, batch, 700);
        turn(to(KnobKind.MEMORY, web, 500));
        host.unanswered = 2;

        RestoreResult result = restore();

        assertThat(result.problems()).isEmpty();
        assertThat(result.restored()).contains("batch's cap to 1000");
        assertThat(host.value(KnobKind.WEIGHT, batch)).isEqualTo(700);
        assertThat(host.value(KnobKind.CAP, batch)).isEqualTo(1000);
    }

    /** Together they are refused, each by itself only one of them. */
    @Test
    void whatIsRefusedKeepsTheOtherNeitherFromGoingNorFromStaying() throws Exception {
        host.refused.add(KnobKind.CAP);

        for (int value = 200; value > 197; value--) {
            Applier.Report report = turn(to(KnobKind.WEIGHT, batch, value), to(KnobKind.CAP, batch, 600));
            assertThat(host.value(KnobKind.WEIGHT, batch)).as("not rolled back").isEqualTo(value);
            assertThat(report.done()).singleElement().asString().startsWith("batch's weight");
        }
        assertThat(applier.givenUp().keySet()).containsExactly(GuestKnob.of(KnobKind.CAP, batch));
        host.refused.clear();
        applier.resume();
        bothAreMoved();
        host.refused.add(KnobKind.CAP);

        RestoreResult result = restore();

        assertThat(result.restored()).containsExactly("batch's weight to 256");
        assertThat(result.problems()).singleElement().asString().startsWith("batch's cap: ");
        host.refused.clear();
        assertThat(restore().isAtBaseline()).isTrue();
        bothAreAtTheBaseline();
    }

    @Test
    void ofAnOrderThatIsRefusedNothingIsDone() throws Exception {
        host.manners.put("batch", FakeBackend.Manner.REFUSES);

        Applier.Report report = turn(to(KnobKind.WEIGHT, batch, 200), to(KnobKind.CAP, batch, 600), to(KnobKind.WEIGHT, web, 200));

        assertThat(report.done()).containsExactly("web's weight 256 -> 200");
        assertThat(report.held()).singleElement().asString().startsWith("batch's weight and batch's cap: batch's weight: status 1: not"
                + " with me; batch's cap: status 1: not with me");
        bothAreAtTheBaseline();
        host.manners.clear();
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(256);
    }

    /** Whoever does not follow keeps nobody waiting: all have been asked before the first look at what came of it. */
    @Test
    void aRestoreAsksAllBeforeItWaitsForOne() throws Exception {
        turn(to(KnobKind.MEMORY, web, 500), to(KnobKind.MEMORY, batch, 500), to(KnobKind.WEIGHT, web, 300));
        host.orders.clear();
        List<String> before = new ArrayList<>();
        host.looks = knob -> before.add(knob.label() + " after " + host.orders.size());

        restore();

        assertThat(host.orders).hasSize(3);
        assertThat(before).filteredOn(look -> !look.endsWith(" after 0")).isNotEmpty()
                .filteredOn(look -> !look.contains("memory")).allMatch(look -> look.endsWith(" after 3"));
    }

    private List<String> restoreOrders() throws Exception {
        host.orders.clear();
        assertThat(restore().isAtBaseline()).isTrue();
        return host.orders;
    }

    @Test
    void aBalloonThatGrowsIsAskedFirstAsItTakesItsTimeMeanwhile() throws Exception {
        host.gradual = true;
        turn(to(KnobKind.MEMORY, web, 450), to(KnobKind.WEIGHT, web, 300));

        assertThat(restoreOrders()).containsExactly("web's memory = exactly 512", "web's weight = exactly 256");
    }

    @Test
    void aLimitComesLastAsItsReclaimWouldHoldUpTheOthers() throws Exception {
        turn(to(KnobKind.MEMORY, web, 450), to(KnobKind.WEIGHT, web, 300));

        assertThat(restoreOrders()).containsExactly("web's weight = exactly 256", "web's memory = exactly 512");
    }

    @Test
    void memoryGrowsAfterAllThatShrinksAndStepsHoldUpNothingElse() throws Exception {
        host.gradual = true;
        Guest cache = host.start("cache", "9", GuestClass.NLS, 256, 1000, 512);
        turn();
        turn(to(KnobKind.MEMORY, web, 450), to(KnobKind.WEIGHT, web, 300));
        grow(batch, 600);
        grow(cache, 640);
        grow(cache, 800);

        assertThat(restoreOrders()).containsExactly("batch's memory = exactly 512", "web's weight = exactly 256",
                "cache's memory = 600", "cache's memory = exactly 512", "web's memory = exactly 512");
    }

    private void grow(Guest guest, int value) throws InterruptedException {
        nanos += MINUTE;
        applier.observe(host.guests, host.pools);
        assertThat(applier.apply("t", List.of(to(KnobKind.MEMORY, guest, value)), 1000.0 * FakeBackend.MIB).done()).hasSize(1);
    }

    @Test
    void aRestoreNeedsNoKnowledgeOfTheHost() throws Exception {
        bothAreMoved();
        turn(to(KnobKind.MEMORY, batch, 400));
        begin(Map.of());

        assertThat(restore().isAtBaseline()).isTrue();

        bothAreAtTheBaseline();
        assertThat(Stream.of(web, batch).map(guest -> host.value(KnobKind.MEMORY, guest))).containsOnly(512);
    }
}
