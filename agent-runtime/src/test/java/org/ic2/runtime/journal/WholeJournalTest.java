// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ic2.runtime.knob.Plain;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A journal that has grown long is two files that have some lines in common: who reads its history reads each entry once. */
class WholeJournalTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final int WRITTEN = 5000;

    private Path file;
    private Path old;

    /** So many that the next start makes them FILE.1, with some of the first that a start must know. */
    @BeforeEach
    void write(@TempDir Path directory) throws IOException {
        file = directory.resolve("journal.jsonl");
        old = directory.resolve("journal.jsonl.1");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < WRITTEN; i++) {
            lines.append(line(i)).append('\n');
        }
        Files.writeString(file, lines);
    }

    private static String line(int number) {
        return "{\"time\":\"" + NOW.plusSeconds(number) + "\",\"kind\":\"" + (number < 3 ? "start" : "decision") + "\",\"id\":\"" + number + "\",\"reason\":\""
                + "x".repeat(4000) + "\"}";
    }

    private void shortened() throws IOException {
        try (Journal journal = new Journal(file, Clock.systemUTC(), Plain.TIER)) {
            for (int i = WRITTEN; i < WRITTEN + 3; i++) {
                journal.append(new Entry.Decided(NOW.plusSeconds(i), "" + i, "act", "HOLD", "y", Optional.empty()));
            }
        }
        assertThat(old).exists();
        assertThat(Files.size(file)).isLessThan(600_000);
    }

    private final List<Integer> ids = new ArrayList<>();

    private Optional<String> whole() throws IOException {
        ids.clear();
        return new JournalReader(Plain.TIER).whole(file, line -> ids.add(line.json().get("id").asInt()));
    }

    private static List<Integer> fromTo(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    @Timeout(300)
    void eachEntryIsReadOnceAndInOrder() throws Exception {
        assertThat(whole()).isEmpty();
        assertThat(ids).as("before").isEqualTo(fromTo(0, WRITTEN - 1));
        shortened();
        assertThat(whole()).isEmpty();
        assertThat(ids).isEqualTo(fromTo(0, WRITTEN + 2));
        JournalReader reader = new JournalReader(Plain.TIER);
        assertThat(reader.extent(file, NOW.plusSeconds(9), NOW.plusSeconds(WRITTEN + 1)).lines()).isEqualTo(WRITTEN - 9);
        List<String> some = new ArrayList<>();
        reader.all(file, NOW.plusSeconds(9), Instant.MAX, 1, 2, line -> some.add(line.entry().id()));
        assertThat(some).containsExactly("11", "12");
    }

    /** A crash has cut its last line: it drops out, as it does of the other file, and nothing comes twice. */
    @Test
    @Timeout(300)
    void aLineThatWasCutShortDropsOut() throws Exception {
        Files.writeString(file, "{\"time\":\"2026", StandardOpenOption.APPEND);
        shortened();
        assertThat(whole()).isEmpty();
        assertThat(ids).isEqualTo(fromTo(0, WRITTEN + 2));
    }

    @Test
    @Timeout(300)
    void anOlderFileThatIsGoneIsLeftOutAndOneThatCannotBeReadIsSaid() throws Exception {
        shortened();
        Files.delete(old);
        assertThat(whole()).isEmpty();
        assertThat(ids).startsWith(2).endsWith(WRITTEN, WRITTEN + 1, WRITTEN + 2);
        Files.createDirectory(old);
        assertThat(whole()).contains("the older part of the journal, " + old + ", cannot be read and is left out: expected a regular file");
        assertThat(ids).endsWith(WRITTEN, WRITTEN + 1, WRITTEN + 2);
    }

    /** Somebody has put other lines there: nothing of the journal itself is left out for them. */
    @Test
    void anOlderFileOfSomethingElseHidesNothing() throws Exception {
        Files.write(old, "no line\n\u0000\n{\"time\":\"2026-01-01T00:00:00Z\",\"kind\":\"resume\",\"id\":\"-7\"}\n".getBytes(StandardCharsets.UTF_8));
        assertThat(whole()).isEmpty();
        assertThat(ids).startsWith(-7, 0, 1).hasSize(WRITTEN + 1);
        Files.write(old, new byte[0]);
        assertThat(whole()).isEmpty();
        assertThat(ids).hasSize(WRITTEN);
    }

    /** What is in FILE.1 alone is not in memory after a start, though all of FILE is. */
    @Test
    @Timeout(300)
    void aStartKnowsThatThereAreOlderEntries() throws Exception {
        shortened();
        try (Journal journal = new Journal(file, Clock.systemUTC(), Plain.TIER)) {
            assertThat(journal.forgotten()).isAfterOrEqualTo(Files.getLastModifiedTime(old).toInstant());
        }
    }
}
