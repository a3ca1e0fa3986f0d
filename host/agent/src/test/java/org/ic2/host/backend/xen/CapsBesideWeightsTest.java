// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.learn.Objective;
import org.ic2.host.learn.Outcome;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.loop.LiveTrial;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dom0, web (LS1), db (LS2) and batch (NLS) on four CPUs under Credit1, and far in a pool of its own: no capped guest's share comes
 * below its cap by what is moved together, and what is legal together is done.
 */
class CapsBesideWeightsTest {
    private static final String UUID = "d2453411-99c8-4123-814f-f9eb8fdb7d3";
    private static final List<String> NAMES = List.of("Domain-0", "web", "db", "batch", "far");
    private static final List<GuestClass> CLASSES = List.of(GuestClass.HOST, GuestClass.LS1, GuestClass.LS2, GuestClass.NLS, GuestClass.LS1);
    private static final String SEARCH = "backend: {type: xen}\ncontrollers: {schedule: {library: regions.json}}\njournal: trial.jsonl\n";
    private static final Map<GuestClass, Integer> TABLE_3 = SchedulerVector.table3().weights();

    @TempDir
    Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private final Map<Integer, Integer> weights = new LinkedHashMap<>();
    private final Map<Integer, Integer> caps = new LinkedHashMap<>();
    private final Set<String> inPoolG = Set.of("far");
    private PlayedHost host;
    private XenBackend xen;
    private Journal journal;
    private Applier applier;

    @BeforeEach
    void begin() throws Exception {
        host = new PlayedHost(directory);
        PlayedXenstore xenstore = new PlayedXenstore(host);
        for (int id = 0; id < NAMES.size(); id++) {
            weights.put(id, 256);
            caps.put(id, 0);
            xenstore.guest(id, UUID + id);
        }
        host.does("xl", words -> new CommandResult(0, xl(words)));
        xen = new XenBackend(host, nanos::get);
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        applier = new Applier(new ApplierParts(xen, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                new Ownership(List.of(new Claim("joint", EnumSet.of(KnobKind.CAP), Set.of("web", "db")),
                new Claim("schedule", EnumSet.of(KnobKind.WEIGHT), Set.of()))),
                new KnobLimits(xen.capabilities().knobs(), Map.of("web", new KnobLimits.CpuRange(0.1, 1.5), "db", new KnobLimits.CpuRange(0.1, 1.5))), 100, true,
                Clock.systemUTC(), nanos::get));
    }

    @AfterEach
    void end() throws IOException {
        journal.close();
    }

    private String xl(List<String> words) {
        int at = words.indexOf("-d");
        if (at > 0) {
            int id = Integer.parseInt(words.get(at + 1));
            for (int i = at + 2; i < words.size(); i += 2) {
                (words.get(i).equals("-w") ? weights : caps).put(id, Integer.parseInt(words.get(i + 1)));
            }
        }
        return switch (String.join(" ", words)) {
            case "xl list" -> "Name ID Mem VCPUs State Time(s)\n" + each(name -> true, id -> " " + id + " 96 1 r----- 9.0");
            case "xl sched-credit" -> paragraph("Pool-0") + each(name -> !inPoolG.contains(name), this::shares)
                    + paragraph("Pool-G") + each(inPoolG::contains, this::shares);
            case "xl cpupool-list" -> "Name CPUs Sched Active Domain count\nPool-0 4 credit y 4\nPool-G 1 credit y 1\n";
            case "xl cpupool-list -c" -> "Name CPU list\nPool-0 0-3\nPool-G 4\n";
            case "xl info" -> "nr_cpus : 5\ntotal_memory : 4096\n";
            case "xl vcpu-list" -> "Name ID VCPU CPU State Time(s) Affinity (Hard / Soft)\n"
                    + each(name -> true, id -> " " + id + " 0 0 r-- 9.0 all / all");
            default -> "";
        };
    }

    private static String each(java.util.function.Predicate<String> which, java.util.function.IntFunction<String> row) {
        return NAMES.stream().filter(which).map(name -> name + row.apply(NAMES.indexOf(name)) + "\n").collect(Collectors.joining());
    }

    private static String paragraph(String pool) {
        return "Cpupool " + pool + ": tslice=30ms ratelimit=1000us migration-delay=0us\nName ID Weight Cap\n";
    }

    private String shares(int id) {
        return " " + id + " " + weights.get(id) + " " + caps.get(id);
    }

    private KnobProposal proposal(KnobKind kind, String name, int value) throws Exception {
        Guest guest = xen.guests().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        return new KnobProposal(GuestKnob.of(kind, guest), value, kind == KnobKind.CAP ? "joint" : "schedule",
                new Rationale("as the test says", Map.of()));
    }

    private List<KnobProposal> table3() throws Exception {
        List<KnobProposal> all = new ArrayList<>();
        for (String name : NAMES) {
            all.add(proposal(KnobKind.WEIGHT, name, TABLE_3.get(CLASSES.get(NAMES.indexOf(name)))));
        }
        return all;
    }

    /** Each knob has rested, and every listing is of before. */
    private Applier.Report turn(List<KnobProposal> proposals) throws Exception {
        nanos.addAndGet(100_000_000_000L);
        applier.observe(xen.guests(), xen.pools());
        return applier.apply("turn", proposals, 0);
    }

    private Applier.Report turn(KnobProposal... proposals) throws Exception {
        return turn(List.of(proposals));
    }

    /** As somebody has set it before, and no listing knows yet. */
    private void are(int id, int weight, int cap) {
        weights.put(id, weight);
        caps.put(id, cap);
        nanos.addAndGet(100_000_000_000L);
    }

    private List<Integer> inPool0(Map<Integer, Integer> values) {
        return List.copyOf(values.values()).subList(0, 4);
    }

    /** Those that sink go before those that rise: nobody chose what would be left of them. */
    @Test
    void ofWeightsThatMayNotAllBeMovedNoneIs() throws Exception {
        are(2, 256, 100);
        List<KnobProposal> sinkingIsTooMuch = List.of(proposal(KnobKind.WEIGHT, "db", 128), proposal(KnobKind.WEIGHT, "web", 300));
        assertThat(turn(sinkingIsTooMuch).objected()).hasSize(2);
        assertThat(inPool0(weights)).containsExactly(256, 256, 256, 256);
        List<KnobProposal> risingIsTooMuch = List.of(proposal(KnobKind.WEIGHT, "batch", 200), proposal(KnobKind.WEIGHT, "web", 1024));
        assertThat(turn(risingIsTooMuch).objected()).hasSize(2);
        assertThat(inPool0(weights)).containsExactly(256, 256, 256, 256);
        assertThat(turn(proposal(KnobKind.WEIGHT, "batch", 200), proposal(KnobKind.WEIGHT, "web", 300)).held()).isEmpty();
        assertThat(inPool0(weights)).containsExactly(256, 300, 256, 200);
    }

    @Test
    void aCapAndWeightsThatAreIllegalTogetherDoNotBothPass() throws Exception {
        List<KnobProposal> both = new ArrayList<>(table3());
        both.add(proposal(KnobKind.CAP, "db", 750));
        Applier.Report report = turn(both);

        assertThat(caps.get(2)).as("it comes first").isEqualTo(75);
        assertThat(inPool0(weights)).containsExactly(256, 256, 256, 256);
        assertThat(weights.get(4)).as("in a pool without a cap").isEqualTo(43_008);
        assertThat(report.held()).isEqualTo(report.objected()).hasSize(3).contains("web's weight: with what else is wanted it parks db: its"
                + " cap of 75 % is above the 58.8 % that its weight of 18176 gives it in its pool; Credit1 parks it there, even beside idle CPUs");

        turn(proposal(KnobKind.CAP, "db", 500));
        assertThat(turn(table3()).held()).isEmpty();
        assertThat(inPool0(weights)).containsExactly(62_208, 43_008, 18_176, 256);
        assertThat(turn(proposal(KnobKind.CAP, "db", 750)).held()).singleElement().asString().startsWith("db: its cap of 75 % is above the 58.8 %");
    }

    @Test
    void ofACapThatGrowsAndWeightsTheCapStaysWhereThatIsEnough() throws Exception {
        are(2, 256, 50);
        List<KnobProposal> both = new ArrayList<>(table3());
        both.add(proposal(KnobKind.CAP, "db", 750));
        assertThat(turn(both).held()).singleElement().asString().startsWith("db: its cap of 75 % is above the 58.8 %");
        assertThat(inPool0(weights)).containsExactly(62_208, 43_008, 18_176, 256);
        assertThat(caps.get(2)).isEqualTo(50);
    }

    @Test
    void whereTheWeightsParkTheOldCapTooTheyStayAndTheNewCapNeedNot() throws Exception {
        are(2, 256, 60);
        are(1, 256, 50);
        List<KnobProposal> both = new ArrayList<>(table3());
        both.add(proposal(KnobKind.CAP, "db", 900));
        both.add(proposal(KnobKind.CAP, "web", 1100));
        assertThat(turn(both).held()).hasSize(4).filteredOn(why -> !why.contains("weight:")).containsExactly(
                "web: its cap of 110 % is above the 100.0 % that its weight of 256 gives it in its pool; Credit1 parks it there, even beside idle CPUs");
        assertThat(inPool0(weights)).containsExactly(256, 256, 256, 256);
        assertThat(caps.get(2)).as("it has 100 %").isEqualTo(90);
        assertThat(caps.get(1)).isEqualTo(50);
    }

    @Test
    void weightsThatAreLegalTogetherPassTogether() throws Exception {
        are(1, 256, 40);
        are(2, 256, 30);
        for (KnobProposal alone : table3().subList(0, 3)) {
            assertThat(xen.objections(Map.of(alone.knob(), alone.value()))).as("alone").containsOnlyKeys(alone.knob());
        }
        int asked = host.asked().size();
        assertThat(turn(table3()).held()).isEmpty();
        assertThat(inPool0(weights)).containsExactly(62_208, 43_008, 18_176, 256);
        assertThat(host.asked().subList(asked, host.asked().size())).filteredOn("xl cpupool-list"::equals).hasSize(1);
    }

    @Test
    void whatWasAboveAShareBeforeKeepsBackOnlyWhatMakesItWorse() throws Exception {
        are(2, 64, 75);     // and a share of 30.8 %
        int asked = host.asked().size();
        assertThat(turn(proposal(KnobKind.CAP, "db", 600), proposal(KnobKind.WEIGHT, "far", 512)).held()).isEmpty();
        assertThat(caps.get(2)).isEqualTo(60);
        assertThat(turn(proposal(KnobKind.WEIGHT, "db", 128)).held()).as("50 %, nearer").isEmpty();
        assertThat(turn(proposal(KnobKind.CAP, "web", 750)).held()).as("no other's share").isEmpty();
        assertThat(host.asked().subList(asked, host.asked().size())).contains("xl sched-credit -d 2 -c 60");

        assertThat(turn(proposal(KnobKind.WEIGHT, "batch", 512)).held()).singleElement().asString()
                .startsWith("batch's weight: with what else is wanted it parks db: its cap of 60 % is above the 44.4 %");
        assertThat(turn(proposal(KnobKind.WEIGHT, "batch", 512), proposal(KnobKind.WEIGHT, "db", 256)).held())
                .as("80 % together").isEmpty();
    }

    @Test
    void aCapThatComesDownIsAskedNothingMoreFor() throws Exception {
        are(2, 256, 75);
        GuestKnob cap = proposal(KnobKind.CAP, "db", 1).knob();
        xen.get(cap);
        int asked = host.asked().size();
        assertThat(xen.objections(Map.of(cap, 500))).isEmpty();
        assertThat(xen.objections(Map.of(proposal(KnobKind.WEIGHT, "far", 1).knob(), 512))).isEmpty();
        assertThat(host.asked()).hasSize(asked);
    }

    @Test
    void whoIsGoneIsNoOthersHindrance() throws Exception {
        GuestKnob gone = proposal(KnobKind.CAP, "db", 1).knob();
        GuestKnob other = new GuestKnob(KnobKind.CAP, new org.ic2.host.model.Target.OfGuest("9", "x", "old"));
        assertThat(xen.objections(Map.of(gone, 500, other, 500))).containsOnlyKeys(other).hasEntrySatisfying(other, why ->
                assertThat(why).startsWith("old's cap: neither xl sched-credit nor xl sched-credit2 lists domain 9"));
    }

    @Test
    void aSearchGoesOnWhereTheHostObjectsToASetting() throws Exception {
        are(2, 256, 75);
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), SEARCH
                + "guests: {web: {class: LS1}, db: {class: LS2}, far: {class: LS1}}\n");
        try (Journal trials = new Journal(directory.resolve("trial.jsonl"), Clock.systemUTC(), Set.of());
                LiveTrial trial = new LiveTrial(config, config.schedule().orElseThrow(), xen, trials)) {
            Outcome outcome = trial.measure(new SchedulerVector(OptionalInt.of(30), OptionalInt.of(1000), TABLE_3));
            assertThat(Objective.waitAndThrottled().infeasible(outcome, outcome)).hasValueSatisfying(why -> assertThat(why)
                    .startsWith("the host objects: ").contains("parks db: its cap of 75 % is above the 58.8 %"));
            assertThat(inPool0(weights)).containsExactly(256, 256, 256, 256);
        }
        assertThat(weights.get(4)).as("all is put back").isEqualTo(256);
    }

    @Test
    void withoutTheDefaultThereIsNoSearch() throws Exception {
        are(2, 1024, 110);
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), SEARCH);
        try (Journal trials = new Journal(directory.resolve("trial.jsonl"), Clock.systemUTC(), Set.of());
                LiveTrial trial = new LiveTrial(config, config.schedule().orElseThrow(), xen, trials)) {
            assertThatThrownBy(() -> trial.measure(trial.base())).isInstanceOf(IOException.class).hasMessageContaining(
                    "the default could not be tried, with which every setting is compared: db's weight: ").hasMessageContaining("lower or take off the caps");
        }
    }
}
