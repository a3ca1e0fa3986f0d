// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.apache.commons.statistics.distribution.TDistribution;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.rules.Direction;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.Rule;
import org.ic2.training.slots.Cell;

/**
 * What a sweep says about the direction in which interference moves a lever's optimum, beside what {@code rules.yaml}
 * says. The measure is throughput under interference: it is the precise one, and starving users cannot flatter it. A
 * value counts as better or worse than the baseline if all rounds say so and the 95 % interval of the mean change
 * (Student's t) does not hold 0.
 *
 * @param lever   the lever
 * @param changes one for each value beside the baseline
 */
public record Directions(Lever lever, List<Change> changes) {
    private static final String MEASURE = "throughput";
    /** The quantile of a two-sided 95 % interval. */
    private static final double QUANTILE = 0.975;
    private static final Set<String> NEIGHBOUR = Set.of("llc-miss-rate", "virtual-physical-cpu-ratio");

    /**
     * The change against the baseline in the same round, under interference.
     *
     * @param value   of the lever
     * @param up      above the baseline
     * @param mean    of the rounds, as a share: 0.07 = 7 % more throughput
     * @param low     least of the rounds
     * @param high    greatest
     * @param sure    distinguishable from no change
     * @param alone   the mean change without the neighbour, NaN if not measured: what gains there as much is simply better
     */
    public record Change(int value, boolean up, double mean, double low, double high, boolean sure, double alone) {
        /** True if the value is better for sure. */
        boolean better() {
            return sure && mean > 0;
        }
    }

    /** How data and rules compare. */
    public enum Verdict { AGREE, DISAGREE, NOT_DISTINGUISHABLE }

    /** The directions of each lever of a sweep, while the others are at the baseline. */
    public static List<Directions> of(Sweep sweep, List<Sweep.Point> points) {
        return sweep.axes().stream().map(axis -> of(sweep, axis, sweep.along(axis, points))).toList();
    }

    private static Directions of(Sweep sweep, Sweep.Axis axis, List<Sweep.Point> points) {
        int base = sweep.base().get(axis.lever());
        return new Directions(axis.lever(), axis.values().stream().filter(value -> value != base)
                .map(value -> change(value, base, points, point -> sweep.value(axis, point))).toList());
    }

    private static double[] changes(int value, int base, List<Sweep.Point> points, ToIntFunction<Sweep.Point> of) {
        return points.stream().filter(point -> of.applyAsInt(point) == value).mapToDouble(point -> {
            double normal = points.stream().filter(one -> one.round() == point.round() && of.applyAsInt(one) == base).findFirst()
                    .orElseThrow().figures().get(MEASURE);
            return point.figures().get(MEASURE) / normal - 1;
        }).toArray();
    }

    private static Change change(int value, int base, List<Sweep.Point> points, ToIntFunction<Sweep.Point> of) {
        double[] changes = changes(value, base, points.stream().filter(Sweep.Point::beside).toList(), of);
        double[] alone = changes(value, base, points.stream().filter(point -> !point.beside()).toList(), of);
        Cell cell = Cell.of(changes);
        double mean = cell.mean();
        double squares = Arrays.stream(changes).map(one -> (one - mean) * (one - mean)).sum();
        double error = Math.sqrt(squares / (changes.length - 1) / changes.length);
        boolean sure = changes.length > 1 && (cell.low() > 0 || cell.high() < 0) && Math.abs(mean) > student(changes.length - 1) * error;
        return new Change(value, value > base, mean, cell.low(), cell.high(), sure, Cell.of(alone).mean());
    }

    private static double student(int freedom) {
        return TDistribution.of(freedom).inverseCumulativeProbability(QUANTILE);
    }

    /** The direction in which the best value lies that is better for sure; empty if there is none. */
    public Optional<Direction> supported() {
        return changes.stream().filter(Change::better).max(Comparator.comparingDouble(Change::mean))
                .map(change -> change.up() ? Direction.UP : Direction.DOWN);
    }

    /** What a rule says about this lever and what the data say of it. */
    public Verdict verdict(Direction ruled) {
        Optional<Direction> found = supported();
        if (found.isPresent()) {
            return found.get() == ruled ? Verdict.AGREE : Verdict.DISAGREE;
        }
        boolean harms = changes.stream().anyMatch(change -> change.sure() && change.up() == (ruled == Direction.UP));
        return harms ? Verdict.DISAGREE : Verdict.NOT_DISTINGUISHABLE;
    }

    /** What the rows of the knowledge base that speak of a neighbour do to this lever, by the row's name. */
    public static Map<String, Direction> ruled(KnowledgeBase knowledge, Lever lever) {
        Map<String, Direction> result = new LinkedHashMap<>();
        for (Rule rule : knowledge.rules()) {
            rule.moves().stream().filter(move -> move.knob().equals(lever) && NEIGHBOUR.contains(rule.id()))
                    .forEach(move -> result.put(rule.id(), move.direction()));
        }
        return result;
    }
}
