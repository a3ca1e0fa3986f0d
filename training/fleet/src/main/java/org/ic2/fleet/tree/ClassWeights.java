// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import java.util.Arrays;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.CostMatrix;

/**
 * What a row of each class weighs in the training. As Weka's CostSensitiveClassifier has it: in proportion to the sum of the costs
 * of its class, such that all rows together weigh as much as before.
 */
final class ClassWeights {
    private ClassWeights() {
    }

    /**
     * The weights in the order of {@link Label}.
     *
     * @param rows how many there are of each class
     */
    static double[] of(CostMatrix costs, long[] rows) {
        double[] sums = new double[Label.values().length];
        double weighted = 0;
        for (Label truth : Label.values()) {
            for (Label answer : Label.values()) {
                sums[truth.ordinal()] += costs.cost(truth, answer);
            }
            weighted += sums[truth.ordinal()] * rows[truth.ordinal()];
        }
        double all = Arrays.stream(rows).sum();
        double factor = all / weighted;
        return Arrays.stream(sums).map(sum -> sum * factor).toArray();
    }
}
