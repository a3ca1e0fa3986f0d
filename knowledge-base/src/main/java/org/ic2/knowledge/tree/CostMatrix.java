// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import java.util.Arrays;
import java.util.List;
import org.ic2.knowledge.Label;

/**
 * What a wrong label costs: {@code rows.get(truth).get(answer)}, in the order of {@link Label}; the diagonal is 0.
 * The paper (section 5.1.3) writes it as a:b:c.
 *
 * @param rows three rows of three numbers of 0 or more
 */
public record CostMatrix(List<List<Double>> rows) {
    /** The paper's in production. */
    public static final String PRODUCTION = "5:1:10";

    public CostMatrix {
        int size = Label.values().length;
        if (rows.size() != size || rows.stream().anyMatch(row -> row.size() != size)) {
            throw new IllegalArgumentException("expected " + size + " rows of " + size + " numbers, got " + rows);
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                double cost = rows.get(i).get(j);
                if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY) || i == j && cost != 0) {
                    throw new IllegalArgumentException("expected costs of 0 or more and 0 on the diagonal, got "
                            + rows);
                }
            }
        }
        rows = rows.stream().map(List::copyOf).toList();
    }

    /**
     * The paper's a:b:c; the two confusions with TRANSIENT that it does not name cost 1.
     *
     * @param a NO_INTERFERENCE taken for INTERFERENCE
     * @param b TRANSIENT taken for anything else
     * @param c INTERFERENCE taken for NO_INTERFERENCE
     */
    public static CostMatrix of(double a, double b, double c) {
        return new CostMatrix(Arrays.asList(List.of(0.0, 1.0, a), List.of(b, 0.0, b), List.of(c, 1.0, 0.0)));
    }

    /**
     * The same of the text {@code a:b:c}.
     *
     * @throws IllegalArgumentException if it is not of that form
     */
    public static CostMatrix parse(String text) {
        try {
            double[] costs = Arrays.stream(text.split(":")).mapToDouble(part -> Double.parseDouble(part.strip())).toArray();
            if (costs.length == 3 && Arrays.stream(costs).allMatch(cost -> cost > 0 && cost <= 1000)) {
                return of(costs[0], costs[1], costs[2]);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("cost matrix: expected a:b:c with numbers in 0..1000, such as " + PRODUCTION + ", got '"
                + text + "'");
    }

    /** The cost of an answer. */
    public double cost(Label truth, Label answer) {
        return rows.get(truth.ordinal()).get(answer.ordinal());
    }
}
