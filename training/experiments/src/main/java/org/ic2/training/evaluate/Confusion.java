// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.ic2.knowledge.Label;

/**
 * How often each truth got each answer. The figures follow the paper (section 5.1.3): what is truly TRANSIENT is left
 * out of them, because no reconfiguration follows from it; it is in the matrix all the same.
 */
public final class Confusion {
    private final long[][] counts;

    private Confusion(long[][] counts) {
        this.counts = counts;
    }

    /** Nothing counted. */
    public static Confusion empty() {
        return new Confusion(new long[Label.values().length][Label.values().length]);
    }

    /** The counts of these answers. */
    public static Confusion of(List<Answer> answers) {
        Confusion result = empty();
        for (Answer answer : answers) {
            if (answer.counts()) {
                result.counts[answer.row().truth().orElseThrow().ordinal()][answer.label().orElseThrow().ordinal()]++;
            }
        }
        return result;
    }

    /** Answers to a truth that were counted elsewhere. */
    public static Confusion of(Label truth, Label answer, long times) {
        Confusion result = empty();
        result.counts[truth.ordinal()][answer.ordinal()] = times;
        return result;
    }

    /** One matrix for each group of answers, in the order in which the groups appear. */
    public static Map<String, Confusion> by(Function<Answer, String> group, List<Answer> answers) {
        Map<String, List<Answer>> groups = new LinkedHashMap<>();
        answers.forEach(answer -> groups.computeIfAbsent(group.apply(answer), name -> new java.util.ArrayList<>())
                .add(answer));
        Map<String, Confusion> result = new LinkedHashMap<>();
        groups.forEach((name, list) -> result.put(name, of(list)));
        return result;
    }

    /** How often this truth got this answer. */
    public long get(Label truth, Label answer) {
        return counts[truth.ordinal()][answer.ordinal()];
    }

    /** How many answers a truth got. */
    public long of(Label truth) {
        return Arrays.stream(counts[truth.ordinal()]).sum();
    }

    /** The sum of both. */
    public Confusion plus(Confusion other) {
        Confusion sum = empty();
        for (int i = 0; i < counts.length; i++) {
            for (int j = 0; j < counts.length; j++) {
                sum.counts[i][j] = counts[i][j] + other.counts[i][j];
            }
        }
        return sum;
    }

    /** (INTERFERENCE taken for NO_INTERFERENCE + the reverse) / samples of the two, 0..1. */
    public double missRate() {
        long wrong = get(Label.INTERFERENCE, Label.NO_INTERFERENCE) + get(Label.NO_INTERFERENCE, Label.INTERFERENCE);
        return share(wrong, of(Label.INTERFERENCE) + of(Label.NO_INTERFERENCE));
    }

    /** Of the samples of a side, the share that got its label, 0..1. */
    public double recall(Label side) {
        return share(get(side, side), of(side));
    }

    /** Of the samples (of both sides) that got a side's label, the share that deserved it, 0..1. */
    public double precision(Label side) {
        Label other = side == Label.INTERFERENCE ? Label.NO_INTERFERENCE : Label.INTERFERENCE;
        return share(get(side, side), get(side, side) + get(other, side));
    }

    /** Of the samples without interference, the share labelled INTERFERENCE, 0..1. */
    public double falseAlarms() {
        return share(get(Label.NO_INTERFERENCE, Label.INTERFERENCE), of(Label.NO_INTERFERENCE));
    }

    private static double share(long part, long whole) {
        return whole == 0 ? Double.NaN : (double) part / whole;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Confusion that && Arrays.deepEquals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(counts);
    }

    @Override
    public String toString() {
        return "Confusion" + Arrays.deepToString(counts);
    }
}
