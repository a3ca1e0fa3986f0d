// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;

/** The lines of a journal stay what other programs read; unknown kinds and fields are kept. */
class EntryJsonTest {

    private static final Knob WORKERS = new Plain("max-request-workers", "mxc", 0, 1, 1);
    private static final Knob KEEP_ALIVE = new Plain("keep-alive-timeout", "kat", 1, 0, 1000);
    private static final Knob CHILDREN = new Plain("php-max-children", "php", 2, 1, 1);
    private static final Knob MITIGATION = new Plain("mitigation", "mitigation", 3, 0, 1);
    private static final Set<Knob> KNOBS = Set.of(WORKERS, KEEP_ALIVE, CHILDREN, MITIGATION);
    private static final Settings BASE = settings(650, 5000, 1, 0);
    private static final Instant NOW = Instant.parse("2026-01-01T00:03:00Z");

    private final EntryJson json = new EntryJson(KNOBS);

    private static Settings settings(int workers, int keepAlive, int children, int mitigation) {
        return Settings.none().with(WORKERS, workers).with(KEEP_ALIVE, keepAlive).with(CHILDREN, children).with(MITIGATION, mitigation);
    }

    /** A journal with every kind of entry. */
    private static String written() throws IOException {
        try (var in = EntryJsonTest.class.getResourceAsStream("every-kind.jsonl")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyKindIsReadAndWrittenAgainByteForByte() throws IOException {
        List<Line> lines = written().lines().map(text -> json.line(text).orElseThrow()).toList();
        assertThat(lines).extracting(line -> line.entry().getClass().getSimpleName()).contains("Start", "Intent",
                "Applied", "Failed", "Refused", "Decided", "Manual", "Resume", "Stop").doesNotContain("Other");
        assertThat(lines).extracting(line -> json.line(line.entry()).toString())
                .containsExactlyElementsOf(written().lines().toList());
        assertThat(lines.get(0).baseline()).contains(BASE);
        assertThat(lines).filteredOn(line -> line.entry() instanceof Entry.Failed).extracting(Line::entry).first()
                .isEqualTo(new Entry.Failed(Instant.parse("2026-01-01T00:01:18.200Z"), new Entry.Request("d-78",
                        "DECISION", "ESCALATE", "interference persists"),
                        "fake server: mitigation should be 3 and is 2", true, 3,
                        Optional.of(settings(300, 6230, 1, 2))));
    }

    @Test
    void aNewStartRecoversWhatAnEarlierAgentLeft(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("journal.jsonl");
        Files.writeString(file, written());
        try (Journal journal = new Journal(file, Clock.fixed(NOW, ZoneOffset.UTC), KNOBS)) {
            JournalReplay recovered = JournalReplay.of(journal.history(), BASE);
            assertThat(recovered.epoch()).isEqualTo(7);
            assertThat(recovered.mode()).contains("advise");
            assertThat(recovered.manual()).isEmpty();
            assertThat(recovered.leftBehind()).get().asString().contains("mitigation 2");
            assertThat(recovered.inForce()).contains(settings(650, 5000, 1, 2));
            assertThat(recovered.actions()).hasSize(8);
            assertThat(journal.recent()).extracting(Line::toString).containsExactlyElementsOf(written().lines().toList());
        }
    }

    @Test
    void unknownKindsAndFieldsAreKept(@TempDir Path directory) throws IOException {
        String kind = "{\"time\":\"2026-01-01T00:02:59Z\",\"kind\":\"migrated\",\"id\":\"m-1\",\"reason\":\"cooler\","
                + "\"epoch\":9,\"to\":{\"host\":\"b\"}}";
        String field = "{\"time\":\"2026-01-01T00:02:59Z\",\"kind\":\"manual\",\"who\":\"root\",\"reason\":\"by hand\"}";
        Path file = directory.resolve("journal.jsonl");
        Files.writeString(file, written() + kind + "\n" + field + "\n");
        try (Journal journal = new Journal(file, Clock.fixed(NOW, ZoneOffset.UTC), KNOBS)) {
            assertThat(journal.recent()).extracting(Line::toString).endsWith(kind, field);
            assertThat(journal.history()).extracting(line -> line.json().path("who").asText()).contains("root");
            assertThat(JournalReplay.of(journal.history(), BASE).manual()).contains("by hand");
        }
        Entry migrated = json.line(kind).orElseThrow().entry();
        assertThat(migrated).isInstanceOf(Entry.Other.class);
        assertThat(List.of(migrated.kind(), migrated.id(), migrated.reason(), migrated.epoch()))
                .containsExactly("migrated", "m-1", "cooler", 9L);
        assertThat(json.line(migrated)).hasToString(kind);
    }

    @Test
    void aLineThatSaysLessIsReadForWhatItSays() {
        assertThat(entry("{\"time\":\"?\",\"kind\":\"applied\"}")).isEqualTo(new Entry.Applied(Instant.EPOCH,
                new Entry.Request("", "", "", ""), 0, 0, Optional.empty(), ""));
        assertThat(entry("{\"time\":\"" + NOW + "\",\"kind\":\"manual\"}"))
                .isEqualTo(new Entry.Manual(NOW, "a person took over", Optional.empty(), ""));
        assertThat(entry("{\"time\":\"" + NOW + "\",\"kind\":\"stop\",\"configuration\":{\"mxc\":-1}}").running()).isEmpty();
        for (String text : new String[] {"", "7", "[]", "null", "{}", "{\"time\":\"" + NOW + "\"}", "{\"kind\":\"stop\"}",
            "{\"time\":\"" + NOW + "\",\"kind\":\"st"}) {
            assertThat(json.line(text)).as(text).isEmpty();
        }
    }

    private Entry entry(String text) {
        return json.line(text).orElseThrow().entry();
    }

    /** Lines with some of them torn out or changed: an entry or none, and never an error. */
    @Test
    void damagedLinesSpoilNothing(@TempDir Path directory) throws IOException {
        Random random = new Random(11);
        Path file = directory.resolve("journal.jsonl");
        StringBuilder all = new StringBuilder();
        List<String> lines = written().lines().map(this::brief).toList();
        for (int round = 0; round < 2000; round++) {
            StringBuilder text = new StringBuilder(lines.get(random.nextInt(lines.size())));
            for (int change = random.nextInt(4); change >= 0; change--) {
                text.setCharAt(random.nextInt(text.length()), "{}[]\",:0aZ-. \\".charAt(random.nextInt(14)));
            }
            all.append(text).append('\n');
        }
        Files.writeString(file, all, StandardOpenOption.CREATE);
        try (Journal journal = new Journal(file, Clock.fixed(NOW, ZoneOffset.UTC), KNOBS)) {
            assertThat(journal.history()).isNotEmpty();
            assertThat(JournalReplay.of(journal.history(), BASE).actions()).allMatch(time -> time.isAfter(Instant.EPOCH));
        }
    }

    private String brief(String text) {
        ObjectNode node = json.line(text).orElseThrow().json();
        node.remove("decision");
        return node.toString();
    }
}
