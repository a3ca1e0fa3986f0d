// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.serve.HttpListener.Answer;

/** What {@code /healthz} says to those who would start the agent again, whether its loop turns, and {@code /readyz}. */
final class Health {

    /** The time that systemd gives the loop, too (WatchdogSec of ic2.service); the slowest change takes less. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** For a long interval. */
    private static final int TURNS = 4;

    private static final int OK = 200;

    private Health() {
    }

    /**
     * 200 while the loop turns, else 503 and why.
     *
     * @param sinceTurn time since its last turn; empty before the first
     * @param interval  between two turns
     */
    static Answer answer(Optional<Duration> sinceTurn, Duration interval) {
        if (sinceTurn.isEmpty()) {
            return Answer.text(503, "the loop has not turned yet");
        }
        Duration several = interval.multipliedBy(TURNS);
        Duration patience = several.compareTo(PATIENCE) > 0 ? several : PATIENCE;
        return sinceTurn.get().compareTo(patience) > 0
                ? Answer.text(503, "the loop has not turned for " + sinceTurn.get().toSeconds() + " s") : Answer.text(200, "ok");
    }

    /**
     * What {@code /readyz} says to those who wait until the agent can see anything: 200 while it is healthy and the last interval
     * counted requests, be it none, else 503 and what is missing.
     *
     * @param latest turn of the loop
     */
    static Answer ready(Optional<Duration> sinceTurn, Duration interval, Optional<Tick> latest) {
        Answer health = answer(sinceTurn, interval);
        if (health.code() != OK || latest.isEmpty() || latest.get().sampled().managed().has(Metric.REQUESTS)) {
            return health;
        }
        return Answer.text(503, "no requests are counted: " + (latest.get().sampled().problems().isEmpty() ? "no sensor does"
                : latest.get().sampled().problems().entrySet().stream().map(problem -> problem.getKey() + ": " + problem.getValue())
                .collect(Collectors.joining("; "))));
    }
}
