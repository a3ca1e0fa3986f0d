// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.json.Json;

/** What a host tells the others in its status, and what came of it. What is not known is left out. */
public final class FleetJson {
    private static final String FREE = "memory_free";
    private static final String INTENSITY = "intensity";
    private static final String LATENCY = "latency";
    private static final String MEMORY = "memory";
    private static final String CPU = "cpu";
    private static final String CPUS = "cpus";

    private FleetJson() {
    }

    /** Adds to a status what is known of the host itself, and to its guests what their workloads are like. */
    public static void put(ObjectNode status, FleetHost own) {
        putNumber(status, FREE, own.memoryFree());
        putNumber(status, CPUS, own.cpus());
        for (JsonNode guest : status.path("guests")) {
            own.guests().stream().filter(one -> one.uuid().equals(guest.path("uuid").asText())).forEach(one -> {
                putNumber((ObjectNode) guest, INTENSITY, one.intensity());
                putNumber((ObjectNode) guest, LATENCY, one.latency());
                putNumber((ObjectNode) guest, MEMORY, one.memory());
                putNumber((ObjectNode) guest, CPU, one.cpu());
            });
        }
    }

    /** A fleet, for programs. */
    public static ObjectNode write(FleetReport report) {
        ObjectNode json = Json.object().put("this", report.own());
        ArrayNode hosts = json.putArray("hosts");
        for (FleetHost host : report.hosts()) {
            ObjectNode one = hosts.addObject().put("name", host.name()).put("time", host.time().toString()).put("guests", host.guests().size());
            putNumber(one, INTENSITY, host.intensity());
            putNumber(one, FREE, host.memoryFree());
            putNumber(one, CPUS, host.cpus());
            putNumber(one, CPU, host.guests().stream().mapToDouble(Resident::cpu).sum());
        }
        ArrayNode moves = json.putArray("moves");
        report.moves().forEach(move -> moves.add(write(move).put("ours", report.isOurs(move))));
        report.silent().forEach(json.putArray("silent")::add);
        report.held().forEach(json.putArray("held")::add);
        report.done().forEach(json.putArray("done")::add);
        return json;
    }

    /** A move with its reason. */
    static ObjectNode write(Migration move) {
        ObjectNode json = Json.object().put("guest", move.uuid()).put("name", move.name()).put("from", move.from()).put("to", move.to())
                .put("formula", move.why().formula());
        ObjectNode numbers = json.putObject("numbers");
        move.why().numbers().forEach(numbers::put);
        return json;
    }

    /**
     * Reads the status of another host, whose guests are then known by what makes them the same elsewhere.
     *
     * @param name of the host in the fleet
     * @throws IOException what was expected and what came
     */
    public static FleetHost read(String name, String text) throws IOException {
        if (text.isBlank()) {
            throw new IOException("expected the status of an ic2-host as JSON, got nothing");
        }
        JsonNode json;
        try {
            json = Json.readStrictly(text);
        } catch (JsonProcessingException e) {
            throw new IOException("expected the status of an ic2-host as JSON, got something else: "
                    + BoundedText.brief(e.getOriginalMessage()), e);
        }
        if (json.path("fault").isTextual()) {
            throw new IOException("it cannot measure its host: " + BoundedText.brief(json.get("fault").asText()));
        }
        try {
            if (!json.path("guests").isArray()) {
                throw new IllegalArgumentException("guests: expected those of a host that was measured already, got none");
            }
            List<Resident> residents = new ArrayList<>();
            Set<String> known = new HashSet<>();
            for (JsonNode guest : json.get("guests")) {
                GuestClass of = GuestClass.valueOf(word(guest, "class"));
                if (!known.add(word(guest, "uuid"))) {
                    throw new IllegalArgumentException("guests: expected each once, got two of one uuid");
                }
                if (of != GuestClass.HOST) {
                    residents.add(new Resident(word(guest, "uuid"), word(guest, "id"), word(guest, "name"), of, number(guest, INTENSITY),
                            number(guest, MEMORY), number(guest, CPU), number(guest, LATENCY)));
                }
            }
            return Identities.named(name, new FleetHost(name, Instant.parse(word(json, "time")), number(json, FREE), number(json, CPUS), residents));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IOException("expected the status of an ic2-host: " + BoundedText.brief(e.getMessage()), e);
        }
    }

    private static String word(JsonNode json, String key) {
        if (!json.path(key).isTextual()) {
            throw new IllegalArgumentException(key + ": expected a text, got " + (json.has(key) ? "something else" : "nothing"));
        }
        return json.get(key).asText();
    }

    private static double number(JsonNode json, String key) {
        if (!json.has(key)) {
            return Double.NaN;
        }
        double value = json.get(key).isNumber() ? json.get(key).asDouble() : -1;
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(key + ": expected a number, 0 or more, got something else");
        }
        return value;
    }

    private static void putNumber(ObjectNode json, String key, double value) {
        if (Double.isFinite(value)) {
            json.put(key, value);
        }
    }
}
