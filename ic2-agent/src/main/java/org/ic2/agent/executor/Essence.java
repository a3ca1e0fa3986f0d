// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The few entries of a journal that {@link PastActions} needs, in their order: the last of each kind, and every intent
 * of the last hour, which the budget counts. They carry the baseline of their time, and no decision. Not thread-safe.
 */
final class Essence {

    private static final Set<String> KINDS = Set.of("start", "intent", "applied", "failed", "manual", "resume");
    private static final String COUNTED = "intent";
    private static final Duration COUNTED_FOR = Duration.ofHours(1);
    private static final String BASELINE = "baseline";
    private static final String CONFIGURATION = "configuration";

    private final Clock clock;
    private final List<JsonNode> entries = new ArrayList<>();
    private JsonNode baseline;

    Essence(Clock clock) {
        this.clock = clock;
    }

    /** Takes the next entry, which may make earlier ones superfluous. */
    void add(JsonNode entry) {
        String kind = kind(entry);
        if (!KINDS.contains(kind)) {
            return;
        }
        entries.removeIf(earlier -> kind(earlier).equals(kind) && supersedes(entry, earlier));
        ObjectNode brief = entry.deepCopy();
        brief.remove("decision");
        if (brief.has(BASELINE)) {
            baseline = brief.get(BASELINE);
        } else if (baseline != null) {
            brief.set(BASELINE, baseline);
        }
        entries.add(brief);
    }

    /** What is left, oldest first. */
    List<JsonNode> entries() {
        return List.copyOf(entries);
    }

    /** What was read after a failure is kept until something is read again. */
    private boolean supersedes(JsonNode entry, JsonNode earlier) {
        boolean counted = kind(earlier).equals(COUNTED) && isRecent(earlier);
        return !counted && (entry.has(CONFIGURATION) || !earlier.has(CONFIGURATION));
    }

    private static String kind(JsonNode entry) {
        return entry.path("kind").asText();
    }

    private boolean isRecent(JsonNode entry) {
        try {
            Instant time = Instant.parse(entry.path("time").asText());
            return Duration.between(time, clock.instant()).compareTo(COUNTED_FOR) < 0;
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
