// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Callable;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The verb {@code events}: the journal for people; works without a running agent. */
public abstract class EventsVerb implements Callable<Integer> {

    @Option(names = "--json", description = "Print the journal's lines, whole.")
    private boolean json;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Only what came after a time (2026-01-31T12:00:00Z) or within a duration (10m).")
    private String since;

    @Spec
    private CommandSpec spec;

    /**
     * What is to be shown.
     *
     * @param knobs those whose values are of interest
     */
    public record Source(Path journal, Set<Knob> knobs) {
    }

    /** The journal, as the configuration says. */
    protected abstract Source source() throws ConfigException;

    /** A clean line as it is to be printed. */
    protected String fitted(String line) {
        return line;
    }

    /** The values of an entry, in words; empty when there are none to show. */
    protected String values(Entry entry) {
        return "";
    }

    /** The name of the situation that an entry's decision was for; empty when it has none. */
    protected String situation(Entry entry) {
        return "";
    }

    /** The numbers of an entry's formula, in words; empty when there are none to show. */
    protected String numbers(Entry entry) {
        return "";
    }

    @Override
    public final Integer call() throws Exception {
        Source source = source();
        Instant start = since == null ? Instant.EPOCH : SinceTime.of(since);
        if (!Files.exists(source.journal())) {
            throw new IOException("no journal " + source.journal() + " yet: the agent has not run");
        }
        PrintWriter out = spec.commandLine().getOut();
        new JournalReader(source.knobs()).whole(source.journal(), line -> {
            if (!line.entry().time().isBefore(start)) {
                out.println(json ? line : fitted(DisplayText.clean(text(line.entry()))));
            }
        }).ifPresent(problem -> spec.commandLine().getErr().println(spec.root().name() + ": warning: " + DisplayText.clean(problem)));
        out.flush();
        return 0;
    }

    /** One line: when, what, why, which numbers, and what came of it. */
    private String text(Entry entry) {
        StringBuilder line = new StringBuilder(entry.time().toString()).append(' ').append(entry.kind());
        append(line, " ", entry.id());
        append(line, " ", entry.action());
        append(line, " in mode ", mode(entry));
        append(line, " ", situation(entry));
        append(line, ": ", entry.reason());
        append(line, ": ", entry.problem());
        append(line, "; ", entry.by());
        if (entry instanceof Entry.Manual manual) {
            append(line, "; until ", manual.until().map(Instant::toString).orElse(""));
        }
        if (entry instanceof Entry.Applied applied) {
            append(line, "; left out: ", applied.leftOut());
        }
        append(line, "; ", values(entry));
        if (entry instanceof Entry.Applied applied) {
            append(line, "; ms ", Long.toString(applied.millis()));
        }
        String numbers = numbers(entry);
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
}
