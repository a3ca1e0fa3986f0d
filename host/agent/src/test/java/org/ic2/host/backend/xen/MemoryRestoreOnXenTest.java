// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Rationale;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One guest's balloon on a Xen that keeps a target for it, as xl does, and on which others give orders, too. */
class MemoryRestoreOnXenTest {

    private static final String UUID = "d2453411-99c8-4123-814f-f9eb8fdb7d31";
    private static final String OF_G1 = "/local/domain/1/";
    private static final String TARGET = OF_G1 + "memory/target";
    private static final double FREE = 4.0 * (1 << 30);

    @TempDir
    Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private PlayedHost host;
    private PlayedXenstore xenstore;
    private XenBackend xen;
    private Journal journal;
    private Applier applier;
    private int running = 1024;
    private int video;
    /** The balloon stays above this. */
    private int ends;
    /** A guest shows so much less than was asked for. */
    private int lost;
    private Runnable afterOrder = () -> { };

    @BeforeEach
    void begin() throws Exception {
        host = new PlayedHost(directory);
        xenstore = new PlayedXenstore(host);
        xenstore.guest(1, UUID);
        xenstore.put(OF_G1 + "memory/static-max", "2097152");
        xenstore.put(OF_G1 + "memory/videoram", "0");
        asks(1024);
        host.says("xl info", XenSamples.of("01-xl-info").output());
        host.does("xl", words -> {
            nanos.addAndGet(10_000_000);
            if (words.get(1).equals("mem-set")) {
                int wanted = Integer.parseInt(words.get(3));
                asks(wanted);
                running = Math.max(wanted - lost, ends);
                Runnable now = afterOrder;
                afterOrder = () -> { };
                now.run();
                return new CommandResult(0, "");
            }
            return new CommandResult(0, "Name ID Mem VCPUs State Time(s)\nDomain-0 0 900 1 r----- 9.0\ng1 1 %d 1 r----- 9.0\n".formatted(running));
        });
        start();
    }

    @AfterEach
    void end() throws Exception {
        journal.close();
        xen.close();
    }

    /** An agent, after one that was killed or none. */
    private void start() throws Exception {
        if (journal != null) {
            end();
        }
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        xen = new XenBackend(host, nanos::get);
        applier = new Applier(new ApplierParts(xen, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                new Ownership(List.of(new Claim("joint", EnumSet.of(KnobKind.MEMORY), Set.of("g1")))),
                new KnobLimits(Map.of(KnobKind.MEMORY, new Capabilities.Range(64, 2048, 1)), Map.of()), 100, true, Clock.systemUTC(), nanos::get));
    }

    private void left(int original, String ours) throws Exception {
        Files.writeString(directory.resolve("snapshot.json"), ("{\"v\":1,\"boot\":\"boot\",\"knobs\":[{\"kind\":\"memory\","
                + "\"id\":\"1\",\"uuid\":\"%s/1\",\"name\":\"g1\",\"original\":%d,\"exact\":\"%d\",\"ours\":[%s]}]}")
                .formatted(UUID, original, original, ours));
        start();
    }

    /** {@code xl mem-set}, by whomever. */
    private void asks(int mib) {
        xenstore.put(TARGET, Integer.toString((mib - video) * 1024));
    }

    private Applier.Report turn(int... wanted) throws Exception {
        nanos.addAndGet(100_000_000_000L);
        xen.read(Instant.EPOCH, Set.of(GuestMetric.MEM_USED));
        applier.observe(xen.guests(), List.of());
        List<KnobProposal> proposals = wanted.length == 0 ? List.of() : List.of(new KnobProposal(GuestKnob.of(KnobKind.MEMORY,
                xen.guests().get(1)), wanted[0], "joint", new Rationale("the test says so", Map.of())));
        return applier.apply("t", proposals, FREE);
    }

    private RestoreResult restore() throws Exception {
        return applier.restore("test", ChangeRequest.Origin.OPERATOR, "the test ends");
    }

    private List<String> orders() {
        return host.asked().stream().filter(line -> line.startsWith("xl mem-set")).toList();
    }

    /** Between our values and the baseline lies what a balloon of ours may show on its way, and what a provider may want. */
    @ParameterizedTest
    @CsvSource({"900, 900", "665, 900", "1024, 900", "700, 1500"})
    void whatSomebodyElseAskedForStays(int shown, int target) throws Exception {
        running = shown;
        asks(target);
        left(1024, "700,665");

        assertThat(restore().foreign()).containsExactly("g1's memory (" + target + ")");
        assertThat(orders()).isEmpty();
        start();
        assertThat(restore().foreign()).as("and is remembered").containsExactly("g1's memory");
    }

    @ParameterizedTest
    @CsvSource({"800, 665, 1024, 0", "900, 700, 1024, 0", "1000, 1024, 1024, 0", "1024, 665, 1024, 0", "664, 665, 1024, 16", "1023, 1024, 1023, 0",
        "700, 768, 600, 0", "900, 600, 600, 0"})
    void whatWeAskedForIsRestoredHoweverFarItHasCome(int shown, int target, int baseline, int screen) throws Exception {
        video = screen;
        xenstore.put(OF_G1 + "memory/videoram", Integer.toString(screen * 1024));
        running = shown;
        asks(target);
        left(baseline, baseline == 600 ? "1024,900" : "700,665" + (baseline == 1023 ? ",1024" : ""));

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(running).isEqualTo(baseline);
        assertThat(orders()).last().isEqualTo("xl mem-set 1 " + baseline);
    }

    @Test
    void withoutATargetWhatIsInForceMustDo() throws Exception {
        xenstore.remove(TARGET);
        isRestoredFromBetween();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "much", "-921600", "921600.5", "99999999999999999999"})
    void aTargetThatIsNoNumberIsNone(String target) throws Exception {
        xenstore.put(TARGET, target);
        isRestoredFromBetween();
    }

    private void isRestoredFromBetween() throws Exception {
        running = 900;
        left(1024, "700,665");

        assertThat(restore().restored()).containsExactly("g1's memory to 1024");
    }

    /** The guest shows one less than its configuration says: what was asked for is neither the baseline nor ours. */
    @Test
    void killedBeforeTheFirstOrderItIsAtTheBaseline() throws Exception {
        running = 1023;
        afterOrder = () -> {
            throw new IllegalStateException("killed");
        };
        try {
            turn(900);
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("killed");
        }
        asks(1024);     // as before the order, which nobody took
        running = 1023;
        start();

        assertThat(restore().foreign()).isEmpty();
        assertThat(Files.readString(directory.resolve("snapshot.json"))).doesNotContain("foreign");
    }

    /** The baseline is where a provider has sent it, and not where it is seen on its way. */
    @Test
    void aBalloonThatSomebodyElseHasSentAwayIsNotMovedBeforeItIsThere() throws Exception {
        running = 1100;
        asks(1500);
        Applier.Report report = turn(900);
        assertThat(report.done()).isEmpty();
        assertThat(report.held()).containsExactly("g1's memory is at 1100, and was sent to 1500 by somebody else: it is not moved before it is there");
        assertThat(directory.resolve("snapshot.json")).doesNotExist();

        running = 1500;
        assertThat(turn(1300).done()).hasSize(1);
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(orders()).containsExactly("xl mem-set 1 1300", "xl mem-set 1 1500");
    }

    /** What is known of a moment ago serves only as long as what runs agrees with it. */
    @Test
    void aTargetThatDoesNotExplainWhatRunsIsAskedForAnew() throws Exception {
        assertThat(turn(900).done()).hasSize(1);
        asks(1500);
        running = 1300;
        nanos.addAndGet(1_500_000_000L);

        assertThat(restore().foreign()).containsExactly("g1's memory (1500)");
        assertThat(orders()).containsExactly("xl mem-set 1 900");
    }

    @Test
    void betweenTurnsATargetTellsBeforeTheBalloonMoves() throws Exception {
        assertThat(turn(900).done()).hasSize(1);
        assertThat(turn(800).done()).as("our own is not taken for foreign").hasSize(1);
        asks(850);

        turn(700);

        assertThat(applier.givenUp().values()).singleElement().asString().contains("g1's memory was set to 850 by somebody else");
        assertThat(orders()).containsExactly("xl mem-set 1 900", "xl mem-set 1 800");
        assertThat(restore().foreign()).containsExactly("g1's memory");
    }

    /** Who a guest is may be known of 5 s ago, but not what was asked of it. */
    @Test
    void atTheEndOfAnAgentATargetIsLookedAtAnew() throws Exception {
        assertThat(turn(900).done()).hasSize(1);
        nanos.addAndGet(2_000_000_000L);
        asks(950);

        assertThat(restore().foreign()).containsExactly("g1's memory (950)");
        assertThat(orders()).containsExactly("xl mem-set 1 900");
    }

    @Test
    void whatSomebodyElseAsksForWhileAnOrderIsAwaitedIsNotRolledBack() throws Exception {
        assertThat(turn(900).done()).hasSize(1);
        afterOrder = () -> {
            asks(950);
            running = 880;
            nanos.addAndGet(5_000_000_000L);
        };

        assertThat(turn(800).done()).isEmpty();

        assertThat(applier.givenUp().values()).singleElement().asString().contains("g1's memory was set to 950 by somebody else");
        assertThat(orders()).containsExactly("xl mem-set 1 900", "xl mem-set 1 800");
    }

    @Test
    void aBalloonThatWasStoppedDuringItsRestoreIsOursStill() throws Exception {
        running = 1024;
        left(512, "768,1024");
        ends = 700;
        assertThat(restore().problems()).singleElement().asString().contains("stays at 700 MiB while it is restored to 512 MiB");
        assertThat(orders()).containsExactly("xl mem-set 1 768", "xl mem-set 1 576", "xl mem-set 1 700");
        ends = 0;
        start();

        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(running).isEqualTo(512);
    }

    @Test
    void aGuestThatTellsWhatIsAvailableIsNotLedBelowWhatItLivesOn() throws Exception {
        xenstore.put(OF_G1 + "data/meminfo_total", "1000000");
        xenstore.put(OF_G1 + "data/meminfo_available", "283200");     // 700 MiB are bound
        left(512, "768,1024");

        assertThat(restore().problems()).singleElement().asString().contains("stays at 1024 MiB while it is restored to 512 MiB",
                "its guest lives on 788 MiB now");
        assertThat(orders()).isEmpty();
        xenstore.put(OF_G1 + "data/meminfo_available", "900000");
        start();
        assertThat(restore().isAtBaseline()).isTrue();
    }

    /** With its page cache a guest uses whatever it is given: that would prevent the restore for ever. */
    @Test
    void aGuestThatTellsOnlyWhatIsFreeIsRestoredByStepsAndOneMoreQuestion() throws Exception {
        xenstore.put(OF_G1 + "data/meminfo_total", "1000000");
        xenstore.put(OF_G1 + "data/meminfo_free", "20000");
        left(512, "768,1024");

        assertThat(restore().isAtBaseline()).isTrue();

        assertThat(orders()).containsExactly("xl mem-set 1 768", "xl mem-set 1 576", "xl mem-set 1 512");
        assertThat(host.asked()).filteredOn(line -> line.startsWith("xenstore-read")).hasSize(2);
    }
}
