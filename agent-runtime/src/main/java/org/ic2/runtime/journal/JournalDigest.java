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
import java.util.Iterator;
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

    /** {@code ChangeRequest.Origin.OPERATOR}. */
    private static final String BY_HAND = "OPERATOR";
    /** A tenant's agent has no more. */
    private static final int FEW_KNOBS = 16;
    private static final int LONGEST_REASON = 200;

    private final EntryJson format;
    private final Clock clock;
    private final List<Numbered> lines = new ArrayList<>();
    private final Deque<Numbered> intents = new ArrayDeque<>();
    private final Deque<Numbered> lasting = new ArrayDeque<>();
    private JsonNode baseline;
    private long number;
    /** So many of the latest intents have nothing behind them yet that tells what runs. */
    private int unsettled;

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
        Entry entry = fresh.line().entry();
        if ((entry instanceof Entry.Applied || entry instanceof Entry.Failed) && entry.running().isPresent()) {
            shortenIntents();
        }
        if (entry instanceof Entry.Intent) {
            unsettled++;
            while (!intents.isEmpty() && (intents.size() == MOST_COUNTED || !isRecent(intents.peekFirst()))) {
                intents.removeFirst();
            }
            intents.addLast(fresh);
        } else if (entry instanceof Entry.Decided decided) {
            lasting.removeIf(earlier -> earlier.line().entry().id().equals(decided.id()));
            if (lasting.size() == MOST_COUNTED) {
                lasting.removeFirst();
            }
            lasting.addLast(fresh);
        } else {
            if (entry instanceof Entry.Resume) {
                lasting.clear();
            }
            lines.removeIf(earlier -> supersedes(entry, earlier.line().entry()));
            lines.add(fresh);
        }
    }

    /**
     * Once it is known what runs, an intent of the program is counted, and asked whether it led away from the baseline: of the values
     * of a thousand knobs one tells that. Those of people, and of a few knobs, stay as they are.
     */
    private void shortenIntents() {
        List<Numbered> open = new ArrayList<>();
        for (; unsettled > 0 && !intents.isEmpty(); unsettled--) {
            open.add(0, intents.removeLast());
        }
        unsettled = 0;
        open.forEach(intent -> intents.addLast(new Numbered(intent.number(), shortened(intent.line()))));
    }

    private Line shortened(Line line) {
        ObjectNode json = line.json();
        JsonNode desired = json.path(EntryJson.DESIRED);
        if (desired.size() <= FEW_KNOBS || json.path("origin").asText().equals(BY_HAND)) {
            return line;
        }
        String kept = "";
        for (Iterator<String> names = desired.fieldNames(); names.hasNext() && kept.isEmpty();) {
            String name = names.next();
            kept = names.hasNext() && desired.get(name).equals(json.path(EntryJson.BASELINE).get(name)) ? "" : name;
        }
        ObjectNode brief = json.deepCopy();
        brief.remove(List.of(EntryJson.BEFORE, EntryJson.BASELINE));
        brief.putObject(EntryJson.DESIRED).set(kept, desired.get(kept));
        String reason = json.path(EntryJson.REASON).asText();
        brief.put(EntryJson.REASON, reason.substring(0, Math.min(LONGEST_REASON, reason.length())));
        return format.line(brief);
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
