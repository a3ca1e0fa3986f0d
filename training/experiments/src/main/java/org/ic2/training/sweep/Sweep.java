// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Run;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.WindowFigures;
import org.ic2.training.slots.NeighbourSlot;
import org.ic2.training.slots.Slot;
import org.ic2.training.slots.Slots;
import org.ic2.training.slots.WebTierSetting;

/**
 * One parameter, or two at once, with and without interference (the paper's figures 2 and 3): every value, or pair of values,
 * has a slot with and one without the neighbour in each round (see {@link Slots}), and each round is a run of its own.
 *
 * @param axes   what is varied: one lever or two
 * @param base   everything else
 * @param settle of each slot
 * @param window of each slot, what counts
 * @param rounds runs a point; the paper: 3
 */
public record Sweep(List<Axis> axes, Settings base, Duration settle, Duration window, int rounds) {
    private static final int MAX_LEVERS = 2;

    /**
     * A lever and its values.
     *
     * @param values in its integer units, the baseline's among them
     */
    public record Axis(Lever lever, List<Integer> values) {
        public Axis {
            values = values.stream().distinct().sorted().toList();
        }

        /** The values for people. */
        List<String> ticks() {
            return values.stream().map(lever::format).toList();
        }
    }

    public Sweep {
        axes = List.copyOf(axes);
        if (axes.isEmpty() || axes.size() > MAX_LEVERS || axes.stream().map(Axis::lever).distinct().count() < axes.size()) {
            throw new IllegalArgumentException("--lever: expected one lever or two different ones, got " + axes.stream()
                    .map(axis -> axis.lever().key()).toList());
        }
        for (Axis axis : axes) {
            if (!axis.values().contains(base.get(axis.lever()))) {
                throw new IllegalArgumentException("--lever: expected the baseline's " + axis.lever().key() + " " + base.get(axis.lever())
                        + " among the values, got " + axis.values());
            }
        }
    }

    /**
     * What was measured in one slot.
     *
     * @param round   from 1
     * @param values  of the levers, in the order of the axes and in their integer units
     * @param beside  with the neighbour
     * @param figures by name: throughput, response_time, ...
     */
    public record Point(int round, List<Integer> values, boolean beside, Map<String, Double> figures) {
    }

    /** Its name in files. */
    public String name() {
        return axes.stream().map(axis -> axis.lever().key()).collect(Collectors.joining("-x-"));
    }

    /** The points at which all levers but this one are at the baseline. */
    List<Point> along(Axis axis, List<Point> points) {
        return points.stream().filter(point -> axes.stream().allMatch(other -> other.equals(axis)
                || point.values().get(axes.indexOf(other)).equals(base.get(other.lever())))).toList();
    }

    /** The value of a lever at a point. */
    int value(Axis axis, Point point) {
        return point.values().get(axes.indexOf(axis));
    }

    /** Every value, or pair of values. */
    private List<List<Integer>> combinations() {
        return axes.size() == 1 ? axes.get(0).values().stream().map(List::of).toList() : axes.get(0).values().stream()
                .flatMap(one -> axes.get(1).values().stream().map(other -> List.of(one, other))).toList();
    }

    private Slots slots(NeighbourSlot neighbour) {
        return new Slots(combinations().stream().map(this::tuning).toList(), List.of(NeighbourSlot.ALONE, neighbour), rounds, settle, window);
    }

    private String id(int round) {
        return "sweep-" + name() + "-" + round;
    }

    /** The run of each round. */
    public List<RunPlan> plans(int users, long seed, String program, String placement) {
        Slots slots = slots(new NeighbourSlot(program, program, placement));
        return IntStream.rangeClosed(1, rounds).mapToObj(round -> slots.recorded(id(round), "sweep", slots.round(round, seed), users,
                seed + round)).toList();
    }

    private WebTierSetting tuning(List<Integer> values) {
        Map<String, String> words = new LinkedHashMap<>();
        OptionalInt php = OptionalInt.empty();
        for (int i = 0; i < axes.size(); i++) {
            int value = values.get(i);
            switch (axes.get(i).lever()) {
                case PHP_MAX_CHILDREN -> php = OptionalInt.of(value);
                case MAX_REQUEST_WORKERS -> words.put("MaxRequestWorkers", Integer.toString(value));
                case KEEP_ALIVE_TIMEOUT -> words.put("KeepAliveTimeout", BigDecimal.valueOf(value, 3).stripTrailingZeros().toPlainString());
                case MITIGATION -> words.put("MITIGATION", Integer.toString(value));
                default -> throw new IllegalStateException(axes.get(i).lever() + ": no slot sets this lever");
            }
        }
        return new WebTierSetting(values.stream().map(String::valueOf).collect(Collectors.joining(" ")), words, php);
    }

    /** The points of all rounds, from the client's figures and the agent's samples. */
    public List<Point> points(Path folder, List<Run> runs, long seed) throws IOException {
        Slots slots = slots(new NeighbourSlot("neighbour", "neighbour", ""));
        List<List<Integer>> combinations = combinations();
        List<Point> points = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            String id = id(round);
            Run run = runs.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
            List<Intervals> client = Intervals.onTime(Intervals.read(folder.resolve(id).resolve("load").resolve(Intervals.FILE)));
            Instant begin = Instant.ofEpochMilli(Long.parseLong(run.fact(Run.FROM)));
            List<Slot> order = slots.round(round, seed);
            for (int i = 0; i < order.size(); i++) {
                Instant from = begin.plus(slots.from(i));
                points.add(new Point(round, combinations.get(slots.tunings().indexOf(order.get(i).tuning())), order.get(i).beside().present(),
                        WindowFigures.figures(client, run.samples(), from, from.plus(window))));
            }
        }
        return points;
    }
}
