// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import org.ic2.runtime.json.Json;

/** The JSON form of an {@link EndedEpisode}; what was not measured is null. */
public final class WorthJson {
    private static final int MOST_LETTERS = 200;
    private static final double LEAST_SECONDS = 1e-3;
    private static final double IMPOSSIBLE = 1e15;

    private WorthJson() {
    }

    /** The episode as a tree. */
    public static ObjectNode tree(EndedEpisode episode) {
        ObjectNode node = Json.object().put("begin", episode.begin().toString()).put("end", episode.end().toString())
                .put("cause", episode.cause()).put("level", episode.level());
        node.setAll(tree(episode.worth()));
        return node;
    }

    /** What it was worth. */
    public static ObjectNode tree(EpisodeWorth worth) {
        ObjectNode node = Json.object().put("seconds", worth.seconds());
        put(node, "cpu_saved", worth.saved());
        put(node, "demand_seconds", worth.demand());
        node.put("demand_peak", worth.peak());
        put(node, "waiting_avoided", worth.waiting());
        put(node, "pages_60s", worth.pages());
        put(node, "pages_300s", worth.older());
        return node.put("without_parts_seconds", worth.partSeconds()).put("without_parts_requests", worth.partRequests());
    }

    private static void put(ObjectNode node, String name, Amount amount) {
        if (amount.measured()) {
            node.putObject(name).put("low", amount.low()).put("high", amount.high()).put("seconds", amount.seconds());
        } else {
            node.putNull(name);
        }
    }

    /** The episode that a tree is; empty if it is none. */
    public static Optional<EndedEpisode> read(JsonNode node) {
        try {
            EpisodeWorth worth = new EpisodeWorth(number(node, "seconds"), amount(node, "cpu_saved"), amount(node, "demand_seconds"),
                    number(node, "demand_peak"), amount(node, "waiting_avoided"), amount(node, "pages_60s"), amount(node, "pages_300s"),
                    number(node, "without_parts_seconds"), number(node, "without_parts_requests"));
            String cause = node.path("cause").asText();
            return Optional.of(new EndedEpisode(Instant.parse(node.path("begin").asText()), Instant.parse(node.path("end").asText()),
                    cause.substring(0, Math.min(MOST_LETTERS, cause.length())), (int) number(node, "level"), worth));
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Amount amount(JsonNode node, String name) {
        JsonNode part = node.path(name);
        if (!part.isObject()) {
            return Amount.NONE;
        }
        if (number(part, "seconds") < LEAST_SECONDS) {
            throw new IllegalArgumentException(name + ": expected the seconds in which it was measured");
        }
        return Amount.NONE.plus(signed(part, "low"), signed(part, "high"), number(part, "seconds"));
    }

    private static double number(JsonNode node, String name) {
        double value = signed(node, name);
        if (value < 0) {
            throw new IllegalArgumentException(name + ": expected 0 or more");
        }
        return value;
    }

    private static double signed(JsonNode node, String name) {
        JsonNode value = node.path(name);
        if (!value.isNumber() || !(Math.abs(value.doubleValue()) < IMPOSSIBLE)) {
            throw new IllegalArgumentException(name + ": expected a number");
        }
        return value.doubleValue();
    }
}
