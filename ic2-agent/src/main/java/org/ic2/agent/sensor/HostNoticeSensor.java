// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * What the host tells its guest (host/docs/operations.md, Contract): the CPUs that it ran on, waited for and was throttled by, the share of its
 * memory that it lacks, and whether the host has just changed what it gets. It is the host's word: a tenant that does not trust
 * it leaves this sensor out.
 */
public final class HostNoticeSensor implements Sensor {
    /** The extra that is 1 in an interval in which the host did something to this guest. */
    public static final String ACTED = "host_acted";

    private static final int VERSION = 1;
    private static final int MOST_LETTERS = 2048;
    private static final int STALE_PERIODS = 3;
    private static final double MOST = 1e12;
    /** A guest that waits for its CPU is slow, and that is when its host's word counts. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Set<String> MEMBERS = Set.of("v", "time", "run", "wait", "throttled", "memory_taken", "mem_intensity", "action");

    private final Host host;
    private final Source source;
    private final Duration period;
    private final LongSupplier nanoClock;
    private String last = "";
    private long changedNanos;
    private Optional<String> act = Optional.empty();

    /** Where the notice is: one of both. */
    record Source(Optional<String> file, Optional<String> xenstore) {
        @Override
        public String toString() {
            return file.orElseGet(() -> "xenstore's " + xenstore.orElse(""));
        }
    }

    /** @param period between two turns of the host; after {@value #STALE_PERIODS} of them without news the notice is stale */
    HostNoticeSensor(Host host, Source source, Duration period, LongSupplier nanoClock) {
        this.host = host;
        this.source = source;
        this.period = period;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "the host's notice in " + source + " of " + host.name();
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    /** A command that is late counts in the interval in which it comes. */
    @Override
    public Duration patience() {
        return source.xenstore().isPresent() ? DEADLINE : Duration.ZERO;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        String text = text();
        JsonNode json = json(text);
        long now = nanoClock.getAsLong();
        boolean first = last.isEmpty();
        if (!text.equals(last)) {
            last = text;
            changedNanos = now;
        }
        long age = now - changedNanos;
        if (age > STALE_PERIODS * period.toNanos()) {
            throw new IOException("it has not changed for " + age / 1_000_000_000 + " s: does ic2-host run, in mode act?");
        }
        Optional<String> done = json.has("action") ? Optional.of(Json.text(json.get("action"))) : Optional.empty();
        boolean acted = !first && done.isPresent() && !done.equals(act);
        act = done;
        return Reading.builder().put(Metric.HOST_MEMORY_PRESSURE, number(json, "memory_taken", 1))
                .extra("run", number(json, "run", MOST)).extra("wait", number(json, "wait", MOST))
                .extra("throttled", number(json, "throttled", MOST)).extra("mem_intensity", intensity(json))
                .extra(ACTED, acted ? 1 : 0).build();
    }

    private String text() throws IOException, InterruptedException {
        String text;
        if (source.file().isPresent()) {
            text = host.head(source.file().get(), MOST_LETTERS + 1);
        } else {
            CommandResult result = host.run(List.of("xenstore-read", "-R", source.xenstore().orElseThrow()), DEADLINE);
            if (!result.succeeded()) {
                throw new IOException("xenstore-read failed: " + result.lastLine());
            }
            text = result.output();
        }
        if (text.length() > MOST_LETTERS) {
            throw new IOException("expected at most " + MOST_LETTERS + " letters, got more");
        }
        return text.strip();
    }

    private static JsonNode json(String text) throws IOException {
        JsonNode json;
        try {
            json = Json.readStrictly(text);
        } catch (JsonProcessingException e) {
            throw new IOException("expected an object of JSON, got \"" + brief(text) + "\"", e);
        }
        if (!json.isObject() || !json.path("v").isInt() || json.path("v").intValue() != VERSION) {
            throw new IOException("expected an object of JSON with \"v\": " + VERSION + ", got \"" + brief(text) + "\"");
        }
        for (Map.Entry<String, JsonNode> member : json.properties()) {
            if (!MEMBERS.contains(member.getKey())) {
                throw new IOException("expected no member \"" + brief(member.getKey()) + "\"");
            }
        }
        action(json.path("action"));
        return json;
    }

    private static void action(JsonNode action) throws IOException {
        if (!action.isMissingNode() && (!action.path("id").isTextual() || !action.path("knob").isTextual()
                || Double.isNaN(number(action, "settled_at", MOST)))) {
            throw new IOException("action: expected id, knob and settled_at");
        }
    }

    private static double intensity(JsonNode json) throws IOException {
        JsonNode intensity = json.path("mem_intensity");
        if (!intensity.isMissingNode() && !intensity.path("source").isTextual()) {
            throw new IOException("mem_intensity: expected a value and its source");
        }
        return number(intensity, "value", MOST);
    }

    private static double number(JsonNode json, String name, double most) throws IOException {
        JsonNode value = json.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Double.NaN;
        }
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        if (!(number >= 0 && number <= most)) {
            throw new IOException(name + ": expected a number from 0 to " + most);
        }
        return number;
    }

    private static String brief(String text) {
        String plain = text.replaceAll("[^ -~]", "?");
        return plain.length() > 80 ? plain.substring(0, 80) + "..." : plain;
    }
}
