// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;

/** A configuration in journal and status: {@code mxc}, {@code kat} in seconds, {@code php}, {@code mitigation}. */
public final class ConfigurationJson {

    private ConfigurationJson() {
    }

    /** Puts the four values into an object. */
    public static void put(ObjectNode node, Configuration configuration) {
        for (Lever lever : Lever.values()) {
            if (lever == Lever.KEEP_ALIVE_TIMEOUT) {
                node.put(lever.metric().column(), configuration.keepAliveSeconds());
            } else {
                node.put(lever.metric().column(), configuration.get(lever));
            }
        }
    }

    /** Reads the four values back; empty when one is missing or impossible. */
    public static Optional<Configuration> read(JsonNode node) {
        if (node == null || !node.isObject()) {
            return Optional.empty();
        }
        int[] values = new int[Lever.values().length];
        for (Lever lever : Lever.values()) {
            JsonNode value = node.get(lever.metric().column());
            if (value == null || !value.isNumber()) {
                return Optional.empty();
            }
            values[lever.ordinal()] = (int) Math.rint(value.asDouble() * lever.unitsPerMetric());
        }
        try {
            return Optional.of(new Configuration(values[Lever.MAX_REQUEST_WORKERS.ordinal()],
                    values[Lever.KEEP_ALIVE_TIMEOUT.ordinal()], values[Lever.PHP_MAX_CHILDREN.ordinal()],
                    values[Lever.MITIGATION.ordinal()]));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
