// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings in JSON. There are two forms, and these are all.
 *
 * <p>What people and other programs read (journal, decisions, status) has the numbers of a sample's columns:
 * {@code {"mxc":650,"kat":5.0,...}}, see {@link #put} and {@link #read}.
 *
 * <p>What only the agent itself reads again (its state) has each knob's own integer by its key:
 * {@code {"max-request-workers":650,"keep-alive-timeout":5000,...}}, see {@link #putByKey} and {@link #readByKey}.
 */
public final class SettingsJson {
    private SettingsJson() {
    }

    /** Puts each value into an object, by its column and in the column's unit. */
    public static void put(ObjectNode node, Settings settings) {
        settings.values().forEach((knob, value) -> {
            if (knob.unitsPerColumn() == 1) {
                node.put(knob.column(), value);
            } else {
                node.put(knob.column(), (double) value / knob.unitsPerColumn());
            }
        });
    }

    /**
     * What {@link #put} wrote, of some knobs; what is there of others is left out.
     *
     * @return empty when one of the knobs that IC2 ships ({@link Knob#rank}) is missing, or a value is impossible; a
     *         further knob may be missing, since the text may be older than it
     */
    public static Optional<Settings> read(JsonNode node, Collection<? extends Knob> knobs) {
        if (node == null || !node.isObject()) {
            return Optional.empty();
        }
        Map<Knob, Integer> values = new TreeMap<>(Knob.ORDER);
        for (Knob knob : knobs) {
            JsonNode value = node.get(knob.column());
            if (value != null && value.isNumber()) {
                values.put(knob, (int) Math.rint(value.asDouble() * knob.unitsPerColumn()));
            } else if (value != null || knob.rank() != Integer.MAX_VALUE) {
                return Optional.empty();
            }
        }
        try {
            return Optional.of(Settings.of(values));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Puts each value into an object, by its key, in the knob's own unit. */
    public static void putByKey(ObjectNode node, Settings settings) {
        settings.values().forEach((knob, value) -> node.put(knob.key(), value));
    }

    /**
     * What {@link #putByKey} wrote. Leaves out a knob that is no longer known.
     *
     * @param vocabulary the knobs that are known
     * @throws IllegalArgumentException if it is no object of numbers, or a value is impossible
     */
    public static Settings readByKey(JsonNode node, Vocabulary vocabulary) {
        if (!node.isObject()) {
            throw new IllegalArgumentException("expected an object of numbers by key, got " + node);
        }
        Map<Knob, Integer> values = new TreeMap<>(Knob.ORDER);
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!field.getValue().isInt()) {
                throw new IllegalArgumentException(field.getKey() + ": expected a whole number, got "
                        + field.getValue());
            }
            vocabulary.knob(field.getKey()).ifPresent(knob -> values.put(knob, field.getValue().intValue()));
        }
        return Settings.of(values);
    }
}
