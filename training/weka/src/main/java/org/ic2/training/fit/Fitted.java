// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.training.data.Row;
import weka.classifiers.Classifier;

/**
 * What a fit gives: Weka's classifier and the exported tree, which agree (see {@link Agreement}).
 *
 * @param attributes what the training offered
 * @param settings   how it was trained
 * @param rows       how many rows it was trained on
 * @param tree       the tree that the agent reads
 * @param weka       the same as Weka holds it
 * @param schema     how Weka sees a row
 */
public record Fitted(List<Attribute> attributes, Settings settings, int rows, DecisionTree tree,
        Classifier weka, WekaRowsView schema) {
    /**
     * How to train.
     *
     * @param costs      what wrong labels cost
     * @param confidence J48's confidence factor for pruning, 0..0.5; smaller prunes more
     * @param minLeaf    the least weight of a leaf, rows; 0: one per cent of the rows, at least 5, which keeps the tree
     *                   small enough to read
     */
    public record Settings(CostMatrix costs, double confidence, int minLeaf) {
        private static final double MIN_LEAF_SHARE = 0.01;
        private static final int MIN_LEAF_ROWS = 5;

        public Settings {
            if (!(confidence > 0 && confidence <= 0.5)) {
                throw new IllegalArgumentException("confidence: expected more than 0 and at most 0.5, got " + confidence);
            }
            if (minLeaf < 0) {
                throw new IllegalArgumentException("min-leaf: expected 0 or more, got " + minLeaf);
            }
        }

        /** J48's own confidence, leaves by size of the data. */
        public static Settings of(CostMatrix costs) {
            return new Settings(costs, 0.25, 0);
        }

        /** The same with other costs. */
        public Settings with(CostMatrix others) {
            return new Settings(others, confidence, minLeaf);
        }

        int leaf(int rows) {
            return minLeaf > 0 ? minLeaf : (int) Math.max(MIN_LEAF_ROWS, Math.round(MIN_LEAF_SHARE * rows));
        }
    }

    /** The tree's label of a row. */
    public Label label(Row row) {
        return tree.classify(row::get).label();
    }

    /** The label that the agent would believe: TRANSIENT if what is missing leaves the tree unsure. */
    public Label believed(Row row) {
        return tree.classify(row::get).believed();
    }
}
