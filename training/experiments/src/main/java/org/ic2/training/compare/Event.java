// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.State;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.TextFiles;

/**
 * A line of the agent's journal.
 *
 * @param time          when it was written
 * @param kind          {@code intent}, {@code applied}, {@code failed}, {@code refused}, {@code decision}, ...
 * @param action        {@code MITIGATE}, {@code RESTORE}, ...; empty if it names none
 * @param reason        in words
 * @param problem       why it went wrong, in words; empty if it did not
 * @param configuration what was in force then, where the line says it
 * @param state         of the operating context, where the line says it
 */
record Event(Instant time, String kind, String action, String reason, String problem,
        Optional<Settings> configuration, Optional<State> state) {
    static final String FILE = "journal.jsonl";
    private static final JournalReader READER = new JournalReader(Terms.shipped().knobs());

    /** All lines of a run's journal that can be read; a line that was cut short is left out. */
    static List<Event> read(Path file) throws IOException {
        List<Event> events = new ArrayList<>();
        if (Files.exists(file)) {
            for (String line : TextFiles.lines(file)) {
                parse(line).ifPresent(events::add);
            }
        }
        return events;
    }

    static Optional<Event> parse(String line) {
        return READER.line(line).map(Line::entry).map(entry -> new Event(entry.time(), entry.kind(), entry.action(),
                entry.reason(), entry.problem(), entry.running(),
                entry.decision().flatMap(decision -> state(decision.path("state").asText()))));
    }

    private static Optional<State> state(String name) {
        for (State state : State.values()) {
            if (state.name().equals(name)) {
                return Optional.of(state);
            }
        }
        return Optional.empty();
    }

    /** True if it changed the web tier. */
    boolean reconfigured() {
        return kind.equals("applied");
    }

    /** What differs from the baseline, the level first: {@code level 2, keep-alive 1500ms}; {@code baseline} if nothing does. */
    static String words(Settings values, Settings baseline) {
        List<String> words = differences(values, baseline);
        return words.isEmpty() ? "baseline" : String.join(", ", words);
    }

    /** The same in as little room as a picture has. */
    static String brief(Settings values, Settings baseline) {
        List<String> words = differences(values, baseline);
        return words.isEmpty() ? "baseline" : words.get(0);
    }

    private static List<String> differences(Settings values, Settings baseline) {
        return values.values().entrySet().stream().filter(one -> !baseline.has(one.getKey()) || baseline.get(one.getKey()) != one.getValue())
                .sorted(Comparator.comparing(one -> one.getKey() != Lever.MITIGATION))
                .map(one -> name(one.getKey()) + " " + one.getKey().format(one.getValue())).toList();
    }

    /** A knob for people. */
    static String name(Knob knob) {
        return knob == Lever.MITIGATION ? "level" : knob == Lever.KEEP_ALIVE_TIMEOUT ? "keep-alive"
                : knob == Lever.MAX_REQUEST_WORKERS ? "workers" : knob == Lever.PHP_MAX_CHILDREN ? "PHP children" : knob.label();
    }

    /** What an agent believes, for people. */
    static String name(State state) {
        return switch (state) {
            case NI1, NI2 -> "no interference";
            case T -> "not sure";
            case I1, I2 -> "interference";
        };
    }
}
