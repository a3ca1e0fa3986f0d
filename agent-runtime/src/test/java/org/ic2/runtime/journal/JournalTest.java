// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A journal that is written for months: it stays short, and a start after a crash knows what it must. */
class JournalTest {

    private static final Settings BASE = Plain.settings(650, 5000, 50, 0);
    private static final Settings AWAY = Plain.settings(400, 15_000, 50, 1);
    private static final int LIMIT = 16 * 1024 * 1024;
    private static final int TAIL = 512 * 1024;
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private Path file;
    private Path old;

    @BeforeEach
    void place(@TempDir Path directory) {
        file = directory.resolve("journal.jsonl");
        old = directory.resolve("journal.jsonl.1");
    }

    private Journal journal() throws IOException {
        return new Journal(file, Clock.fixed(NOW, ZoneOffset.UTC), Plain.TIER);
    }

    /** What a start after a kill -9 finds. */
    private JournalReplay past() throws IOException {
        try (Journal next = journal()) {
            return JournalReplay.of(next.history(), BASE);
        }
    }

    private List<Entry> entries() throws IOException {
        return new JournalReader(Plain.TIER).latest(file).stream().map(Line::entry).toList();
    }

    private static Entry.Request request(String id) {
        return new Entry.Request(id, "DECISION", "MITIGATE", "because");
    }

    private static Entry failed(long epoch, Optional<Settings> running) {
        return new Entry.Failed(NOW, request("d-8"), "refused", false, epoch, running);
    }

    private static Entry decided(int number) {
        return new Entry.Decided(NOW, "d-" + number, "act", "HOLD", "y".repeat(4000), Optional.empty());
    }

    /** An action of half a minute ago and one of yesterday; then a person takes over. */
    private static void act(Journal journal) throws IOException {
        journal.append(new Entry.Start(NOW, "act", "shop", Optional.empty(), Optional.of(BASE), ""));
        for (Instant time : List.of(NOW.minusSeconds(86_400), NOW.minusSeconds(30))) {
            journal.append(new Entry.Intent(time, request("d-7"), Optional.of(BASE), Optional.of(AWAY),
                    Optional.of(JsonNodeFactory.instance.objectNode().put("numbers", "many"))));
        }
        journal.append(new Entry.Applied(NOW, request("d-7"), 20, 41, Optional.of(AWAY), ""));
        journal.append(new Entry.Manual(NOW, "by hand", Optional.empty(), "me"));
    }

    private static void assertKnown(JournalReplay past) {
        assertThat(past.epoch()).isEqualTo(41);
        assertThat(past.leftBehind()).get().asString().contains("threads 400");
        assertThat(past.manual()).contains("by hand");
        assertThat(past.lastAway()).contains(NOW.minusSeconds(30));
        assertThat(past.actions()).as("counted once").containsOnlyOnce(NOW.minusSeconds(30));
        assertThat(past.moved()).hasSize(3);
    }

    /** Lets the file grow to a size with decisions that nobody acts on. */
    private void growTo(int size) throws IOException {
        String line = "{\"time\":\"" + NOW + "\",\"kind\":\"decision\",\"text\":\"" + "x".repeat(4000) + "\"}\n";
        Files.writeString(file, line.repeat((int) (size - Files.size(file)) / line.length()), StandardOpenOption.APPEND);
    }

    @Test
    void aStartKnowsWhatWasDoneLongBeforeTheLatestEntries() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
        }
        growTo(4 * TAIL);
        assertKnown(past());
    }

    @Test
    void itIsShortenedWhileItIsWrittenAndKeepsWhatAStartMustKnow() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
            growTo(LIMIT);
            for (int i = 0; i < 3; i++) {
                journal.append(decided(i));
            }
            assertThat(Files.size(file)).isLessThan(TAIL + 20_000);
            assertThat(Files.size(old)).isGreaterThan(LIMIT);
            assertThat(entries()).extracting(Entry::id).contains("d-0", "d-1", "d-2");
            assertThat(journal.failure()).isNull();
        }
        assertKnown(past());
        growTo(LIMIT + TAIL);
        assertKnown(past());
        assertThat(Files.size(file)).as("and at a start").isLessThan(TAIL + 20_000);
        assertKnown(past());
    }

    @Test
    void oneThatCannotBeShortenedIsStillWritten() throws Exception {
        Files.createDirectories(old.resolve("in the way"));
        try (Journal journal = journal()) {
            act(journal);
            growTo(LIMIT);
            for (int i = 0; i < 3; i++) {
                journal.append(decided(i));
            }
            assertThat(journal.failure()).isNull();
            assertThat(entries()).extracting(Entry::id).contains("d-0", "d-1", "d-2");
        }
        assertThat(Files.size(file)).isGreaterThan(LIMIT);
        assertKnown(past());
    }

    @Test
    void bytesThatAreNoTextSpoilTheirOwnLineOnly() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
        }
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xc0, 0, '\n'}, StandardOpenOption.APPEND);
        assertKnown(past());
    }

    @Test
    void aLineOfAnyLengthIsLeftOutAndKeepsNothingElseOut() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
        }
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
            byte[] part = "x".repeat(1024 * 1024).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 30; i++) {
                out.write(part);
            }
        }
        assertKnown(past());
        assertThat(Files.size(file)).as("it was shortened").isLessThan(TAIL + 20_000);
    }

    @Test
    @Timeout(300)
    void ofVeryManyActionsInAnHourTheLatestAreCounted() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            lines.append("{\"time\":\"").append(NOW.minusSeconds(3599 - i / 12))
                    .append("\",\"kind\":\"intent\",\"id\":\"d-").append(i).append("\"}\n");
        }
        Files.writeString(file, lines);
        try (Journal journal = journal()) {
            assertThat(journal.history()).hasSize(1000);
        }
        assertThat(past().actions()).hasSize(1000).endsWith(NOW.minusSeconds(3599 - 39_999 / 12));
        assertThat(past().leftBehind()).get().asString().contains("d-39999");
    }

    @Test
    @Timeout(300)
    void aFifoIsNoJournal() throws Exception {
        new ProcessBuilder("mkfifo", file.toString()).start().waitFor();
        try (Journal journal = journal()) {
            assertThat(journal.failure()).contains("expected a regular file");
            assertThatThrownBy(() -> act(journal)).isInstanceOf(IOException.class).hasMessageContaining("regular file");
        }
    }

    @Test
    void valuesAfterAFailureAreKnownUntilTheNextRead() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
            journal.append(failed(42, Optional.of(AWAY.with(Plain.LEVEL, 0))));
            for (int epoch = 43; epoch < 50; epoch++) {
                journal.append(failed(epoch, Optional.empty()));
            }
            assertThat(journal.history()).filteredOn(line -> line.entry() instanceof Entry.Failed).hasSize(2);
        }
        assertThat(past().moved()).containsExactlyInAnyOrder(Plain.THREADS, Plain.TIMEOUT);
        assertThat(past().epoch()).isEqualTo(49);
    }

    /** The file has the others, and it is said from when on they are there alone. */
    @Test
    void ofLongEntriesOnlyFewAreKeptInMemory() throws Exception {
        try (Journal journal = journal()) {
            for (int number = 0; number < 30; number++) {
                journal.append(new Entry.Decided(NOW.plusSeconds(number), "d-" + number, "act", "HOLD", "y".repeat(100_000), Optional.empty()));
            }
            assertThat(journal.recent()).hasSizeBetween(1, 10);
            assertThat(journal.recent().get(journal.recent().size() - 1).entry().time()).isEqualTo(NOW.plusSeconds(29));
            assertThat(journal.forgotten()).isEqualTo(journal.recent().get(0).entry().time().minusSeconds(1));
            assertThat(journal.after(journal.count() - 3)).hasSize(3);
            assertThat(journal.after(0)).isEqualTo(journal.recent());
            journal.append(new Entry.Decided(NOW.plusSeconds(30), "d-30", "act", "HOLD", "y".repeat(2_000_000), Optional.empty()));
            assertThat(journal.recent()).as("the last is there however long").hasSize(1);
            for (int number = 31; number < 300; number++) {
                journal.append(new Entry.Decided(NOW.plusSeconds(number), "d", "act", "HOLD", "y", Optional.empty()));
            }
            assertThat(journal.recent()).hasSize(Journal.RECENT);
        }
    }

    @Test
    void appendedEntriesAreKnownToLaterReaders() throws Exception {
        try (Journal journal = journal()) {
            act(journal);
            assertKnown(JournalReplay.of(journal.history(), BASE));
            journal.append(new Entry.Resume(NOW, "handed back", "me"));
            assertThat(JournalReplay.of(journal.history(), BASE).manual()).isEmpty();
        }
    }

    @Test
    void knobsComeAndGo() throws Exception {
        try (Journal journal = new Journal(file, Clock.fixed(NOW, ZoneOffset.UTC), java.util.Set.of())) {
            journal.append(new Entry.Applied(NOW, request("a"), 1, 1, Optional.of(AWAY), ""));
            assertThat(JournalReplay.of(journal.history(), Settings.none()).inForce()).contains(Settings.none());

            journal.know(Plain.TIER);

            assertThat(JournalReplay.of(journal.history(), BASE).inForce()).contains(AWAY);
        }
    }

    /** One for each that they belong to, and until a person hands back. */
    @Test
    void decisionsThatLastAreKnownToTheNextStart() throws Exception {
        try (Journal journal = journal()) {
            for (String id : List.of("web", "db", "web")) {
                journal.append(new Entry.Decided(NOW, id, "act", Entry.Decided.OOM_KILL, "killed", Optional.empty()));
                journal.append(new Entry.Decided(NOW, id, "act", "ADVISE", "no more than that", Optional.empty()));
            }
        }
        try (Journal next = journal()) {
            assertThat(next.history()).extracting(line -> line.entry().id()).containsExactly("db", "web");
            next.append(new Entry.Resume(NOW, "handed back", "me"));
        }
        try (Journal next = journal()) {
            assertThat(next.history()).extracting(Line::entry).singleElement().isInstanceOf(Entry.Resume.class);
        }
    }
}
