// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Row;

/**
 * Compares the exported tree with Weka's, row by row. Both bridge a missing value alike: both sides of the test are
 * asked, weighted by the training weight below them. Two classes whose shares differ by less than {@value #TIE} are a
 * tie, for which the order of additions would decide; a tie counts apart and either answer is right.
 *
 * @param rows         rows compared
 * @param disagreements rows on which the labels differ
 * @param ties         rows on which Weka's two best classes are equal
 */
public record Agreement(long rows, long disagreements, long ties) {
    static final double TIE = 1e-9;
    /** One random value in this number is a missing one. */
    private static final int MISSING_EVERY = 8;

    /** The two together. */
    public Agreement plus(Agreement other) {
        return new Agreement(rows + other.rows, disagreements + other.disagreements, ties + other.ties);
    }

    /** Compares on these rows. */
    public static Agreement on(Fitted fitted, List<Row> rows) {
        Agreement sum = new Agreement(0, 0, 0);
        for (Row row : rows) {
            sum = sum.plus(compare(fitted, row::get));
        }
        return sum;
    }

    /**
     * Compares on random rows: values around those of real rows and around the tree's thresholds, exactly on them, far
     * outside, and missing.
     */
    public static Agreement onRandom(Fitted fitted, List<Row> like, int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Attribute, double[]> sources = new HashMap<>();
        for (Attribute attribute : fitted.attributes()) {
            double[] seen = like.stream().mapToDouble(row -> row.get(attribute)).filter(Double::isFinite).toArray();
            sources.put(attribute, Thresholds.and(seen, fitted.tree(), attribute));
        }
        long disagreements = 0;
        long ties = 0;
        Map<Attribute, Double> values = new HashMap<>();
        for (int i = 0; i < count; i++) {
            for (Attribute attribute : fitted.attributes()) {
                values.put(attribute, draw(random, sources.get(attribute)));
            }
            Agreement one = compare(fitted, values::get);
            disagreements += one.disagreements;
            ties += one.ties;
        }
        return new Agreement(count, disagreements, ties);
    }

    private static double draw(SplittableRandom random, double[] source) {
        if (random.nextInt(MISSING_EVERY) == 0) {
            return Double.NaN;
        }
        double value = source.length == 0 ? random.nextDouble() : source[random.nextInt(source.length)];
        return switch (random.nextInt(4)) {
            case 0 -> value;
            case 1 -> random.nextBoolean() ? Math.nextUp(value) : Math.nextDown(value);
            case 2 -> value * (0.5 + random.nextDouble());
            default -> (random.nextDouble() - 0.1) * 100;
        };
    }

    private static Agreement compare(Fitted fitted, ToDoubleFunction<Attribute> values) {
        Label ours = fitted.tree().classify(values).label();
        double[] shares;
        try {
            shares = fitted.weka().distributionForInstance(fitted.schema().instance(values));
        } catch (Exception e) {
            throw new IllegalStateException("Weka could not classify a row: " + e.getMessage(), e);
        }
        Map<Label, Double> byLabel = new EnumMap<>(Label.class);
        double best = 0;
        for (Label label : Label.values()) {
            byLabel.put(label, shares[label.ordinal()]);
            best = Math.max(best, shares[label.ordinal()]);
        }
        double top = best;
        long equal = byLabel.values().stream().filter(share -> top - share < TIE).count();
        boolean right = top - byLabel.get(ours) < TIE;
        return new Agreement(1, right ? 0 : 1, equal > 1 ? 1 : 0);
    }
}
