// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;

/**
 * What the journal tells a new start.
 *
 * @param actions    when values were changed, or may have been
 * @param lastAway   when they last were led away from the baseline
 * @param epoch      the last epoch
 * @param leftBehind what the previous agent changed, or may have changed, and did not restore: in words; empty when it
 *                   left the baseline, or what a person wanted
 * @param moved      the levers that were away from the baseline of their time, as far as known
 * @param manual     why a person is in charge; empty when nobody is
 * @param inForce    what ran after the last action, as far as known
 * @param mode       the mode of the last start
 */
public record PastActions(List<Instant> actions, Optional<Instant> lastAway, long epoch, Optional<String> leftBehind,
        Set<Lever> moved, Optional<String> manual, Optional<Configuration> inForce,
        Optional<String> mode) {

    /** Reads the journal's entries, oldest first. */
    public static PastActions of(List<JsonNode> entries, Configuration baseline) {
        Reader reader = new Reader(baseline);
        entries.forEach(reader::read);
        return new PastActions(reader.actions, Optional.ofNullable(reader.lastAway), reader.epoch,
                Optional.ofNullable(reader.leftBehind), reader.moved, Optional.ofNullable(reader.manual),
                Optional.ofNullable(reader.inForce), entries.stream()
                        .filter(entry -> entry.path("kind").asText().equals("start"))
                        .map(entry -> entry.path("mode").asText()).reduce((earlier, later) -> later));
    }

    private static final class Reader {
        private final Configuration baseline;
        private final Set<Lever> moved = EnumSet.noneOf(Lever.class);
        private Configuration baselineThen;
        private final List<Instant> actions = new ArrayList<>();
        private Instant lastAway;
        private long epoch;
        private String leftBehind;
        private String manual;
        private Configuration inForce;

        Reader(Configuration baseline) {
            this.baseline = baseline;
            this.baselineThen = baseline;
        }

        void read(JsonNode entry) {
            epoch = Math.max(epoch, entry.path("epoch").asLong(0));
            ConfigurationJson.read(entry.get("baseline")).ifPresent(then -> baselineThen = then);
            switch (entry.path("kind").asText()) {
                case "intent" -> intent(entry);
                case "applied" -> applied(entry);
                case "failed" -> failed(entry);
                case "manual" -> manual = entry.path("reason").asText("a person took over");
                case "resume" -> manual = null;
                default -> { }
            }
        }

        private void intent(JsonNode entry) {
            Optional<Configuration> desired = ConfigurationJson.read(entry.get("desired"));
            desired.ifPresent(this::compare);
            boolean away = desired.isEmpty() || !desired.get().equals(baseline);
            leftBehind = "the agent ended in the middle of " + entry.path("id").asText() + " ("
                    + desired.map(Configuration::describe).orElse("unknown values") + ")";
            time(entry).ifPresent(time -> {
                actions.add(time);
                if (away) {
                    lastAway = time;
                }
            });
        }

        private void ran(Configuration configuration) {
            compare(configuration);
            inForce = configuration;
        }

        private void compare(Configuration configuration) {
            moved.clear();
            for (Lever lever : Lever.values()) {
                if (configuration.get(lever) != baselineThen.get(lever)) {
                    moved.add(lever);
                }
            }
        }

        private void applied(JsonNode entry) {
            Optional<Configuration> now = ConfigurationJson.read(entry.get("configuration"));
            now.ifPresent(this::ran);
            leftBehind = now.isPresent() && now.get().equals(baseline) ? null
                    : "the agent ended with " + now.map(Configuration::describe).orElse("unknown values") + " in force";
        }

        private void failed(JsonNode entry) {
            Optional<Configuration> now = ConfigurationJson.read(entry.get("configuration"));
            now.ifPresent(this::ran);
            leftBehind = now.isPresent() && now.get().equals(baseline) ? null
                    : "the agent ended after a failed action, with "
                            + now.map(Configuration::describe).orElse("unknown values") + " in force";
        }

        private static Optional<Instant> time(JsonNode entry) {
            try {
                return Optional.of(Instant.parse(entry.path("time").asText()));
            } catch (DateTimeParseException e) {
                return Optional.empty();
            }
        }
    }
}
