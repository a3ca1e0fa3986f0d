// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;

/**
 * What is known of the agent that is watched.
 *
 * @param status  its last status
 * @param trends  what its last trends said beside the values; missing from an agent that knows none
 * @param problem why it does not answer, if it does not
 * @param heard   when it answered last
 */
public record WatchedAgent(JsonNode status, JsonNode trends, Optional<String> problem, Instant heard) {

    /** So many intervals without a sample are too many. */
    private static final int STALE = 3;
    private static final double PERCENT = 100;

    /** Before the first answer. */
    public static WatchedAgent unknown(Instant now) {
        return new WatchedAgent(MissingNode.getInstance(), MissingNode.getInstance(), Optional.empty(), now);
    }

    /** What is wrong with the figures that are shown: nobody answers, or they are old. */
    Optional<String> trouble(Instant now, Duration interval) {
        long silent = Duration.between(heard, now).toSeconds();
        if (problem.isPresent()) {
            return Optional.of("no answer for " + age(silent) + ", trying again: " + problem.get());
        }
        if (Duration.between(heard, now).compareTo(interval.multipliedBy(STALE)) > 0) {
            return Optional.of("no answer for " + age(silent) + ": does the agent hang? What is shown is old");
        }
        Optional<Instant> sample = sampleTime();
        return sample.filter(time -> Duration.between(time, now).compareTo(interval.multipliedBy(STALE)) > 0)
                .map(time -> "the last sample is " + age(Duration.between(time, now).toSeconds()) + " old");
    }

    Optional<Instant> sampleTime() {
        JsonNode time = status.path("sample").path("time");
        return time.isNumber() ? Optional.of(Instant.ofEpochMilli((long) (time.asDouble() * 1000))) : Optional.empty();
    }

    String state() {
        return status.path("state").asText();
    }

    /** True while users are harmed for another reason than a neighbour, of whom the state tells. */
    boolean harmed() {
        return status.has("harm") && !status.path("harm").path("cause").asText().equals(Cause.NEIGHBOUR.key());
    }

    /** What goes on, in a sentence whose parts stay together. */
    List<String> clauses(Instant now) {
        if (!status.has("sample")) {
            return List.of("Starting: no sample yet");
        }
        List<String> clauses = new ArrayList<>();
        if (harmed()) {
            clauses.add("Users are harmed, cause: " + status.path("harm").path("cause").asText());
        }
        JsonNode since = trends.path("state_since");
        clauses.add(words(state()) + " (" + state() + ")"
                + (since.isNumber() ? " for " + age(now.getEpochSecond() - since.asLong()) : "")
                + (status.hasNonNull("manual") ? ": " + status.get("manual").asText() : "")
                + (status.path("until").isNumber() ? ", back in " + age(status.get("until").asLong() - now.getEpochSecond()) : ""));
        if (trends.path("levels").asInt() > 0) {
            clauses.add("level " + trends.path("level").asInt() + " of " + trends.get("levels").asInt());
        }
        quantity(clauses, Metric.RESPONSE_TIME);
        quantity(clauses, Metric.STEAL);
        String last = clauses.remove(clauses.size() - 1);
        clauses.replaceAll(clause -> clause + ";");
        clauses.add(last);
        return clauses;
    }

    private void quantity(List<String> clauses, Metric metric) {
        double value = sample(metric.column());
        if (!Double.isNaN(value)) {
            double normal = normal(metric.column());
            clauses.add(name(metric) + " " + number(metric, value)
                    + (metric.column().equals(trends.path("target_of").asText()) ? ", target " + number(metric, target()) : "")
                    + (metric == Metric.RESPONSE_TIME && !Double.isNaN(normal) ? ", normal " + number(metric, normal) : ""));
        }
    }

    private static String words(String state) {
        return switch (state) {
            case "NI1" -> "Quiet again, not yet confirmed";
            case "NI2" -> "No interference";
            case "T" -> "Changing";
            case "I1" -> "Interference, not yet confirmed";
            case "I2" -> "Interference";
            case AgentStatus.MANUAL -> "Manual mode";
            default -> "State";
        };
    }

    double sample(String column) {
        return number(status.path("sample").path(column));
    }

    /** The median without interference. */
    double normal(String column) {
        return number(status.path("medians").path(column));
    }

    double target() {
        return number(trends.path("target"));
    }

    private static double number(JsonNode node) {
        return node.isNumber() ? node.asDouble() : Double.NaN;
    }

    /** A column's name in words. */
    static String name(Metric metric) {
        return switch (metric) {
            case RESPONSE_TIME_P95 -> "95th percentile";
            case CPU_UTIL -> "CPU";
            case CMR -> "cache misses";
            case CPI -> "cycles/instr.";
            case LOAD_PER_OPERATION -> "load/operation";
            case MEMORY_PRESSURE -> "memory stalls";
            case IO_PRESSURE -> "I/O stalls";
            case ERROR_RATE -> "errors";
            default -> metric.column().replace('_', ' ');
        };
    }

    /** A value with its unit; shares in percent. */
    static String number(Metric metric, double value) {
        return switch (metric.unit()) {
            case "0..1" -> Rounded.of(value * PERCENT) + " %";
            case "s" -> Rounded.of(value) + " s";
            case "1/s" -> Rounded.of(value) + "/s";
            default -> Rounded.of(value);
        };
    }

    /** {@code 3 min 10 s}. */
    static String age(long seconds) {
        long whole = Math.max(0, seconds);
        return whole < 60 ? whole + " s" : whole < 3600 ? String.format(Locale.ROOT, "%d min %d s", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %d min", whole / 3600, whole / 60 % 60);
    }
}
