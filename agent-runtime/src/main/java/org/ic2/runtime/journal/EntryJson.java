// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.journal.Entry.Request;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.SettingsJson;

/** The one form of an entry on disk, which other programs read too: an object a line, with {@code time} and {@code kind}. */
final class EntryJson {

    static final String BASELINE = "baseline";
    static final String DECISION = "decision";
    static final String REASON = "reason";
    static final String BEFORE = "before";
    static final String DESIRED = "desired";
    private static final String RUNNING = "configuration";
    private static final String LEFT_OUT = "left_out";
    private static final String BY = "by";
    private static final String UNTIL = "until";

    private volatile Set<Knob> knobs;

    /**
     * @param knobs those whose values are read; what a line says of others is left out
     */
    EntryJson(Set<Knob> knobs) {
        this.knobs = knobs;
    }

    /** Others from now on. */
    void know(Set<Knob> others) {
        knobs = Set.copyOf(others);
    }

    /** The line of an entry. */
    Line line(Entry entry) {
        ObjectNode json = Json.object().put("time", entry.time().toString()).put("kind", entry.kind());
        if (entry instanceof Entry.Other other) {
            json.setAll(other.json());
        } else if (entry instanceof Entry.OfRequest change) {
            put(json, change);
        } else {
            putState(json, entry);
        }
        return new Line(json, entry, entry instanceof Entry.Start start ? start.baseline() : Optional.empty());
    }

    private static void put(ObjectNode json, Entry.OfRequest entry) {
        Request request = entry.request();
        json.put("id", request.id()).put("origin", request.origin()).put("action", request.action())
                .put("reason", request.reason());
        putText(json, BY, request.by());
        if (entry instanceof Entry.Intent intent) {
            put(json, BEFORE, intent.before());
            put(json, DESIRED, intent.desired());
            intent.decision().ifPresent(decision -> json.set(DECISION, decision));
        } else if (entry instanceof Entry.Applied applied) {
            json.put("millis", applied.millis()).put("epoch", applied.epoch());
            put(json, RUNNING, applied.running());
            putText(json, LEFT_OUT, applied.leftOut());
        } else if (entry instanceof Entry.Failed failed) {
            json.put("problem", failed.problem()).put("rolled_back", failed.rolledBack()).put("epoch", failed.epoch());
            put(json, RUNNING, failed.running());
        } else if (entry instanceof Entry.Refused refused) {
            json.put("problem", refused.problem());
            put(json, RUNNING, refused.running());
            put(json, DESIRED, refused.desired());
        }
    }

    private static void putState(ObjectNode json, Entry entry) {
        if (entry instanceof Entry.Start start) {
            json.put("mode", start.mode()).put("application", start.application());
            put(json, RUNNING, start.running());
            put(json, BASELINE, start.baseline());
            putText(json, "reason", start.reason());
        } else if (entry instanceof Entry.Decided decided) {
            json.put("id", decided.id()).put("mode", decided.mode()).put("action", decided.action())
                    .put("reason", decided.reason());
            decided.decision().ifPresent(decision -> json.set(DECISION, decision));
        } else {
            json.put("reason", entry.reason());
            if (entry instanceof Entry.Manual manual) {
                manual.until().ifPresent(until -> json.put(UNTIL, until.toString()));
            }
            putText(json, BY, entry.by());
            put(json, RUNNING, entry.running());
        }
    }

    private static void put(ObjectNode json, String name, Optional<Settings> values) {
        values.ifPresent(present -> SettingsJson.put(json.putObject(name), present));
    }

    private static void putText(ObjectNode json, String name, String text) {
        if (!text.isEmpty()) {
            json.put(name, text);
        }
    }

    /** What a line of the file means; empty when it is no object with time and kind, such as one cut short by a crash. */
    Optional<Line> line(String text) {
        try {
            return Json.read(text) instanceof ObjectNode json && json.has("time") && json.has("kind")
                    ? Optional.of(line(json)) : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** What an object means that stands in a file, or is to stand there. */
    Line line(ObjectNode json) {
        return new Line(json, entry(json), configuration(json, BASELINE));
    }

    private Entry entry(ObjectNode json) {
        Instant time = time(json);
        String kind = text(json, "kind");
        String reason = text(json, "reason");
        return switch (kind) {
            case Entry.Start.KIND -> new Entry.Start(time, text(json, "mode"), text(json, "application"),
                    configuration(json, RUNNING), configuration(json, BASELINE), reason);
            case Entry.Intent.KIND -> new Entry.Intent(time, request(json), configuration(json, BEFORE),
                    configuration(json, DESIRED), decision(json));
            case Entry.Applied.KIND -> new Entry.Applied(time, request(json), json.path("millis").asLong(), epoch(json),
                    configuration(json, RUNNING), text(json, LEFT_OUT));
            case Entry.Failed.KIND -> new Entry.Failed(time, request(json), text(json, "problem"),
                    json.path("rolled_back").asBoolean(), epoch(json), configuration(json, RUNNING));
            case Entry.Refused.KIND -> new Entry.Refused(time, request(json), text(json, "problem"),
                    configuration(json, RUNNING), configuration(json, DESIRED));
            case Entry.Decided.KIND -> new Entry.Decided(time, text(json, "id"), text(json, "mode"),
                    text(json, "action"), reason, decision(json));
            case Entry.Manual.KIND -> new Entry.Manual(time, json.path("reason").asText("a person took over"),
                    instant(json, UNTIL), text(json, BY));
            case Entry.Resume.KIND -> new Entry.Resume(time, reason, text(json, BY));
            case Entry.Stop.KIND -> new Entry.Stop(time, reason, configuration(json, RUNNING));
            default -> new Entry.Other(time, kind, json);
        };
    }

    private static Instant time(JsonNode json) {
        return instant(json, "time").orElse(Instant.EPOCH);
    }

    private static Optional<Instant> instant(JsonNode json, String name) {
        try {
            return Optional.of(Instant.parse(text(json, name)));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static Request request(JsonNode json) {
        return new Request(text(json, "id"), text(json, "origin"), text(json, "action"), text(json, "reason"), text(json, BY));
    }

    private static String text(JsonNode json, String name) {
        return json.path(name).asText();
    }

    private static long epoch(JsonNode json) {
        return json.path("epoch").asLong();
    }

    private static Optional<JsonNode> decision(JsonNode json) {
        return Optional.ofNullable(json.get(DECISION));
    }

    private Optional<Settings> configuration(JsonNode json, String name) {
        return SettingsJson.read(json.get(name), knobs);
    }
}
