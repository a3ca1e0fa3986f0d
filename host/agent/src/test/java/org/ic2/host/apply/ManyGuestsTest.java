// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host of 500 guests. Times are a bench's: host/testbed/bench/scale.py. */
class ManyGuestsTest {
    private static final int GUESTS = 500;
    private static final int TURNS = 20;
    private static final int LONGEST_ENTRY = 250_000;

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private Map<String, Integer> baseline;

    @BeforeEach
    void start() {
        for (int i = 0; i < GUESTS; i++) {
            host.start("guest" + i, "uuid-" + i, GuestClass.values()[1 + i % 4], 256, 100 * (i % 7), 512);
        }
        baseline = new HashMap<>(host.values);
    }

    private Journal journal() throws IOException {
        return new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    private Applier applier(Journal journal) throws IOException, InterruptedException {
        Set<String> names = host.guests.stream().map(Guest::name).collect(Collectors.toSet());
        Ownership owners = new Ownership(List.of(new Claim("joint", EnumSet.of(KnobKind.CAP, KnobKind.MEMORY), names)));
        Applier applier = new Applier(new ApplierParts(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"), owners,
                new KnobLimits(host.ranges, Map.of()), 1000, false, Clock.systemUTC(), System::nanoTime));
        applier.observe(host.guests, host.pools);
        return applier;
    }

    private void move(Applier applier, int turn) throws InterruptedException {
        List<KnobProposal> proposals = new ArrayList<>();
        Rationale why = new Rationale("a formula of the usual length, as v < ref u / 2 within least..most",
                Map.of("u", 130.0, "v", 12.5, "ref", 0.8, "lambda", 1.5, "peak", 96.0, "least", 100.0, "most", 900.0));
        for (Guest guest : host.guests) {
            proposals.add(new KnobProposal(GuestKnob.of(KnobKind.CAP, guest), 700 + 10 * turn, "joint", why));
            proposals.add(new KnobProposal(GuestKnob.of(KnobKind.MEMORY, guest), 400 - 10 * turn, "joint", why));
        }
        applier.observe(host.guests, host.pools);
        assertThat(applier.apply("turn-" + turn, proposals, 1e12).held()).isEmpty();
    }

    /** An hour of turns fits the heap, and a start reads every entry, however long. */
    @Test
    void whatAStartMustKnowIsBoundedAndReadWhole() throws Exception {
        List<Line> before;
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            for (int turn = 0; turn < TURNS; turn++) {
                move(applier, turn);
            }
            before = journal.history();
            assertThat(before).filteredOn(line -> line.entry() instanceof Entry.Intent).hasSize(2 * TURNS);
            assertThat(before.stream().mapToInt(line -> line.toString().length()).sum()).isLessThan(2 * LONGEST_ENTRY + 2 * TURNS * 1000);
        }
        try (Journal journal = journal()) {
            assertThat(journal.history()).extracting(Line::toString).isEqualTo(before.stream().map(Line::toString).toList());
            assertThat(JournalReplay.of(journal.history(), Settings.none()).actions()).hasSize(2 * TURNS);
        }
    }

    @Test
    void entriesAreBoundedAndAllIsRestored() throws Exception {
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            for (int turn = 0; turn < 3; turn++) {
                move(applier, turn);
                assertThat(host.values).isNotEqualTo(baseline);
            }
            assertThat(applier.restore("end", ChangeRequest.Origin.EXIT, "the test ends").restored()).hasSize(2 * GUESTS);
        }
        assertThat(host.values).isEqualTo(baseline);
        List<String> entries = Files.readAllLines(directory.resolve("journal.jsonl"));
        assertThat(entries).allMatch(entry -> entry.length() < LONGEST_ENTRY).anyMatch(entry -> entry.contains("\"more\":400"));
        assertThat(entries).as("what is moved is named").anyMatch(entry -> entry.contains("guest499's memory"));
    }

    /** As after kill -9, with every order of the last turn without an answer. */
    @Test
    void theNextAgentRestoresAll() throws Exception {
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            move(applier, 0);
            host.unanswered = GUESTS;
            applier.observe(host.guests, host.pools);
            applier.apply("turn-1", host.guests.stream().map(guest -> new KnobProposal(GuestKnob.of(KnobKind.CAP, guest), 300, "joint",
                    new Rationale("as the test says", Map.of()))).toList(), 1e12);
        }
        host.unanswered = 0;
        try (Journal journal = journal()) {
            assertThat(applier(journal).restore("end", ChangeRequest.Origin.RECOVERY, "the test ends").problems()).isEmpty();
        }
        assertThat(host.values).isEqualTo(baseline);
    }
}
