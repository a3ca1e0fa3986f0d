// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.agent.config.TellHost;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.KeyedTaskRunner;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.PutText;
import org.ic2.runtime.json.Json;

/**
 * Tells the host what the tenant sees (host/docs/operations.md, Contract): the mean response time and the requests of the last
 * {@value #WINDOW_SECONDS} s, until when the agent waits for a change of its own to show, which is its cool-down, and whether a level of the ladder is in
 * force. Writing goes on
 * beside the turns, which wait {@value #PATIENCE_MILLIS} ms for it at most. Not thread-safe.
 */
public final class HostTeller implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(HostTeller.class.getName());
    private static final long PATIENCE_MILLIS = 20;
    private static final int WINDOW_SECONDS = 3;
    /** A guest that waits for its CPU is slow, and that is when it has something to tell; no turn waits for it. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final int MILLIS = 3;
    private static final int MICROS = 6;

    private final TellHost where;
    private final Duration coolDown;
    private final KeyedTaskRunner errands = new KeyedTaskRunner(Duration.ofMillis(PATIENCE_MILLIS));
    private final Deque<Sample> window = new ArrayDeque<>();
    private Instant busyUntil = Instant.EPOCH;
    private volatile boolean failed;

    /** @param coolDown for so long after a change the agent waits for its effect */
    public HostTeller(TellHost where, Duration coolDown) {
        this.where = where;
        this.coolDown = coolDown;
    }

    /**
     * Tells of a turn.
     *
     * @param shedding whether a mitigation level is in force
     * @param acted    how the turn's action went; empty when nothing was to be done
     */
    void turned(Sample sample, boolean shedding, Optional<Result> acted) {
        if (acted.filter(result -> !(result instanceof Result.Refused)).isPresent()) {
            busyUntil = sample.time().plus(coolDown);
        }
        Instant from = sample.time().minusSeconds(WINDOW_SECONDS);
        window.removeIf(one -> !one.time().isAfter(from) || !one.time().isBefore(sample.time()));     // also after a step of the clock
        window.add(sample);
        String text = text(sample.time(), shedding);
        try {
            errands.run(Map.of(where.toString(), () -> write(text)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String text(Instant time, boolean shedding) {
        double requests = 0;
        double seconds = 0;
        for (Sample one : window) {
            if (one.get(Metric.REQUESTS) > 0 && one.has(Metric.RESPONSE_TIME)) {
                requests += one.get(Metric.REQUESTS);
                seconds += one.get(Metric.REQUESTS) * one.get(Metric.RESPONSE_TIME);
            }
        }
        ObjectNode json = Json.object().put("v", 1).put("time", BigDecimal.valueOf(time.toEpochMilli(), MILLIS));
        if (requests > 0) {
            json.put("response_time", BigDecimal.valueOf(Math.round(seconds / requests * 1e6), MICROS));
        }
        json.put("requests", Math.round(requests)).put("busy_until", BigDecimal.valueOf(busyUntil.toEpochMilli(), MILLIS));
        return Json.text(shedding ? json.put("shedding", true) : json);
    }

    /** Beside the turn. What fails is said once, until it works again. */
    private void write(String text) {
        try {
            if (where.file().isPresent()) {
                PutText.file(where.file().get(), text);
            } else {
                xenstore(List.of("xenstore-write", "-R", where.xenstore().orElseThrow(), text));
            }
            failed = false;
        } catch (IOException | RuntimeException e) {
            if (!failed) {
                LOG.warning("tell-host: " + e.getMessage());
            }
            failed = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void xenstore(List<String> command) throws IOException, InterruptedException {
        try (LocalHost here = new LocalHost()) {
            CommandResult result = here.run(command, DEADLINE);
            if (!result.succeeded()) {
                throw new IOException(command.get(0) + " failed: " + result.lastLine());
            }
        }
    }

    /** What was told last stays, and gets old. */
    @Override
    public void close() {
        errands.close();
    }
}
