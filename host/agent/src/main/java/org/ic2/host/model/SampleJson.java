// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ic2.runtime.json.Json;

/**
 * A sample in JSON, as recordings hold it: {@code time}, {@code interval_ms}, {@code guests}, {@code metrics} and
 * {@code missing} by uuid, {@code host} and {@code host_missing}. What {@link #write} wrote, {@link #read} reads as it was.
 */
public final class SampleJson {

    private static final double NANOS = 1e6;

    private SampleJson() {
    }

    /** The object of a sample. */
    public static ObjectNode write(HostSample sample) {
        ObjectNode json = Json.object().put("time", sample.time().toString()).put("interval_ms", sample.interval().toNanos() / NANOS);
        ArrayNode guests = json.putArray("guests");
        sample.guests().forEach(guest -> guests.add(guest(guest)));
        ObjectNode metrics = json.putObject("metrics");
        ObjectNode missing = json.putObject("missing");
        sample.byUuid().forEach((uuid, readings) -> {
            ObjectNode values = metrics.putObject(uuid);
            ObjectNode reasons = Json.object();
            for (GuestMetric metric : GuestMetric.values()) {
                put(metric.key(), readings.get(metric), readings.missing().get(metric), values, reasons);
            }
            if (!reasons.isEmpty()) {
                missing.set(uuid, reasons);
            }
        });
        ObjectNode host = json.putObject("host");
        ObjectNode without = json.putObject("host_missing");
        for (HostMetric metric : HostMetric.values()) {
            put(metric.key(), sample.host().get(metric), sample.host().missing().get(metric), host, without);
        }
        return json;
    }

    private static void put(String key, double value, String why, ObjectNode values, ObjectNode reasons) {
        if (!Double.isNaN(value)) {
            values.put(key, value);
        } else if (why != null) {
            reasons.put(key, why);
        }
    }

    private static ObjectNode guest(Guest guest) {
        ObjectNode json = Json.object().put("id", guest.id()).put("uuid", guest.uuid()).put("name", guest.name())
                .put("vcpus", guest.vcpus()).put("memory_min", guest.memMin()).put("memory_max", guest.memMax())
                .put("class", guest.guestClass().name());
        if (!Double.isNaN(guest.rtTarget())) {
            json.put("rt_target", guest.rtTarget());
        }
        if (!Double.isNaN(guest.intensity())) {
            json.put("intensity", guest.intensity());
        }
        if (guest.plain()) {
            json.put("plain", true);
        }
        return json;
    }

    /**
     * The sample of an object; what else the object holds is left alone.
     *
     * @throws IllegalArgumentException naming the member that is missing or impossible
     */
    public static HostSample read(JsonNode json) {
        List<Guest> guests = new ArrayList<>();
        member(json, "guests").forEach(guest -> guests.add(readGuest(guest)));
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> one : member(json, "metrics").properties()) {
            byUuid.put(one.getKey(), readings(GuestMetric.class, Stream.of(GuestMetric.values()).toList(), one.getValue(),
                    json.path("missing").path(one.getKey())));
        }
        Duration interval = Duration.ofNanos(Math.round(number(json, "interval_ms") * NANOS));
        return new HostSample(time(json), interval, guests, byUuid, readings(HostMetric.class,
                Stream.of(HostMetric.values()).toList(), member(json, "host"), json.path("host_missing")));
    }

    private static <Q extends Enum<Q>> Readings<Q> readings(Class<Q> type, List<Q> metrics, JsonNode values, JsonNode reasons) {
        Readings<Q> readings = new Readings<>(type);
        for (Q metric : metrics) {
            String key = metric instanceof GuestMetric of ? of.key() : ((HostMetric) (Object) metric).key();
            if (values.has(key)) {
                readings = readings.with(metric, number(values, key));
            } else if (reasons.has(key)) {
                readings = readings.without(metric, reasons.get(key).asText());
            }
        }
        return readings;
    }

    private static Guest readGuest(JsonNode json) {
        GuestClass guestClass;
        try {
            guestClass = GuestClass.valueOf(text(json, "class"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("class: expected a class of guests, got " + json.path("class"), e);
        }
        return new Guest(text(json, "id"), text(json, "uuid"), text(json, "name"), (int) number(json, "vcpus"),
                (long) number(json, "memory_min"), (long) number(json, "memory_max"), guestClass,
                json.path("rt_target").asDouble(Double.NaN), json.path("intensity").asDouble(Double.NaN),
                json.path("plain").asBoolean(false));
    }

    private static Instant time(JsonNode json) {
        try {
            return Instant.parse(text(json, "time"));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("time: expected a time such as 2026-01-31T12:00:00Z, got " + json.get("time"), e);
        }
    }

    private static JsonNode member(JsonNode json, String name) {
        JsonNode value = json.get(name);
        if (value == null || !value.isContainerNode()) {
            throw new IllegalArgumentException(name + ": expected an object or a list, got " + value);
        }
        return value;
    }

    private static double number(JsonNode json, String name) {
        JsonNode value = json.get(name);
        if (value == null || !value.isNumber()) {
            throw new IllegalArgumentException(name + ": expected a number, got " + value);
        }
        return value.asDouble();
    }

    private static String text(JsonNode json, String name) {
        JsonNode value = json.get(name);
        if (value == null || !value.isTextual()) {
            throw new IllegalArgumentException(name + ": expected a text, got " + value);
        }
        return value.asText();
    }
}
