// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import org.ic2.agent.crawl.Counted;
import org.ic2.agent.http.StatusJson;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.knob.Knob;

/** The status for people. */
final class StatusText {

    private static final Metric[] SHOWN = {Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.CPU_UTIL, Metric.STEAL,
        Metric.LOAD_PER_OPERATION, Metric.ACCEPT_QUEUE};

    private StatusText() {
    }

    static String of(JsonNode status, Set<Knob> knobs) {
        StringBuilder text = new StringBuilder();
        line(text, "application", status.path("application").asText() + ", mode " + status.path("mode").asText());
        if (status.path("ladder_empty").asBoolean()) {
            line(text, "ladder", status.path("ladder_problem").asText());
        }
        if (!status.has("sample")) {
            line(text, "state", "starting: no sample yet");
            return text.toString();
        }
        line(text, "users", harm(status.path("harm")));
        line(text, "state", status.path("state").asText() + ", label " + status.path("label").asText("none")
                + ", epoch " + status.path("epoch").asLong()
                + (status.hasNonNull("manual") ? ": " + status.get("manual").asText() : "")
                + (status.hasNonNull("until") ? ", until " + Instant.ofEpochSecond(status.get("until").asLong()) : ""));
        line(text, "running", StatusJson.describe(status.get("running"), knobs));
        line(text, "baseline", StatusJson.describe(status.get("baseline"), knobs));
        line(text, "sample", metrics(status.get("sample")));
        line(text, "medians", metrics(status.get("medians")) + " (" + Counted.of(status.path("medians").path("count").asInt(), "sample")
                + ")");
        status.path("reliefs").forEach(relief -> line(text, "level", relief.path("level").asInt() + ", "
                + relief.path("sets").asText() + ": an operation costs " + Rounded.of(relief.path("relief").asDouble())
                + " of the baseline's CPU, " + new LevelEffects.Effect(relief.path("relief").asDouble(),
                relief.path("learned_in").asInt()).describe()));
        budget(text, status.path("budget"));
        status.path("last_decision").path("evidence").forEach(evidence -> line(text, "evidence", evidence.asText()));
        status.path("problems").properties().forEach(problem ->
                line(text, "missing", problem.getKey() + ": " + problem.getValue().asText()));
        for (JsonNode decision : status.path("decisions")) {
            line(text, "decision", decision.path("time").asText() + " " + decision.path("id").asText() + " "
                    + decision.path("action").asText() + ": " + decision.path("reason").asText());
        }
        return text.toString();
    }

    /** What users suffer, and why: beside the state, which tells of neighbours only. */
    private static String harm(JsonNode harm) {
        if (harm.isMissingNode()) {
            return "no harm is confirmed";
        }
        StringJoiner evidence = new StringJoiner("; ");
        harm.path("evidence").forEach(line -> evidence.add(line.asText()));
        boolean unknown = harm.path("cause").asText().equals("unknown");
        return "HARMED since " + harm.path("since").asText() + ": " + harm.path("felt").asText() + "; cause: " + harm.path("cause").asText()
                + (unknown ? " (" : " (confidence " + harm.path("confidence").asText() + ": ") + evidence + "); advice: "
                + harm.path("advice").asText();
    }

    /** What of the budget of actions is used, and whether it holds the agent back. */
    private static void budget(StringBuilder text, JsonNode budget) {
        String used = budget.path("actions").asInt() + " of " + Counted.of(budget.path("limit").asInt(), "action") + " in the last hour";
        int times = budget.path("by_hand").asInt();
        String byHand = times > 0 ? "; the baseline was left by hand " + (times == 1 ? "once" : times + " times") : "";
        String held = !budget.path("held_back").asBoolean() ? "" : "; held back" + (budget.has("until") ? " until "
                + Instant.ofEpochSecond(budget.get("until").asLong()) + " at least" : "") + ", only the way back to the baseline is open";
        line(text, "budget", used + held + byHand);
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "%-12s %s%n", name, DisplayText.clean(value)));
    }

    private static String metrics(JsonNode values) {
        StringBuilder text = new StringBuilder();
        for (Metric metric : SHOWN) {
            if (values.has(metric.column())) {
                text.append(text.isEmpty() ? "" : ", ").append(metric.column()).append(' ')
                        .append(Rounded.four(values.get(metric.column()).asDouble()));
            }
        }
        return text.isEmpty() ? "none yet" : text.toString();
    }
}
