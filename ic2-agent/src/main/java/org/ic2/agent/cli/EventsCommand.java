// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.ic2.agent.executor.Journal;
import org.ic2.agent.http.StatusJson;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 events}: the journal for people; works without a running agent. */
@Command(name = "events", mixinStandardHelpOptions = true,
        description = "Shows the journal: what was decided and done, why, and the numbers of the formula.")
final class EventsCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Option(names = "--json", description = "Print the journal's lines.")
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
        Journal.readAll(journal, entry -> {
            if (!Instant.parse(entry.get("time").asText()).isBefore(start)) {
                out.println(json ? entry.toString() : text(entry));
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
    static String text(JsonNode entry) {
        StringBuilder line = new StringBuilder(entry.get("time").asText()).append(' ')
                .append(entry.get("kind").asText());
        append(line, " ", entry.path("id"));
        append(line, " ", entry.path("action"));
        append(line, " in mode ", entry.path("mode"));
        append(line, ": ", entry.path("reason"));
        append(line, ": ", entry.path("problem"));
        append(line, "; left out: ", entry.path("left_out"));
        JsonNode values = entry.has("desired") ? entry.get("desired") : entry.path("configuration");
        if (values.isObject()) {
            line.append("; ").append(StatusJson.describe(values));
        }
        append(line, "; ms ", entry.path("millis"));
        String numbers = numbers(entry.path("decision").path("numbers"));
        return numbers.isEmpty() ? line.toString() : line.append(" [").append(numbers).append(']').toString();
    }

    private static void append(StringBuilder line, String before, JsonNode value) {
        if (value.isValueNode() && !value.isNull()) {
            line.append(before).append(value.asText());
        }
    }

    /** The numbers of Algorithm 1 and what they were compared with. */
    private static String numbers(JsonNode numbers) {
        StringJoiner text = new StringJoiner(", ");
        numbers.properties().forEach(number -> {
            String name = number.getKey();
            if (name.startsWith("algorithm.") || name.equals("load_per_operation") || name.equals("response_time")
                    || name.equals("throughput") || name.equals("median.load_per_operation")
                    || name.equals("median.response_time")) {
                text.add(name + " " + Numbers.of(number.getValue().asDouble()));
            }
        });
        return text.toString();
    }
}
