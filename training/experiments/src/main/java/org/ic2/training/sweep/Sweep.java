// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Run;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.WindowFigures;
import org.ic2.training.slots.Beside;
import org.ic2.training.slots.Slot;
import org.ic2.training.slots.Slots;
import org.ic2.training.slots.Tuning;

/**
 * One parameter at a time, with and without interference (the paper's figures 2 and 3): every value has a slot with and
 * one without the neighbour in each round (see {@link Slots}), and each round is a run of its own.
 *
 * @param lever   what is varied
 * @param values  its values, the baseline's among them
 * @param base    everything else
 * @param settle  of each slot
 * @param window  of each slot, what counts
 * @param rounds  runs a point; the paper: 3
 */
public record Sweep(Lever lever, List<Integer> values, Settings base, Duration settle, Duration window, int rounds) {
    public Sweep {
        if (!values.contains(base.get(lever))) {
            throw new IllegalArgumentException("--values: expected the baseline's " + lever.key() + " " + base.get(lever)
                    + " among them, got " + values);
        }
        values = values.stream().distinct().sorted().toList();
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

    private Slots slots(Beside neighbour) {
        return new Slots(values.stream().map(this::tuning).toList(), List.of(Beside.ALONE, neighbour), rounds, settle, window);
    }

    private String id(int round) {
        return "sweep-" + lever.key() + "-" + round;
    }

    /** The run of each round. */
    public List<RunPlan> plans(int users, long seed, String program, String placement) {
        Slots slots = slots(new Beside(program, program, placement));
        return IntStream.rangeClosed(1, rounds).mapToObj(round -> slots.recorded(id(round), "sweep", slots.round(round, seed), users,
                seed + round)).toList();
    }

    private Tuning tuning(int value) {
        return switch (lever) {
            case PHP_MAX_CHILDREN -> new Tuning(Integer.toString(value), Map.of(), OptionalInt.of(value));
            case MAX_REQUEST_WORKERS -> set(value, "MaxRequestWorkers", Integer.toString(value));
            case KEEP_ALIVE_TIMEOUT -> set(value, "KeepAliveTimeout",
                    java.math.BigDecimal.valueOf(value, 3).stripTrailingZeros().toPlainString());
            case MITIGATION -> set(value, "MITIGATION", Integer.toString(value));
        };
    }

    private static Tuning set(int value, String name, String text) {
        return new Tuning(Integer.toString(value), Map.of(name, text), OptionalInt.empty());
    }

    /** The points of all rounds, from the client's figures and the agent's samples. */
    public List<Point> points(Path folder, List<Run> runs, long seed) throws IOException {
        Slots slots = slots(new Beside("neighbour", "neighbour", ""));
        List<Point> points = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            String id = id(round);
            Run run = runs.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
            List<Intervals> client = Intervals.onTime(Intervals.read(folder.resolve(id).resolve("load").resolve(Intervals.FILE)));
            Instant begin = Instant.ofEpochMilli(Long.parseLong(run.fact(Run.FROM)));
            List<Slot> order = slots.round(round, seed);
            for (int i = 0; i < order.size(); i++) {
                Instant from = begin.plus(slots.from(i));
                points.add(new Point(round, Integer.parseInt(order.get(i).tuning().label()), order.get(i).beside().loud(),
                        WindowFigures.figures(client, run.samples(), from, from.plus(window))));
            }
        }
        return points;
    }
}
