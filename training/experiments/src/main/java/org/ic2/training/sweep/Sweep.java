// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;
import org.ic2.training.data.Run;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.NeighbourPlan;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.WindowFigures;

/**
 * One parameter at a time, with and without interference (the paper's figures 2 and 3). The state of a shared machine
 * drifts by the minute, so the points are interleaved: one run is one round, in which every value has a slot with and one
 * without the neighbour, in random order; each slot begins with a time to settle that does not count.
 *
 * @param lever   what is varied
 * @param values  its values, the baseline's among them
 * @param base    everything else
 * @param settle  of each slot
 * @param window  of each slot, what counts
 * @param rounds  runs a point; the paper: 3
 */
public record Sweep(Lever lever, List<Integer> values, Configuration base, Duration settle, Duration window, int rounds) {
    public Sweep {
        if (!values.contains(base.get(lever))) {
            throw new IllegalArgumentException("--values: expected the baseline's " + lever.key() + " " + base.get(lever)
                    + " among them, got " + values);
        }
        values = values.stream().distinct().sorted().toList();
    }

    /** One stretch of a round. */
    private record Slot(int value, boolean loud) {
    }

    /**
     * What was measured in one slot.
     *
     * @param round   from 1
     * @param value   of the lever, in its integer units
     * @param loud    with the neighbour
     * @param figures by name: throughput, response_time, ...
     */
    public record Point(int round, int value, boolean loud, Map<String, Double> figures) {
    }

    private Duration slot() {
        return settle.plus(window);
    }

    /** The slots of one round, in its own order. */
    private List<Slot> slots(int round, long seed) {
        List<Slot> slots = new ArrayList<>();
        for (int value : values) {
            slots.add(new Slot(value, false));
            slots.add(new Slot(value, true));
        }
        Collections.shuffle(slots, new Random(seed * 1000 + round));
        return slots;
    }

    /** The run of each round. */
    public List<RunPlan> plans(int users, long seed, String program, String placement) {
        List<RunPlan> plans = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            List<Slot> slots = slots(round, seed);
            List<Change> changes = new ArrayList<>();
            StringBuilder schedule = new StringBuilder();
            for (int i = 0; i < slots.size(); i++) {
                schedule.append(i == 0 ? "" : ", ").append(slot().toMillis()).append("ms ").append(slots.get(i).loud() ? "on" : "off");
                changes.add(change(slot().multipliedBy(i), slots.get(i).value()));
            }
            plans.add(new RunPlan("sweep-" + lever.key() + "-" + round, "sweep", slot().multipliedBy(slots.size()), users,
                    seed + round, Optional.of(new NeighbourPlan(program, placement, schedule.toString())),
                    AgentArm.observer(), changes));
        }
        return plans;
    }

    private Change change(Duration at, int value) {
        return switch (lever) {
            case PHP_MAX_CHILDREN -> new Change.SetValues(at, Map.of(), OptionalInt.of(value));
            case MAX_REQUEST_WORKERS -> set(at, "MaxRequestWorkers", Integer.toString(value));
            case KEEP_ALIVE_TIMEOUT -> set(at, "KeepAliveTimeout",
                    java.math.BigDecimal.valueOf(value, 3).stripTrailingZeros().toPlainString());
            case MITIGATION -> set(at, "MITIGATION", Integer.toString(value));
        };
    }

    private static Change set(Duration at, String name, String value) {
        return new Change.SetValues(at, Map.of(name, value), OptionalInt.empty());
    }

    /** The points of all rounds, from the client's figures and the agent's samples. */
    public List<Point> points(Path folder, List<Run> runs, long seed) throws IOException {
        List<Point> points = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            String id = "sweep-" + lever.key() + "-" + round;
            Run run = runs.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
            List<Intervals> client = Intervals.read(folder.resolve(id).resolve("load/intervals.csv"));
            Instant begin = Instant.ofEpochMilli(Long.parseLong(run.fact("from")));
            List<Slot> slots = slots(round, seed);
            for (int i = 0; i < slots.size(); i++) {
                Instant from = begin.plus(slot().multipliedBy(i)).plus(settle);
                points.add(new Point(round, slots.get(i).value(), slots.get(i).loud(),
                        WindowFigures.figures(client, run.samples(), from, from.plus(window))));
            }
        }
        return points;
    }
}
