// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Set;
import java.util.concurrent.Callable;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2-host events}: the journal for people; works without a running agent. */
@Command(name = "events", mixinStandardHelpOptions = true, description = "Shows the journal: what was decided and done, and why.")
final class HostEventsCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Option(names = "--json", description = "Print the journal's lines, whole.")
    private boolean json;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Only what came after a time (2026-01-31T12:00:00Z) or within a duration (10m).")
    private String since;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Path journal = config.load().journal();
        Instant start = since == null ? Instant.EPOCH : start(since);
        if (!Files.exists(journal)) {
            throw new IOException("no journal " + journal + " yet: the agent has not run");
        }
        PrintWriter out = spec.commandLine().getOut();
        new JournalReader(Set.of()).all(journal, line -> {
            if (!line.entry().time().isBefore(start)) {
                out.println(json ? line.toString() : HostClient.clean(text(line.entry())));
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

    /** One line: when, what, why, and what came of it. */
    private static String text(Entry entry) {
        StringBuilder line = new StringBuilder(entry.time().toString()).append(' ').append(entry.kind());
        append(line, " ", entry.id());
        append(line, " ", entry.action());
        append(line, " in mode ", entry instanceof Entry.Start start ? start.mode() : "");
        append(line, ": ", entry.reason());
        append(line, ": ", entry.problem());
        append(line, "; ", entry.by());
        if (entry instanceof Entry.Applied applied) {
            append(line, "; left out: ", applied.leftOut());
            append(line, "; ms ", Long.toString(applied.millis()));
        }
        return line.toString();
    }

    private static void append(StringBuilder line, String before, String text) {
        if (!text.isEmpty()) {
            line.append(before).append(text);
        }
    }
}
