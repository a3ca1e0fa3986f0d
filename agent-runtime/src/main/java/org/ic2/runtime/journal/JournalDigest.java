// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The few lines of a journal that {@link Recovered} needs, in their order: the last of each kind, and every intent of
 * the last hour, which the budget counts. They carry the baseline of their time, and no decision. Not thread-safe.
 */
final class JournalDigest {

    private static final Duration COUNTED_FOR = Duration.ofHours(1);

    private final EntryJson format;
    private final Clock clock;
    private final List<Line> lines = new ArrayList<>();
    private JsonNode baseline;

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
        lines.removeIf(earlier -> supersedes(line.entry(), earlier.entry()));
        ObjectNode brief = line.json().deepCopy();
        brief.remove(EntryJson.DECISION);
        if (brief.has(EntryJson.BASELINE)) {
            baseline = brief.get(EntryJson.BASELINE);
        } else if (baseline != null) {
            brief.set(EntryJson.BASELINE, baseline);
        }
        lines.add(format.line(brief));
    }

    /** What is left, oldest first. */
    List<Line> lines() {
        return List.copyOf(lines);
    }

    private static boolean isNeeded(Entry entry) {
        return entry instanceof Entry.Start || entry instanceof Entry.Intent || entry instanceof Entry.Applied
                || entry instanceof Entry.Failed || entry instanceof Entry.Manual || entry instanceof Entry.Resume;
    }

    /** What was read after a failure is kept until something is read again. */
    private boolean supersedes(Entry entry, Entry earlier) {
        boolean counted = earlier instanceof Entry.Intent && isRecent(earlier);
        return entry.kind().equals(earlier.kind()) && !counted
                && (entry.running().isPresent() || earlier.running().isEmpty());
    }

    private boolean isRecent(Entry entry) {
        return Duration.between(entry.time(), clock.instant()).compareTo(COUNTED_FOR) < 0;
    }
}
