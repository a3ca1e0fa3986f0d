// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.ic2.knowledge.control.learn.MedianWindow;

/**
 * An object in the JSON form of a state, read strictly: what is missing, of another kind or unknown is an
 * {@link IllegalArgumentException}. What may be missing is null then, and so it is where null stands for it.
 */
record StatePart(String name, JsonNode node) {

    /** The object, which has no names but these. */
    static StatePart of(String name, JsonNode node, String... known) {
        if (!node.isObject()) {
            throw wrong(name, "an object", node);
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!List.of(known).contains(field.getKey())) {
                throw new IllegalArgumentException(name + ": unknown: " + field.getKey());
            }
        }
        return new StatePart(name, node);
    }

    /** A part that may be missing. */
    StatePart part(String key, String... known) {
        return has(key) ? needed(key, known) : null;
    }

    /** A part that has to be there. */
    StatePart needed(String key, String... known) {
        return of(key, get(key), known);
    }

    boolean has(String key) {
        return node.hasNonNull(key);
    }

    /** What has to be there. */
    JsonNode get(String key) {
        if (!has(key)) {
            throw new IllegalArgumentException(name + ": " + key + " is missing");
        }
        return node.get(key);
    }

    long whole(String key) {
        return whole(get(key));
    }

    static long whole(JsonNode value) {
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw wrong("number", "a whole number", value);
        }
        return value.longValue();
    }

    int small(String key) {
        if (!get(key).isInt()) {
            throw wrong(key, "a whole number of 32 bits", get(key));
        }
        return get(key).intValue();
    }

    double number(String key) {
        return number(get(key));
    }

    /** A number, or what JSON has no number for. */
    static double number(JsonNode value) {
        if (!value.isNumber() && !(value.isTextual() && value.textValue().matches("NaN|-?Infinity"))) {
            throw wrong("number", "a number", value);
        }
        return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.textValue());
    }

    boolean flag(String key) {
        if (!get(key).isBoolean()) {
            throw wrong(key, "true or false", get(key));
        }
        return get(key).booleanValue();
    }

    String text(String key) {
        return has(key) ? text(get(key)) : null;
    }

    static String text(JsonNode value) {
        if (!value.isTextual()) {
            throw wrong("text", "a text", value);
        }
        return value.textValue();
    }

    Stream<JsonNode> elements(String key) {
        return elements(get(key));
    }

    private static Stream<JsonNode> elements(JsonNode list) {
        if (!list.isArray()) {
            throw wrong("list", "a list", list);
        }
        return StreamSupport.stream(list.spliterator(), false);
    }

    /** Numbers that may be missing. */
    double[] numbers(String key) {
        return has(key) ? numbers(get(key)) : null;
    }

    static double[] numbers(JsonNode list) {
        return elements(list).mapToDouble(StatePart::number).toArray();
    }

    MedianWindow window(String key) {
        return has(key) ? MedianWindow.of(numbers(key)) : null;
    }

    Map<String, JsonNode> fields(String key) {
        if (!get(key).isObject()) {
            throw wrong(key, "an object", get(key));
        }
        Map<String, JsonNode> fields = new LinkedHashMap<>();
        get(key).properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }

    private static IllegalArgumentException wrong(String name, String expected, JsonNode got) {
        return new IllegalArgumentException(name + ": expected " + expected + ", got " + got);
    }
}
