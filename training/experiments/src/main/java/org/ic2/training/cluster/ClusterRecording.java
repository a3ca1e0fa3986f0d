// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;
import org.ic2.training.data.Csv;
import org.ic2.training.data.NeighbourLog;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.ClusterDriver;
import org.ic2.training.run.ClusterRun;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.ServerWeight;
import org.ic2.training.run.WindowFigures;

/**
 * What a run on a cluster has left behind.
 *
 * @param arm     what it is of
 * @param facts   its {@code run.json}
 * @param onset   when the first neighbour started; all do at the same time
 * @param end     when the last one stopped
 * @param client  what the load saw
 * @param lines   what HAProxy served
 * @param weights what HAProxy had in force
 * @param actions what the agents changed, of all servers
 */
record ClusterRecording(ClusterArm arm, JsonNode facts, Instant onset, Instant end, List<Intervals> client,
        List<ServerRequests.Line> lines, List<Weight> weights, List<Action> actions) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int WHOLE = 100;
    private static final int WEIGHT_CELLS = 6;

    /** A server's weight at a moment; 100 unless an agent asked for less. */
    record Weight(Instant time, String server, int weight, String status) {
    }

    /**
     * A change that an agent made.
     *
     * @param baseline true if it left its server as it was before all changes
     */
    record Action(Instant time, String server, boolean baseline) {
    }

    /** All runs of a folder that were completed, in the order of their names. */
    static List<ClusterRecording> all(Path folder) throws IOException {
        List<Path> places;
        try (Stream<Path> entries = Files.list(folder)) {
            places = entries.filter(place -> Files.isRegularFile(place.resolve(ClusterDriver.FILE))).sorted().toList();
        }
        List<ClusterRecording> all = new ArrayList<>();
        for (Path place : places) {
            all.add(read(place));
        }
        return all;
    }

    static ClusterRecording read(Path place) throws IOException {
        JsonNode facts = MAPPER.readTree(Files.readString(place.resolve(ClusterDriver.FILE)));
        String id = facts.path("id").asText();
        ClusterArm arm = Stream.of(ClusterArm.values()).filter(one -> id.endsWith("-" + one.key().replace("+", "-")) && one.levers().name()
                .equals(facts.path("levers").asText()) && one.balance().equals(facts.path("balance").asText())).findFirst()
                .orElseThrow(() -> new IOException(place + "/" + ClusterDriver.FILE
                        + ": expected a run of `ic2-train compare --cluster`, got '" + id + "'"));
        Instant begin = Instant.ofEpochMilli(facts.path("begin").asLong());
        Instant onset = begin.plusMillis(facts.path("quiet").asLong());
        Instant end = onset.plusMillis(facts.path("on").asLong());
        for (int i = 1; i <= facts.path("noisy").asInt(); i++) {
            Path log = place.resolve("web" + i).resolve(ClusterDriver.NEIGHBOUR);
            List<Switch> switches = NeighbourLog.read(log.toString(), TextFiles.lines(log));
            onset = i > 1 ? onset : switches.stream().filter(Switch::on).map(Switch::time).findFirst().orElse(onset);
            Instant known = end;
            end = switches.stream().filter(one -> !one.on()).map(Switch::time).filter(time -> near(time, known)).reduce((x, y) -> y)
                    .orElse(end);
        }
        List<ServerRequests.Line> lines = TextFiles.lines(place.resolve(ClusterDriver.REQUESTS)).stream()
                .flatMap(line -> ServerRequests.Line.parse(line).stream()).toList();
        return new ClusterRecording(arm, facts, onset, end, Intervals.onTime(Intervals.read(place.resolve("load").resolve(Intervals.FILE))),
                lines, weights(place), actions(place, facts.path("servers").asInt()));
    }

    /** A stop near the planned end; the one at the end of the memory's first touch is far before. */
    private static boolean near(Instant time, Instant planned) {
        return Math.abs(time.toEpochMilli() - planned.toEpochMilli()) < 5000;
    }

    private static List<Weight> weights(Path place) throws IOException {
        return Csv.rows(place.resolve(ServerWeight.FILE), WEIGHT_CELLS).stream().map(row -> new Weight(Instant.ofEpochMilli(
                Math.round(1000 * Double.parseDouble(row.get(0)))), row.get(1), Integer.parseInt(row.get(2)), row.get(3))).toList();
    }

    private static List<Action> actions(Path place, int servers) throws IOException {
        List<Action> actions = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            Path journal = place.resolve("web" + i).resolve(ClusterRun.JOURNAL);
            Optional<JsonNode> baseline = Optional.empty();
            for (String line : Files.exists(journal) ? TextFiles.lines(journal) : List.<String>of()) {
                Optional<JsonNode> entry = entry(line);
                String kind = entry.map(one -> one.path("kind").asText()).orElse("");
                if (kind.equals("intent") && baseline.isEmpty()) {
                    baseline = entry.map(one -> one.path("before"));
                } else if (kind.equals("applied")) {
                    Optional<JsonNode> before = baseline;
                    Instant time = Instant.parse(entry.get().path("time").asText());
                    actions.add(new Action(time, "web" + i, before.filter(entry.get().path("configuration")::equals).isPresent()));
                }
            }
        }
        return actions;
    }

    private static Optional<JsonNode> entry(String line) {
        try {
            return Optional.of(MAPPER.readTree(line));
        } catch (JsonProcessingException e) {
            return Optional.empty();    // cut short
        }
    }

    int noisy() {
        return facts.path("noisy").asInt();
    }

    Instant begin() {
        return Instant.ofEpochMilli(facts.path("begin").asLong());
    }

    Instant last() {
        return begin().plusMillis(facts.path("quiet").asLong() + facts.path("on").asLong() + facts.path("after").asLong());
    }

    /** What the load saw in a window. */
    Map<String, Double> figures(Instant from, Instant to) {
        return WindowFigures.client(client, from, to);
    }

    /** What each server gave in a window, by name. */
    Map<String, ServerRequests> servers(Instant from, Instant to) {
        return ServerRequests.of(lines, from.toEpochMilli(), to.toEpochMilli());
    }

    /** Seconds from the onset to the first change in force, of the slowest noisy server; empty if one had no change. */
    OptionalDouble effective() {
        return longest(server -> Stream.concat(
                weights.stream().filter(one -> one.server().equals(server) && one.weight() < WHOLE).map(Weight::time),
                actions.stream().filter(one -> one.server().equals(server) && !one.baseline()).map(Action::time))
                .filter(time -> time.isAfter(onset) && time.isBefore(end)).min(Instant::compareTo), onset);
    }

    /** Seconds from the end to the baseline, of the slowest server; empty if one is not restored. */
    OptionalDouble baseline() {
        return longest(server -> {
            List<Weight> own = weights.stream().filter(one -> one.server().equals(server)).toList();
            boolean whole = own.isEmpty() || own.get(own.size() - 1).weight() == WHOLE;
            List<Action> acts = actions.stream().filter(one -> one.server().equals(server) && one.time().isBefore(last())).toList();
            boolean baseline = acts.isEmpty() || acts.get(acts.size() - 1).baseline();
            Instant cut = own.stream().filter(one -> one.weight() < WHOLE).map(Weight::time).reduce(end, ClusterRecording::later);
            Instant acted = acts.stream().map(Action::time).reduce(end, ClusterRecording::later);
            return whole && baseline ? Optional.of(later(cut, acted)) : Optional.empty();
        }, end);
    }

    private static Instant later(Instant x, Instant y) {
        return x.isAfter(y) ? x : y;
    }

    private OptionalDouble longest(Function<String, Optional<Instant>> moment, Instant from) {
        double most = 0;
        for (int i = 1; i <= noisy(); i++) {
            Optional<Instant> one = arm.agents() ? moment.apply("web" + i) : Optional.empty();
            if (one.isEmpty()) {
                return OptionalDouble.empty();
            }
            most = Math.max(most, (one.get().toEpochMilli() - from.toEpochMilli()) / 1000.0);
        }
        return OptionalDouble.of(most);
    }

    /** Changes from the begin to the end. */
    long changes() {
        return actions.stream().filter(one -> one.time().isAfter(begin()) && one.time().isBefore(last())).count();
    }

    /** Changes before the first neighbour came. */
    long early() {
        return actions.stream().filter(one -> one.time().isAfter(begin()) && one.time().isBefore(onset)).count();
    }

    /** The least weight of a server while the neighbours ran. */
    Map<String, Integer> least() {
        Map<String, Integer> least = new LinkedHashMap<>();
        weights.stream().filter(one -> one.time().isAfter(onset) && one.time().isBefore(end))
                .forEach(one -> least.merge(one.server(), one.weight(), Math::min));
        return least;
    }
}
