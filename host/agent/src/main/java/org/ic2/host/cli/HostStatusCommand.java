// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.StringJoiner;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.cli.ReportVerb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ic2-host status}: the running agent at a glance. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Shows guests, what was measured of them, knobs in force, what is wanted and what is held, of the running agent.")
final class HostStatusCommand extends ReportVerb {

    @Mixin
    private HostFileOption config;

    @Override
    public Integer call() throws Exception {
        show(new AgentClient(config.load().journal()).status(), HostStatusCommand::text);
        return 0;
    }

    private static String text(JsonNode status) {
        StringBuilder text = new StringBuilder();
        text.append(status.path("backend").asText()).append(", mode ").append(status.path("mode").asText()).append('\n');
        for (String key : new String[] {"manual", "fault", "journal_failure"}) {
            if (status.has(key)) {
                text.append(key.replace('_', ' ')).append(": ").append(status.get(key).asText()).append('\n');
            }
        }
        status.path("alerts").forEach(alert -> text.append("alert: ").append(alert.asText()).append('\n'));
        text.append("host: ").append(numbers(status.path("host"))).append('\n');
        for (JsonNode pool : status.path("pools")) {
            text.append("pool ").append(pool.path("name").asText()).append(" (").append(pool.path("scheduler").asText()).append(", ")
                    .append(pool.path("cpus").asText()).append(" CPUs): ").append(numbers(pool.path("knobs"))).append('\n');
        }
        for (JsonNode guest : status.path("guests")) {
            text.append(guest.path("name").asText()).append(" (").append(guest.path("class").asText()).append("): ")
                    .append(guest.has("intensity") ? String.format(Locale.ROOT, "intensity %.3g, ", guest.get("intensity").asDouble()) : "")
                    .append(guest.has("latency") ? String.format(Locale.ROOT, "predicted latency %.3g s, ", guest.get("latency").asDouble()) : "")
                    .append(numbers(guest.path("metrics"))).append("; knobs: ").append(numbers(guest.path("knobs"))).append('\n');
        }
        for (JsonNode wanted : status.path("wanted")) {
            text.append("wanted: ").append(wanted.path(wanted.has("pool") ? "pool" : "name").asText()).append("'s ")
                    .append(wanted.path("kind").asText()).append(' ').append(wanted.path("value").asText()).append(" (")
                    .append(wanted.path("controller").asText()).append(")\n");
        }
        status.path("held").forEach(held -> text.append("held: ").append(held.asText()).append('\n'));
        status.path("fleet").path("moves").forEach(move -> text.append("fleet: ").append(move.path("name").asText()).append(" should move from ")
                .append(move.path("from").asText()).append(" to ").append(move.path("to").asText())
                .append(move.path("ours").asBoolean() ? "" : ", which is that host's agent's to do").append('\n'));
        for (String key : new String[] {"done", "held", "silent"}) {
            status.path("fleet").path(key).forEach(line -> text.append("fleet: ").append(key.equals("done") ? "moved: " : "")
                    .append(line.asText()).append('\n'));
        }
        status.path("left_alone").forEach(left -> text.append("left alone: ").append(left.asText()).append('\n'));
        StringBuilder clean = new StringBuilder();
        text.toString().lines().forEach(line -> clean.append(DisplayText.clean(line)).append('\n'));
        return clean.toString();
    }

    private static String numbers(JsonNode values) {
        StringJoiner text = new StringJoiner(", ");
        values.properties().forEach(value -> text.add(value.getKey() + " " + (value.getValue().isInt() ? value.getValue().asText()
                : String.format(Locale.ROOT, "%.4g", value.getValue().asDouble()))));
        return text.toString();
    }
}
