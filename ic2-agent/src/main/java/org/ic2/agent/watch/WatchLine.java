// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.runtime.cli.DisplayText;

/** An agent in one line, for a file, a pipe, or a terminal that only writes. */
public final class WatchLine {

    private static final Metric[] SHOWN = {Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.CPU_UTIL, Metric.STEAL,
        Metric.ACCEPT_QUEUE, Metric.MITIGATION};

    private WatchLine() {
    }

    /** @param interval of its samples */
    public static String of(WatchedAgent agent, Instant now, Duration interval) {
        StringBuilder text = new StringBuilder(now.truncatedTo(ChronoUnit.SECONDS).toString());
        agent.trouble(now, interval).ifPresent(trouble -> text.append(' ').append(trouble));
        if (agent.problem().isEmpty()) {
            text.append(' ').append(agent.state().isEmpty() ? "unknown" : agent.state());
            for (Metric metric : SHOWN) {
                double value = agent.sample(metric.column());
                if (!Double.isNaN(value)) {
                    text.append(", ").append(metric.column()).append(' ').append(Rounded.four(value));
                }
            }
            JsonNode decisions = agent.status().path("decisions");
            if (!decisions.isEmpty()) {
                JsonNode last = decisions.path(decisions.size() - 1);
                text.append("; ").append(last.path("time").asText()).append(' ').append(last.path("action").asText())
                        .append(": ").append(last.path("reason").asText());
            }
        }
        return DisplayText.clean(text.toString());
    }
}
