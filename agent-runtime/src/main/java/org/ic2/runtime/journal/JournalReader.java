// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.ic2.runtime.knob.Knob;

/**
 * Reads journals, whether an agent writes them or not. Lines that are no JSON object, such as one cut short by a crash,
 * are left out.
 */
public final class JournalReader {

    /** How every line begins that we write. */
    private static final String TIME = "{\"time\":\"";
    private static final String KIND = "\",\"kind\":\"";

    private final EntryJson json;

    /**
     * The lines of a range of time.
     *
     * @param lines  how many there are
     * @param newest the latest of their times, which need not be the last one's: clocks are set back; the earliest of all
     *               times where there is no line
     */
    public record Extent(int lines, Instant newest) {
    }

    /**
     * @param knobs those whose values are read
     */
    public JournalReader(Set<Knob> knobs) {
        json = new EntryJson(knobs);
    }

    /** What one line says, without its end; empty when it is no whole one. */
    public Optional<Line> line(String text) {
        return json.line(text);
    }

    /** The entries of a journal's file, of a long one the latest; oldest first. */
    public List<Line> latest(Path file) throws IOException {
        return JournalFile.tail(file).lines().flatMap(text -> line(text).stream()).toList();
    }

    /** All entries of a journal's file, one after the other, however many there are; those that it has kept of a longer one first. */
    public void all(Path file, Consumer<Line> use) throws IOException {
        JournalFile.read(file, text -> line(text).ifPresent(use));
    }

    /**
     * All entries of a journal, those before it was shortened, too, each once.
     *
     * @return why the older ones cannot be read and are left out; empty where they were read, or there are none
     */
    public Optional<String> whole(Path file, Consumer<Line> use) throws IOException {
        return JournalFile.readAll(file, text -> line(text).ifPresent(use));
    }

    /**
     * Counts the lines of a range of time in a whole journal.
     *
     * @param since the latest time that is too early
     * @param until the earliest time that is too late
     */
    public Extent extent(Path file, Instant since, Instant until) throws IOException {
        int[] lines = {0};
        Instant[] newest = {Instant.MIN};
        JournalFile.readAll(file, text -> {
            Instant time = time(text);
            if (time.isAfter(since) && time.isBefore(until)) {
                lines[0]++;
                newest[0] = time.isAfter(newest[0]) ? time : newest[0];
            }
        });
        return new Extent(lines[0], newest[0]);
    }

    /**
     * Some of the lines of a range of time, one after the other, in the order in which they were written.
     *
     * @param first so many are left out before them
     * @param most  so many at most
     */
    public void all(Path file, Instant since, Instant until, int first, int most, Consumer<Line> use) throws IOException {
        int[] number = {0};
        JournalFile.readAll(file, text -> {
            Instant time = time(text);
            if (time.isAfter(since) && time.isBefore(until)) {
                if (number[0] >= first && number[0] - first < most) {
                    line(text).ifPresent(use);
                }
                number[0]++;
            }
        });
    }

    /** When a line was written, of a usual one without reading all of it; of what is no line a time that is in no range. */
    private Instant time(String text) {
        int end = text.startsWith(TIME) && text.endsWith("}") ? text.indexOf(KIND, TIME.length()) : -1;
        try {
            return Instant.parse(text.substring(TIME.length(), end));
        } catch (DateTimeParseException | IndexOutOfBoundsException e) {
            return line(text).map(line -> line.entry().time()).orElse(Instant.MAX);
        }
    }
}
