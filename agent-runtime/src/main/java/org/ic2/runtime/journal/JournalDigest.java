// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * The few lines of a journal that a new start needs, in their order: the last of each kind, the decisions that last until a
 * person hands back, and the intents of the last hour, which the budget counts; of more than {@link #MOST_COUNTED} the latest. They carry the baseline of their
 * time, and no decision. Not thread-safe.
 */
final class JournalDigest {

    private static final Duration COUNTED_FOR = Duration.ofHours(1);

    /** Sixteen times the default budget. */
    private static final int MOST_COUNTED = 1000;

    private final EntryJson format;
    private final Clock clock;
    private final List<Numbered> lines = new ArrayList<>();
    private final Deque<Numbered> intents = new ArrayDeque<>();
    private final Deque<Numbered> lasting = new ArrayDeque<>();
    private JsonNode baseline;
    private long number;

    /** A line and its place among all. */
    private record Numbered(long number, Line line) {
    }

    JournalDigest(EntryJson format, Clock clock) {
        this.format = format;
        this.clock = clock;
    }

    /** Takes the text of the next line, which may make earlier ones superfluous. */
    void add(String text) {
        format.line(text).ifPresent(this::add);
    }

    /** Takes the next line, which may make earlier ones superfluous. */
    void add(Line line) {
        if (!isNeeded(line.entry())) {
            return;
        }
        ObjectNode brief = line.json().deepCopy();
        brief.remove(EntryJson.DECISION);
        if (brief.has(EntryJson.BASELINE)) {
            baseline = brief.get(EntryJson.BASELINE);
        } else if (baseline != null) {
            brief.set(EntryJson.BASELINE, baseline);
        }
        keep(new Numbered(number++, format.line(brief)));
    }

    private void keep(Numbered fresh) {
        if (fresh.line().entry() instanceof Entry.Intent) {
            while (!intents.isEmpty() && (intents.size() == MOST_COUNTED || !isRecent(intents.peekFirst()))) {
                intents.removeFirst();
            }
            intents.addLast(fresh);
        } else if (fresh.line().entry() instanceof Entry.Decided decided) {
            lasting.removeIf(earlier -> earlier.line().entry().id().equals(decided.id()));
            if (lasting.size() == MOST_COUNTED) {
                lasting.removeFirst();
            }
            lasting.addLast(fresh);
        } else {
            if (fresh.line().entry() instanceof Entry.Resume) {
                lasting.clear();
            }
            lines.removeIf(earlier -> supersedes(fresh.line().entry(), earlier.line().entry()));
            lines.add(fresh);
        }
    }

    /** What is left, oldest first. */
    List<Line> lines() {
        return Stream.of(lines, lasting, intents).flatMap(Collection::stream).sorted(Comparator.comparingLong(Numbered::number))
                .map(Numbered::line).toList();
    }

    static boolean isNeeded(Entry entry) {
        return entry instanceof Entry.Start || entry instanceof Entry.Intent || entry instanceof Entry.Applied
                || entry instanceof Entry.Failed || entry instanceof Entry.Manual || entry instanceof Entry.Resume
                || entry instanceof Entry.Decided decided && decided.lasts();
    }

    /** What was read after a failure is kept until something is read again. */
    private static boolean supersedes(Entry entry, Entry earlier) {
        return entry.kind().equals(earlier.kind())
                && (entry.running().isPresent() || earlier.running().isEmpty());
    }

    private boolean isRecent(Numbered intent) {
        return Duration.between(intent.line().entry().time(), clock.instant()).compareTo(COUNTED_FOR) < 0;
    }
}
