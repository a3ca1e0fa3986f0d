// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /api/events} over a journal that is longer than what is kept in memory. */
class EventPagesTest {

    private static final Instant BEGIN = Instant.parse("2026-01-31T12:00:00.000001Z");
    private static final int WRITTEN = 450;

    @TempDir
    private Path directory;

    private Journal journal;
    private EventPages pages;

    @BeforeEach
    void write() throws IOException {
        Path file = directory.resolve("journal.jsonl");
        for (int i = 0; i < WRITTEN - 1; i++) {
            Files.writeString(file, "{\"time\":\"" + time(i) + "\",\"kind\":\"resume\",\"reason\":\"" + i + "\"}\n",
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        Files.writeString(file, "{\"time\":\"then\"}\n{\"ti\n\u0000\n", StandardOpenOption.APPEND);
        journal = new Journal(file, Clock.systemUTC(), Set.of());
        journal.append(new Entry.Resume(time(WRITTEN - 1), "" + (WRITTEN - 1), ""));
        pages = new EventPages(journal, Set.of());
    }

    @AfterEach
    void close() throws IOException {
        journal.close();
    }

    private static Instant time(int number) {
        return BEGIN.plusSeconds(number);
    }

    private static HttpRequest request(String query) {
        return new HttpRequest("GET", "/api/events", query, Map.of(), new byte[0]);
    }

    private Answer page(String query) throws IOException {
        return pages.page(EventPages.Range.of(request(query)));
    }

    private static List<Integer> numbers(Answer answer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        answer.body().writeTo(out);
        List<Integer> numbers = new ArrayList<>();
        for (JsonNode entry : new JsonMapper().readTree(out.toByteArray())) {
            numbers.add(entry.get("reason").asInt());
        }
        return numbers;
    }

    private static List<Integer> fromTo(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().toList();
    }

    /** What the header says of the page before. */
    private static String before(Answer answer) {
        return answer.header().orElse("").replaceAll("^Link: </api/events\\?(.*)>; rel=\"prev\"$", "$1");
    }

    @Test
    void theLatestAreThePageAndEachPageHasTheAddressOfTheOneBeforeUntilTheFirst() throws Exception {
        Answer page = page("");
        assertThat(numbers(page)).isEqualTo(fromTo(250, 449));
        page = page(before(page));
        assertThat(numbers(page)).isEqualTo(fromTo(50, 249));
        page = page(before(page));
        assertThat(numbers(page)).isEqualTo(fromTo(0, 49));
        assertThat(page.header()).isEmpty();
    }

    @Test
    void aRangeIsAnsweredFromMemoryAndFromTheFileAlike() throws Exception {
        assertThat(numbers(page("since=" + time(440) + "&limit=3"))).isEqualTo(fromTo(447, 449));
        Answer page = page("since=" + time(440) + "&until=" + time(449) + "&limit=5");
        assertThat(numbers(page)).isEqualTo(fromTo(444, 448));
        assertThat(numbers(page(before(page)))).isEqualTo(fromTo(441, 443));
        assertThat(page(before(page)).header()).isEmpty();
        page = page("since=" + time(10) + "&until=" + time(20) + "&limit=5");
        assertThat(numbers(page)).isEqualTo(fromTo(15, 19));
        assertThat(numbers(page(before(page)))).isEqualTo(fromTo(11, 14));
        assertThat(page(before(page)).header()).isEmpty();
        assertThat(numbers(page("limit=1000"))).isEqualTo(fromTo(0, 449));
        assertThat(numbers(page("until=" + time(0)))).isEmpty();
        assertThat(numbers(page("since=" + time(449)))).isEmpty();
        assertThat(numbers(page("since=soon&limit=1"))).as("as before: it counts as not given").isEqualTo(fromTo(449, 449));
    }

    /** The journal has become long in between: what it was is FILE.1, of which the new one has the end. */
    @Test
    void whatTheJournalWasBeforeItWasShortenedIsThereToo() throws Exception {
        List<String> lines = Files.readAllLines(journal.file());
        Files.write(journal.file().resolveSibling("journal.jsonl.1"), lines.subList(0, 300));
        List<String> fresh = new ArrayList<>(List.of(lines.get(7)));
        fresh.addAll(lines.subList(250, lines.size()));
        Files.write(journal.file(), fresh);
        assertThat(numbers(page("limit=1000"))).isEqualTo(fromTo(0, 449));
        assertThat(numbers(page("since=" + time(10) + "&until=" + time(20) + "&limit=5"))).isEqualTo(fromTo(15, 19));
        assertThat(numbers(page("until=" + time(260) + "&limit=20"))).isEqualTo(fromTo(240, 259));
    }

    @Test
    void theUsualPageIsReadFromMemory() throws Exception {
        Files.writeString(journal.file(), "");
        Answer page = page("");
        assertThat(numbers(page)).isEqualTo(fromTo(250, 449));
        assertThat(before(page)).contains("skip=200");
    }

    /** Pages from the latest to the first, put together. */
    private List<Integer> turned(String query) throws IOException {
        List<Integer> all = new ArrayList<>();
        Answer page = page(query);
        all.addAll(numbers(page));
        while (!before(page).isEmpty()) {
            journal.append(new Entry.Resume(time(10_000 + all.size()), "-1", ""));
            page = page(before(page));
            all.addAll(0, numbers(page));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "limit=7", "limit=150", "limit=300", "limit=1000"})
    void noLineIsLostOrShownTwiceWhereTimesGoBackOrAreEqual(String query) throws Exception {
        for (int i = 450; i < 900; i++) {
            journal.append(new Entry.Resume(time(i < 600 ? i - 400 : i < 750 ? 300 : 100 + i), "" + i, ""));
        }
        assertThat(turned(query)).isEqualTo(fromTo(0, 899));
    }

    @Test
    void theLatestLinesAreThoseWrittenLast() throws Exception {
        for (int i = 450; i < 1000; i++) {
            journal.append(new Entry.Resume(time(i - 450), "" + i, ""));
        }
        assertThat(numbers(page("limit=250"))).isEqualTo(fromTo(750, 999));
        assertThat(numbers(page("until=" + time(300) + "&limit=3"))).as("from the file").isEqualTo(fromTo(747, 749));
        assertThat(numbers(page("since=" + time(445) + "&limit=110"))).as("of both times").hasSize(108).startsWith(446, 447, 448, 449, 896);
    }

    @Test
    void epochSecondsAreTimesToo() throws Exception {
        assertThat(numbers(page("since=" + time(100).getEpochSecond() + ".5&until=" + time(102).getEpochSecond() + ".5")))
                .isEqualTo(fromTo(101, 102));
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "limit=99999999999", "until=soon", "until=", "skip=-1", "skip=x", "skip=",
        "until=+1000000000-12-31T23:59:59Z"})
    void invalidRangesAreRefused(String query) {
        assertThatThrownBy(() -> page(query)).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("expected as ");
    }
}
