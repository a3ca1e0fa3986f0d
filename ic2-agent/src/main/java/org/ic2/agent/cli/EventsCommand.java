// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.terminal.DisplayText;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.TerminalSession;
import org.ic2.knowledge.Rounded;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 events}: the journal for people; works without a running agent. */
@Command(name = "events", mixinStandardHelpOptions = true,
        description = {"Shows the journal: what was decided and done, why, and the numbers of the formula.",
            "On a terminal each line is cut to its width, with an ellipsis; a pipe or a file gets whole lines."})
final class EventsCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Option(names = "--json", description = "Print the journal's lines, whole.")
    private boolean json;

    @Option(names = "--wide", description = "Print whole lines on a terminal, too.")
    private boolean wide;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Only what came after a time (2026-01-31T12:00:00Z) or within a duration (10m).")
    private String since;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        Path journal = loaded.journal();
        Instant start = since == null ? Instant.EPOCH : start(since);
        if (!Files.exists(journal)) {
            throw new IOException("no journal " + journal + " yet: the agent has not run");
        }
        PrintWriter out = spec.commandLine().getOut();
        int columns = json || wide || !TerminalSession.isTerminal(1) ? Integer.MAX_VALUE : TerminalSession.sizeNow().columns();
        String ellipsis = Ink.of(System.getenv()).ellipsis();
        new JournalReader(loaded.vocabulary().knobs()).all(journal, line -> {
            if (!line.entry().time().isBefore(start)) {
                out.println(json ? line : DisplayText.cut(DisplayText.clean(text(line.entry())), columns, ellipsis));
            }
        });
        out.flush();
        return 0;
    }

    private static Instant start(String text) throws ConfigException {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            try {
                return Instant.now().minus(Durations.parse(text));
            } catch (IllegalArgumentException notDuration) {
                throw new ConfigException("--since: expected a time such as 2026-01-31T12:00:00Z or a duration such as"
                        + " 10m, got \"" + text + "\"", notDuration);
            }
        }
    }

    /** One line: when, what, why, which numbers, and what came of it. */
    static String text(Entry entry) {
        StringBuilder line = new StringBuilder(entry.time().toString()).append(' ').append(entry.kind());
        append(line, " ", entry.id());
        append(line, " ", entry.action());
        append(line, " in mode ", mode(entry));
        append(line, ": ", entry.reason());
        append(line, ": ", entry.problem());
        append(line, "; ", entry.by());
        if (entry instanceof Entry.Manual manual) {
            append(line, "; until ", manual.until().map(Instant::toString).orElse(""));
        }
        if (entry instanceof Entry.Applied applied) {
            append(line, "; left out: ", applied.leftOut());
        }
        append(line, "; ", values(entry).map(Settings::describe).orElse(""));
        if (entry instanceof Entry.Applied applied) {
            append(line, "; ms ", Long.toString(applied.millis()));
        }
        String numbers = entry.decision().map(decision -> numbers(decision.path("numbers"))).orElse("");
        return numbers.isEmpty() ? line.toString() : line.append(" [").append(numbers).append(']').toString();
    }

    private static void append(StringBuilder line, String before, String text) {
        if (!text.isEmpty()) {
            line.append(before).append(text);
        }
    }

    private static String mode(Entry entry) {
        return entry instanceof Entry.Start start ? start.mode() : entry instanceof Entry.Decided decided ? decided.mode()
                : "";
    }

    /** What was to be, or what was found. */
    private static Optional<Settings> values(Entry entry) {
        return entry instanceof Entry.Intent intent ? intent.desired()
                : entry instanceof Entry.Refused refused ? refused.desired() : entry.running();
    }

    /** The numbers of Algorithm 1 and what they were compared with. */
    private static String numbers(JsonNode numbers) {
        StringJoiner text = new StringJoiner(", ");
        numbers.properties().forEach(number -> {
            String name = number.getKey();
            if (name.startsWith("algorithm.") || name.equals("load_per_operation") || name.equals("response_time")
                    || name.equals("throughput") || name.equals("median.load_per_operation")
                    || name.equals("median.response_time")) {
                text.add(name + " " + Rounded.four(number.getValue().asDouble()));
            }
        });
        return text.toString();
    }
}
